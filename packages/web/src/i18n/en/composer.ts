import { count } from "../plural.ts";
import { stopped } from "./stopped.ts";

/** What can be said to a session. */
export const composer = {
  composer: {
    label: "Prompt",
    placeholder: "Say what should be done",
    placeholderBusy: "Queue the next prompt, or steer",
    observe: "This browser may only look",
    send: "Send",
    delivery: "What it does while the session is busy",
    queue: "Queue",
    queueHint: (parts: { isActive: boolean; ahead: number }): string => {
      const waiting = count(parts.ahead, "waiting prompt", "waiting prompts");
      if (!parts.isActive) return parts.ahead === 0 ? "Runs next." : `Runs after ${waiting}.`;
      return parts.ahead === 0
        ? "Runs when the active run has ended."
        : `Runs after the active run and ${waiting}.`;
    },
    steer: "Steer",
    steerHint: "Joins the active run at its next step. Nothing is stopped.",
    steerIdleHint: "No run is active: it waits in the queue.",
    interrupt: "Interrupt",
    interruptHint: (parts: { isActive: boolean; waiting: number }): string => {
      const waiting = count(parts.waiting, "waiting prompt", "waiting prompts");
      if (!parts.isActive) return `Cancels ${waiting} and takes the first place.`;
      return parts.waiting === 0
        ? "Stops the active run, then runs at once."
        : `Cancels the active run and ${waiting}, then runs at once.`;
    },
    heldByPerson: "The session is held: the prompt waits until that is released.",
    heldByFailure: "A new prompt lifts the hold: the first in the queue tries again.",
    idleHint: "Runs at once.",
    stop: "Stop",
    stopHint: "Esc",
    attach: "Attach files",
    drop: "Drop files to attach them",
    removeAttachment: (parts: { name: string }) => `Remove ${parts.name}`,
    uploading: "uploading…",
    tooLarge: (parts: { name: string }) => `${parts.name} is larger than 20 MB`,
    commands: "Commands",
    unknownCommand: (parts: { name: string }) => `There is no command /${parts.name}`,
    history: "↑ earlier prompts",
    unsent: (parts: { text: string }) => `You had not sent: “${parts.text}”`,
    agent: "Agent",
    usualAgent: "usual agent",
    model: "Model, as provider/name",
    fromDirectory: (parts: { source: string }) => `command of ${parts.source}`,
  },
  commands: {
    new: "Start a new session in this directory",
    rename: "Rename this session",
    fork: "Fork this session",
    archive: "Archive this session",
    cancel: "Cancel everything that is unsettled",
    clear: "Clear the queue, leave the active run alone",
    hold: "Hold this session",
    release: "Release every hold",
    timeline: "Show this session's timeline",
    help: "Show the keys",
  },
  queue: {
    title: "Queue",
    label: "Prompts that wait",
    clear: "Clear",
    place: (parts: { place: number }) => `place ${parts.place}`,
    steering: "joins at the next step",
    edit: "Edit",
    withdraw: "Withdraw",
    promote: "Run now: stops the active run",
    up: "Move up",
    down: "Move down",
    drag: "Drag to reorder; or Alt and the arrow keys",
    moved: (parts: { place: number }) => `Moved to place ${parts.place}`,
    withdrawn: "Withdrawn",
    saved: "Changed",
    started: "Too late: it has started",
    work: "exclusive work",
    more: (parts: { count: number }) => `${parts.count} more`,
  },
  cancel: {
    done: (parts: { running: number; queued: number; background: number }) => {
      const background = parts.background === 0 ? "" : `${parts.background} in the background`;
      if (parts.running + parts.queued === 0) return `Stopped ${background}`;
      return `Stopped ${[stopped(parts), background].filter((part) => part !== "").join(", ")}`;
    },
    nothing: "Nothing was running or waiting",
    background: (parts: { count: number }) => `Stop ${parts.count} in the background too`,
    cleared: (parts: { queued: number }) =>
      parts.queued === 0
        ? "Nothing was waiting"
        : `Withdrew ${count(parts.queued, "prompt", "prompts")}`,
  },
  asks: {
    needsYou: "Holdfast needs you",
    open: (parts: { count: number }) => count(parts.count, "open ask", "open asks"),
    permission: "Permission",
    question: "Question",
    allow: "Allow",
    deny: "Deny",
    allowSession: "Allow in this session",
    allowProject: "Allow in this project",
    remembers: (parts: { rule: string }) => `Remembers: ${parts.rule}`,
    answer: "Answer",
    answerPlaceholder: "Your answer",
    whyNot: "Why not? (optional)",
    answeredBy: (parts: { who: string; verdict: "allow" | "deny"; said: string | null }) =>
      parts.said === null
        ? `${parts.who} ${parts.verdict === "allow" ? "allowed" : "denied"} it`
        : `${parts.who} answered: ${parts.said}`,
    allowed: "allowed",
    denied: "denied",
    expired: "expired",
    withdrawn: "withdrawn",
    by: (parts: { who: string | null }) => `by ${parts.who ?? "you"}`,
    otherSession: "in another session",
  },
};
