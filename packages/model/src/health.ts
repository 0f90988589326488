import type { Outcome } from "@holdfast/sdk";
import type { Conversation, PromptView, StepEntry } from "./conversation.ts";

/** How a server performed during a time range, split into equal slices. */
export interface Health {
  readonly slices: readonly Slice[];
  /** Milliseconds from the accept of a prompt until a run starts with it or it joins a run. */
  readonly inQueue: Spread;
  readonly settled: Record<Outcome["status"], number>;
  /** Failed prompts, latest first. */
  readonly failures: readonly Failure[];
}

export interface Slice {
  readonly from: number;
  /** Highest number of prompts that waited and ran at the same time. */
  readonly waiting: number;
  readonly running: number;
  readonly settled: Record<Outcome["status"], number>;
  readonly inQueue: Spread;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
}

/** Distribution of durations. Null if there is nothing to measure. */
export interface Spread {
  readonly median: number | null;
  readonly high: number | null;
}

export interface Failure {
  readonly sessionId: string;
  readonly promptId: string;
  readonly text: string | null;
  readonly at: number;
  readonly outcome: Outcome;
}

export function healthOf(
  conversations: ReadonlyMap<string, Conversation>,
  reach: { readonly from: number; readonly to: number; readonly slices: number },
): Health {
  const width = (reach.to - reach.from) / reach.slices;
  const prompts = [...conversations].flatMap(([sessionId, { prompts: known }]) =>
    // Skip prompts that settled before the time range.
    [...known.values()]
      .filter(({ settledAt }) => settledAt === null || settledAt >= reach.from)
      .map((prompt) => ({ sessionId, ...prompt })),
  );
  const steps = [...conversations.values()].flatMap(({ entries }) =>
    entries.filter(
      (entry): entry is StepEntry => entry.kind === "step" && (entry.answeredAt ?? 0) >= reach.from,
    ),
  );
  const waits = prompts.map(waitOf);
  const runs = [...conversations.values()].flatMap(runsOf).filter(({ to }) => to > reach.from);
  const slices = Array.from({ length: reach.slices }, (_, place): Slice => {
    const from = reach.from + place * width;
    const within = isWithin({ from, to: from + width });
    const answers = steps.filter(({ answeredAt }) => within(answeredAt));
    const sum = (
      read: (usage: { inputTokens: number; outputTokens: number; cost: number }) => number,
    ) => answers.reduce((total, { usage }) => total + (usage === null ? 0 : read(usage)), 0);
    return {
      from,
      waiting: mostAtOnce(waits, { from, to: from + width }),
      running: mostAtOnce(runs, { from, to: from + width }),
      settled: countOutcomes(prompts.filter(({ settledAt }) => within(settledAt))),
      inQueue: spreadOf(prompts.filter(({ enteredAt }) => within(enteredAt)).map(timeInQueue)),
      inputTokens: sum(({ inputTokens }) => inputTokens),
      outputTokens: sum(({ outputTokens }) => outputTokens),
      cost: sum(({ cost }) => cost),
    };
  });
  const withinAll = isWithin(reach);
  return {
    slices,
    inQueue: spreadOf(prompts.filter(({ enteredAt }) => withinAll(enteredAt)).map(timeInQueue)),
    settled: countOutcomes(prompts.filter(({ settledAt }) => withinAll(settledAt))),
    failures: prompts
      .flatMap(({ sessionId, promptId, text, settledAt, outcome }) =>
        outcome?.status === "failed" && settledAt !== null && withinAll(settledAt)
          ? [{ sessionId, promptId, text, at: settledAt, outcome }]
          : [],
      )
      .toSorted((one, other) => other.at - one.at),
  };
}

interface Reach {
  readonly from: number;
  readonly to: number;
}

function isWithin({ from, to }: Reach): (at: number | null) => boolean {
  return (at) => at !== null && at >= from && at < to;
}

function waitOf({ acceptedAt, enteredAt, settledAt }: PromptView): Reach {
  // The accept time is unknown, so count no wait.
  const end = enteredAt ?? settledAt ?? Infinity;
  return { from: acceptedAt > 0 ? acceptedAt : end, to: end };
}

function runsOf({ runs }: Conversation): readonly Reach[] {
  return [...runs.values()].flatMap(({ startedAt, endedAt }) =>
    startedAt === 0 ? [] : [{ from: startedAt, to: endedAt ?? Infinity }],
  );
}

/** Highest number of spans that were open at the same moment within a time range. */
function mostAtOnce(spans: readonly Reach[], reach: Reach): number {
  const changes = spans
    .filter(({ from, to }) => to > from && from < reach.to && to > reach.from)
    .flatMap(({ from, to }) => [
      { at: Math.max(from, reach.from), by: 1 },
      { at: to, by: -1 },
    ])
    // Sort ends before starts, so that spans that only touch do not overlap.
    .toSorted((one, other) => one.at - other.at || one.by - other.by);
  let open = 0;
  let most = 0;
  for (const { at, by } of changes) {
    if (at >= reach.to) break;
    open += by;
    most = Math.max(most, open);
  }
  return most;
}

function countOutcomes(prompts: readonly PromptView[]): Record<Outcome["status"], number> {
  const count = (status: Outcome["status"]): number =>
    prompts.filter(({ outcome }) => outcome?.status === status).length;
  return { completed: count("completed"), failed: count("failed"), cancelled: count("cancelled") };
}

function timeInQueue({ acceptedAt, enteredAt }: PromptView): number | null {
  return acceptedAt > 0 && enteredAt !== null ? enteredAt - acceptedAt : null;
}

function spreadOf(times: readonly (number | null)[]): Spread {
  const sorted = times.filter((time) => time !== null).toSorted((one, other) => one - other);
  const at = (share: number): number | null =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
  return { median: at(0.5), high: at(0.95) };
}
