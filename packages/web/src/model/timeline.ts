import type { Outcome } from "@holdfast/sdk";
import type { CallStatus, Conversation, PromptView, StepEntry } from "./conversation.ts";

/** A prompt in time: how long it waited, what its run did, and how it ended. */
export interface Bar {
  readonly sessionId: string;
  readonly promptId: string;
  readonly text: string;
  readonly acceptedAt: number;
  /** When the model got it; null while it waits, and for one that ended waiting. */
  readonly enteredAt: number | null;
  /** Null while it is not settled. */
  readonly settledAt: number | null;
  readonly outcome: Outcome | null;
  /** It joined a run that another prompt had started: that one. */
  readonly joined: string | null;
  /** What the run did, for the prompt that started it. */
  readonly spans: readonly Span[];
}

export interface Span {
  readonly kind: "model" | "tool" | "ask";
  readonly label: string;
  readonly from: number;
  /** Null while it goes on. */
  readonly to: number | null;
  readonly status: CallStatus | null;
}

/** The bars of a session, in the order in which its prompts were accepted. */
export function timelineBars(sessionId: string, conversation: Conversation): readonly Bar[] {
  const spans = spansByRun(conversation);
  return [...conversation.prompts.values()]
    .flatMap((prompt) => barOf({ sessionId, prompt, conversation, spans }) ?? [])
    .toSorted((left, right) => left.acceptedAt - right.acceptedAt);
}

function barOf(parts: {
  sessionId: string;
  prompt: PromptView;
  conversation: Conversation;
  spans: ReadonlyMap<string, readonly Span[]>;
}): Bar | null {
  const { sessionId, prompt, conversation, spans } = parts;
  const { promptId, enteredAt, settledAt, outcome, runId, isTakenIn } = prompt;
  // Accepted before the part of the log that is here: it is seen from where it enters.
  const acceptedAt = prompt.acceptedAt === 0 ? enteredAt : prompt.acceptedAt;
  if (acceptedAt === null) return null;
  const starter = runId === null ? null : (conversation.runs.get(runId)?.promptIds[0] ?? null);
  return {
    sessionId,
    promptId,
    text: prompt.text ?? "",
    acceptedAt,
    enteredAt,
    settledAt,
    outcome,
    joined: isTakenIn && starter !== promptId ? starter : null,
    spans: runId === null || isTakenIn ? [] : (spans.get(runId) ?? []),
  };
}

function spansByRun(conversation: Conversation): ReadonlyMap<string, readonly Span[]> {
  const found = new Map<string, Span[]>();
  for (const entry of conversation.entries) {
    if (entry.kind !== "step") continue;
    const end = conversation.runs.get(entry.runId)?.endedAt ?? null;
    const own = found.get(entry.runId) ?? [];
    found.set(entry.runId, own);
    own.push(...stepSpans(entry, conversation, end));
  }
  return found;
}

function stepSpans(step: StepEntry, conversation: Conversation, end: number | null): Span[] {
  const spans: Span[] = [
    {
      kind: "model",
      label: String(step.step),
      from: step.openedAt,
      to: step.answeredAt ?? end,
      status: null,
    },
  ];
  for (const call of step.calls) {
    const ask = call.askId === null ? undefined : conversation.asks.get(call.askId);
    if (ask !== undefined) {
      const to = ask.closed?.at ?? end;
      spans.push({ kind: "ask", label: ask.question, from: ask.openedAt, to, status: null });
    }
    // Calls that may be repeated say only when they end: they begin when they are asked for.
    const from = call.startedAt ?? (ask === undefined ? step.answeredAt : (ask.closed?.at ?? null));
    if (from === null) continue;
    const { name: label, status } = call;
    spans.push({ kind: "tool", label, from, to: call.endedAt ?? end, status });
  }
  return spans;
}

/** A part of time that is looked at. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** How much of the past is looked at; the window moves along with the present. */
export type Reach = "minute" | "hour" | "day" | "all";

const lengths = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** The window of a reach, with some room on both sides; the last minute if there is nothing. */
export function windowOf(bars: readonly Bar[], now: number, reach: Reach): TimeWindow {
  if (reach !== "all") return withRoom({ from: now - lengths[reach], to: now });
  if (bars.length === 0) return withRoom({ from: now - lengths.minute, to: now });
  const from = Math.min(...bars.map(({ acceptedAt }) => acceptedAt));
  const to = Math.max(...bars.map(({ settledAt }) => settledAt ?? now), from + 2_000);
  return withRoom({ from, to });
}

/** What to begin with: the shortest reach in which something has happened, unless all is not much. */
export function usualReach(bars: readonly Bar[], now: number): Reach {
  const { from } = windowOf(bars, now, "all");
  if (now - from < 2 * lengths.hour) return "all";
  const last = Math.max(...bars.map(({ settledAt }) => settledAt ?? now));
  if (now - last < lengths.hour) return "hour";
  return now - last < lengths.day ? "day" : "all";
}

function withRoom({ from, to }: TimeWindow): TimeWindow {
  const room = (to - from) * 0.02;
  return { from: from - room, to: to + room };
}

/** Makes a window wider or narrower around a moment that keeps its place. */
export function zoom({ from, to }: TimeWindow, around: number, factor: number): TimeWindow {
  const width = Math.min(Math.max((to - from) * factor, 200), 400 * 86_400_000);
  const share = (around - from) / (to - from);
  return { from: around - share * width, to: around + (1 - share) * width };
}

const steps = [
  100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000,
  3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000, 172_800_000, 604_800_000, 2_592_000_000,
];

/** Round moments to write below, about so many of them. */
export function ticks({ from, to }: TimeWindow, wanted: number): readonly number[] {
  const width = to - from;
  const step = steps.find((each) => width / each <= wanted) ?? 2_592_000_000;
  const found: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) found.push(at);
  return found;
}
