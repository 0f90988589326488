import type { ShareKind } from "../../model/breakdown.ts";
import { count } from "../plural.ts";

/** What the server was at. */
export const watching = {
  health: {
    title: "Health",
    noSandboxShort: "No sandbox",
    noSandbox: (parts: { problem: string }) =>
      `No sandbox on the server's machine: ${parts.problem}. Commands of agents can read, change and send everything that its user can.`,
    reach: "How far back",
    reaches: { quarter: "15 min", hour: "1 h", day: "1 day" },
    running: "running",
    waiting: "waiting",
    needsYou: "need you",
    held: "held",
    medianWait: "median wait",
    highWait: "95% wait",
    failed: "failed",
    depth: "Running and waiting",
    most: (parts: { value: string }) => `at most ${parts.value} waiting`,
    rate: "Prompts that ended",
    perMinute: (parts: { value: string }) => `${parts.value} completed a minute`,
    inQueue: "Time in the queue",
    median: (parts: { value: string }) => `median ${parts.value}`,
    tokens: "Tokens",
    input: "input",
    output: "output",
    cost: "Cost",
    failures: "Recent failures",
    noFailures: "Nothing failed in this time.",
    since: (parts: {
      version: string;
      time: string;
      accepted: string;
      settled: string;
      tokens: string;
      cost: string;
    }) =>
      `Holdfast ${parts.version}, up for ${parts.time}: ${parts.accepted} prompts accepted, ${parts.settled} settled, ${parts.tokens} tokens, ${parts.cost}.`,
    caps: {
      day: (parts: { spent: string; limit: string; until: string }) =>
        `Spending limit of the day: ${parts.spent} of ${parts.limit} used, reset ${parts.until}.`,
      month: (parts: { spent: string; limit: string; until: string }) =>
        `Spending limit of the month: ${parts.spent} of ${parts.limit} used, reset ${parts.until}.`,
    },
    source: (parts: { count: number; wanted: number }) =>
      parts.count < parts.wanted
        ? `The charts are drawn from the logs of ${parts.count} of the ${count(parts.wanted, "session", "sessions")} that did something in this time or have work.`
        : `The charts are drawn from the logs of all ${count(parts.count, "session", "sessions")} that did something in this time or have work.`,
  },
  timeline: {
    label: "Prompts over time",
    serverTitle: "Timeline of the server",
    noWords: "(no words)",
    empty: "No prompts yet. Each one will be a bar here, from the moment it is accepted.",
    legend: "What the colors mean",
    kinds: {
      waiting: "waiting",
      held: "held",
      model: "model",
      tool: "tools",
      asking: "waits for a person",
      cutOff: "cut off",
      stopping: "stopping",
      other: "between steps",
    } satisfies Record<ShareKind, string>,
    toolNamed: (parts: { name: string }) => `tool ${parts.name}`,
    step: (parts: { step: number }) => `step ${parts.step}`,
    waits: (parts: { time: string }) => `waiting ${parts.time}`,
    runs: (parts: { time: string }) => `running ${parts.time}`,
    waited: (parts: { time: string }) => `waited ${parts.time}`,
    ran: (parts: { time: string }) => `ran ${parts.time}`,
    neverStarted: "never started",
    joinedRun: "joined the active run",
    joinsSoon: (parts: { text: string }) => `joins “${parts.text}” at its next step`,
    behind: (parts: { text: string }) => `behind “${parts.text}”`,
    sessionHeld: "the session is held",
    nextInLine: "next in line",
    waitedBehind: "Waited behind",
    prompts: "prompts",
    nowRunning: "running",
    nowWaiting: "waiting",
    longestWait: "longest wait",
    longestRun: "longest run",
    zoomIn: "Zoom in",
    zoomOut: "Zoom out",
    zoomTo: "Zoom to it",
    whole: "All of it",
    earlier: "Load what came earlier",
    earlierSessions: "Show earlier sessions",
    shown: (parts: { count: number; wanted: number }) =>
      parts.count < parts.wanted
        ? `${parts.count} of ${count(parts.wanted, "session", "sessions")}: those with work first.`
        : `${count(parts.count, "session", "sessions")}: all that have work, and those that did something last.`,
    overview: "How many prompts ran and waited over time",
    overviewHint: "Drag to look at a part, double-click for all of it",
    folded: (parts: { time: string }) => `Nothing happened for ${parts.time}`,
    detail: "Where the time of this prompt went",
    toMessages: "Show its messages",
    childTimeline: "Timeline of the child session",
  },
};
