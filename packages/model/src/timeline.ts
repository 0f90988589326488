import type { Delivery, Outcome } from "@holdfast/sdk";
import type { Conversation, PromptView, RunView } from "./conversation.ts";
import { runSegments } from "./run-segments.ts";
import type { Segment } from "./run-segments.ts";

/** The prompts of a session over time: one bar for each, in order of acceptance. */
export interface Timeline {
  readonly bars: readonly PromptBar[];
  readonly holds: readonly Span[];
}

/** A time range; `to` is null if the range has not ended. */
export interface Span {
  readonly from: number;
  readonly to: number | null;
}

export interface PromptBar extends Span {
  readonly promptId: string;
  readonly text: string | null;
  readonly delivery: Delivery;
  /** Command, agent and model that the sender named. */
  readonly named: Pick<PromptView, "command" | "agent" | "model">;
  readonly stage: "waiting" | "running" | "settled";
  /** Time until the model saw the prompt, or until the prompt ended without being seen. */
  readonly waiting: Span;
  /** Times in which the session was held while the prompt waited. */
  readonly held: readonly Span[];
  /** The runs that ran while this prompt waited, each with the prompt that started the run. */
  readonly behind: readonly { readonly promptId: string; readonly span: Span }[];
  /** Time in which the prompt's run was active; null if no run used the prompt. */
  readonly active: Span | null;
  /** Activities of the run. Empty if the prompt joined another prompt's run: the bar of the other prompt shows them. */
  readonly segments: readonly Segment[];
  readonly runId: string | null;
  /** The prompt whose run this prompt joined. */
  readonly joined: string | null;
  readonly outcome: Outcome | null;
  readonly attempt: number;
  readonly cost: number;
}

export function buildTimeline(conversation: Conversation): Timeline {
  const holds = holdSpans(conversation);
  const segments = runSegments(conversation);
  const runs = runsInOrder(conversation);
  const bars = [...conversation.prompts.values()]
    .map((prompt) => barOf(conversation, { prompt, holds, segments, runs }))
    .filter((bar) => bar !== null)
    .toSorted((one, other) => one.from - other.from);
  return { bars, holds };
}

interface Material {
  readonly prompt: PromptView;
  readonly holds: readonly Span[];
  readonly segments: ReadonlyMap<string, readonly Segment[]>;
  readonly runs: readonly RunView[];
}

function barOf(conversation: Conversation, material: Material): PromptBar | null {
  const { prompt, holds, segments, runs } = material;
  const { promptId, acceptedAt, enteredAt, settledAt, runId, isTakenIn, outcome } = prompt;
  // A prompt that was accepted before the loaded part of the log has the accept time 0 until it is loaded.
  const from = acceptedAt > 0 ? acceptedAt : enteredAt;
  if (from === null) return null;
  const run = runId === null ? undefined : conversation.runs.get(runId);
  const waiting = { from, to: enteredAt ?? settledAt };
  const starter = run?.promptIds[0] ?? null;
  const isStarter = starter === promptId;
  const runEnd = isStarter ? (run?.endedAt ?? null) : null;
  const isOver = settledAt !== null && (!isStarter || runEnd !== null);
  const to = isOver ? Math.max(settledAt, runEnd ?? 0) : null;
  return {
    promptId,
    text: prompt.text,
    delivery: prompt.delivery,
    named: { command: prompt.command, agent: prompt.agent, model: prompt.model },
    from,
    to,
    stage: settledAt !== null ? "settled" : enteredAt === null ? "waiting" : "running",
    waiting,
    held: holds.map((hold) => overlap(hold, waiting)).filter((span) => span !== null),
    behind: runsBefore(runs, waiting, runId),
    active: enteredAt === null ? null : { from: enteredAt, to },
    segments: isStarter && runId !== null ? (segments.get(runId) ?? []) : [],
    runId,
    joined: isTakenIn && !isStarter ? starter : null,
    outcome,
    attempt: run?.attempt ?? 1,
    cost: isStarter ? (run?.usage?.cost ?? 0) : 0,
  };
}

/** Runs by start time. A session has one run at a time, so the ends are in the same order. */
function runsInOrder({ runs }: Conversation): readonly RunView[] {
  return [...runs.values()]
    .filter(({ startedAt }) => startedAt > 0)
    .toSorted((one, other) => one.startedAt - other.startedAt);
}

function runsBefore(
  runs: readonly RunView[],
  waiting: Span,
  ownRunId: string | null,
): PromptBar["behind"] {
  const behind: { promptId: string; span: Span }[] = [];
  for (let place = firstNotOver(runs, waiting.from); place < runs.length; place += 1) {
    const run = runs[place];
    if (run === undefined || (waiting.to !== null && run.startedAt >= waiting.to)) break;
    const [promptId] = run.promptIds;
    const span = overlap({ from: run.startedAt, to: run.endedAt }, waiting);
    if (span === null || promptId === undefined || run.runId === ownRunId) continue;
    behind.push({ promptId, span });
  }
  return behind;
}

/** Returns the index of the first run that had not ended at this time. */
function firstNotOver(runs: readonly RunView[], at: number): number {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((runs[middle]?.endedAt ?? Infinity) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Returns the times in which the session was paused. A pause ends when it is released, when a run starts, or when a run
 * ends.
 */
function holdSpans(conversation: Conversation): readonly Span[] {
  const ends = [...conversation.runs.values()].flatMap(endsOfHolds);
  const placed: number[] = [];
  for (const entry of conversation.entries) {
    if (entry.kind !== "notice") continue;
    if (entry.notice.type === "released") ends.push(entry.at);
    if (entry.notice.type === "held") placed.push(entry.at);
  }
  const spans: Span[] = [];
  for (const from of placed) {
    if (spans.some(({ to }) => to === null || to > from)) continue;
    const to = Math.min(...ends.filter((end) => end > from));
    spans.push({ from, to: Number.isFinite(to) ? to : null });
  }
  return spans;
}

function endsOfHolds({ startedAt, endedAt }: RunView): readonly number[] {
  return endedAt === null ? [startedAt] : [startedAt, endedAt];
}

function overlap(one: Span, other: Span): Span | null {
  const from = Math.max(one.from, other.from);
  const to = earlier(one.to, other.to);
  return to !== null && to <= from ? null : { from, to };
}

function earlier(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}

/** Returns the length of a span. A span that has not ended is measured up to now. */
export function lengthOf({ from, to }: Span, now: number): number {
  return Math.max(0, (to ?? now) - from);
}
