import type { ShareKind } from "@holdfast/model/breakdown.ts";
import { count } from "./plural.ts";

/** Strings for the health page and the timelines. */
export const monitoring = {
  health: {
    title: "Health",
    noSandboxShort: "No sandbox",
    noSandbox: (values: { problem: string }) =>
      `Commands run without a sandbox on the server's machine: ${values.problem}. They can read, change and send everything that the server's user can.`,
    reach: "Time range",
    reaches: { quarter: "15 min", hour: "1 h", day: "1 day" },
    running: "running",
    waiting: "waiting",
    needsYou: "need you",
    held: "paused",
    medianWait: "median wait",
    highWait: "p95 wait",
    failed: "failed",
    depth: "Running and waiting prompts",
    most: (values: { value: string }) => `peak: ${values.value} waiting`,
    rate: "Finished prompts",
    perMinute: (values: { value: string }) => `${values.value} completed per minute`,
    inQueue: "Time in the queue",
    median: (values: { value: string }) => `median ${values.value}`,
    tokens: "Model tokens used",
    input: "input",
    output: "output",
    cost: "Cost",
    failures: "Recent failures",
    noFailures: "No failures in this time range.",
    uptime: (values: { version: string; time: string }) =>
      `Holdfast ${values.version}, up for ${values.time}.`,
    since: (values: {
      version: string;
      time: string;
      accepted: string;
      settled: string;
      tokens: string;
      cost: string;
    }) =>
      `Holdfast ${values.version}, up for ${values.time}: ${values.accepted} prompts accepted, ${values.settled} finished, ${values.tokens} tokens, ${values.cost}.`,
    caps: {
      day: (values: { spent: string; limit: string; until: string }) =>
        `Daily spending limit: ${values.spent} of ${values.limit} used. Resets: ${values.until}.`,
      month: (values: { spent: string; limit: string; until: string }) =>
        `Monthly spending limit: ${values.spent} of ${values.limit} used. Resets: ${values.until}.`,
    },
  },
  timeline: {
    label: "Prompts over time",
    serverTitle: "Server timeline",
    noWords: "(no text)",
    empty: "No prompts yet. Each prompt appears here as a bar.",
    legend: "Color legend",
    kinds: {
      waiting: "waiting",
      held: "paused",
      model: "model",
      tool: "tools",
      asking: "waiting for you",
      cutOff: "interrupted",
      stopping: "stopping",
      other: "other work",
    } satisfies Record<ShareKind, string>,
    toolNamed: (values: { name: string }) => `tool ${values.name}`,
    step: (values: { step: number }) => `step ${values.step}`,
    waits: (values: { time: string }) => `waiting ${values.time}`,
    runs: (values: { time: string }) => `running ${values.time}`,
    waited: (values: { time: string }) => `waited ${values.time}`,
    ran: (values: { time: string }) => `ran ${values.time}`,
    neverStarted: "never started",
    joinedRun: "joined a run in progress",
    joinsSoon: (values: { text: string }) => `joins “${values.text}” at its next step`,
    behind: (values: { text: string }) => `queued after “${values.text}”`,
    sessionHeld: "the session is paused",
    nextInLine: "next in the queue",
    waitedBehind: "Waited for these prompts",
    prompts: "prompts",
    nowRunning: "running",
    nowWaiting: "waiting",
    longestWait: "longest wait",
    longestRun: "longest run",
    zoomIn: "Zoom in",
    zoomOut: "Zoom out",
    zoomTo: "Zoom to this prompt",
    whole: "Show all",
    earlier: "Load earlier prompts",
    earlierSessions: "Show earlier sessions",
    shown: (values: { count: number; wanted: number }) =>
      values.count < values.wanted
        ? `${values.count} of ${count(values.wanted, "session", "sessions")}. Sessions with unfinished work come first.`
        : `${count(values.count, "session", "sessions")}: all with unfinished work, and the most recently active.`,
    strip: (values: { minutes: number; parts: string }) =>
      `Timeline of the last ${values.minutes} minutes: ${values.parts}`,
    group: (values: { count: number; failed: number }) =>
      values.failed === 0
        ? `${values.count} prompts`
        : `${values.count} prompts, ${values.failed} failed`,
    overview: "Number of running and waiting prompts over time",
    overviewHint: "Drag to select a time range. Double-click to show all.",
    folded: (values: { time: string }) => `No activity for ${values.time}`,
    detail: "Time spent on this prompt",
    toMessages: "Show messages",
    report: "Save HTML report",
    childTimeline: "Timeline of the child session",
  },
};
