import type { Outcome, Usage } from "../../kernel/state.ts";

// Summarizes facts about prompts, runs and model answers in equal slices of a time range.

/** A wait of a prompt in the queue, and its outcome. A prompt that returns to the queue has a fact for each wait. */
export interface PromptFact {
  /** Time at which the prompt was accepted, or returned to the queue. */
  readonly queuedAt: number;
  /** Time at which the prompt started or joined a run; null: it has not. */
  readonly enteredAt: number | null;
  /** Time at which the prompt was settled, or left the run and returned to the queue. */
  readonly settledAt: number | null;
  /** Null if the prompt is not settled, or returned to the queue after this wait. */
  readonly status: Outcome["status"] | null;
}

/** A time range. `to` is Infinity if the end is not known yet. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface AnswerFact {
  readonly at: number;
  readonly usage: Usage;
}

export interface Facts {
  readonly prompts: readonly PromptFact[];
  readonly runs: readonly Span[];
  readonly answers: readonly AnswerFact[];
}

export interface Reach extends Span {
  readonly slices: number;
}

export interface ActivitySlice {
  readonly from: number;
  /** Highest number of prompts that waited at the same time, and of runs that were active at the same time. */
  readonly waiting: number;
  readonly running: number;
  readonly settled: Settled;
  readonly inQueue: Spread;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
}

export type Settled = Record<Outcome["status"], number>;

/** Milliseconds that prompts waited before they started or joined a run. Null if no prompt has started or joined a run. */
export interface Spread {
  readonly median: number | null;
  /** 95th percentile of the waiting times. */
  readonly high: number | null;
}

export function slicesOf(facts: Facts, reach: Reach): ActivitySlice[] {
  const width = (reach.to - reach.from) / reach.slices;
  const placeOf = (at: number): number => Math.floor((at - reach.from) / width);
  const slices = Array.from({ length: reach.slices }, () => ({
    settled: { completed: 0, failed: 0, cancelled: 0 },
    waits: new Array<number>(),
    inputTokens: 0,
    outputTokens: 0,
    cost: 0,
  }));
  for (const { settledAt, status, queuedAt, enteredAt } of facts.prompts) {
    const settled = settledAt === null ? undefined : slices[placeOf(settledAt)]?.settled;
    if (settled !== undefined && status !== null) settled[status] += 1;
    if (enteredAt !== null) slices[placeOf(enteredAt)]?.waits.push(enteredAt - queuedAt);
  }
  for (const { at, usage } of facts.answers) {
    const slice = slices[placeOf(at)];
    if (slice === undefined) continue;
    slice.inputTokens += usage.inputTokens;
    slice.outputTokens += usage.outputTokens;
    slice.cost += usage.cost;
  }
  const waiting = mostAtOnce(facts.prompts.map(waitOf), reach);
  const running = mostAtOnce(facts.runs, reach);
  return slices.map(({ waits, ...slice }, index) => ({
    from: reach.from + index * width,
    waiting: waiting[index] ?? 0,
    running: running[index] ?? 0,
    ...slice,
    inQueue: spreadOf(waits),
  }));
}

export function spreadOf(times: readonly number[]): Spread {
  const sorted = Float64Array.from(times).toSorted();
  const at = (share: number): number | null =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
  return { median: at(0.5), high: at(0.95) };
}

function waitOf({ queuedAt, enteredAt, settledAt }: PromptFact): Span {
  return { from: queuedAt, to: enteredAt ?? settledAt ?? Infinity };
}

/** Returns for each slice the highest number of spans that were open at the same moment. */
function mostAtOnce(spans: readonly Span[], { from, to, slices }: Reach): number[] {
  const known = spans.filter((span) => span.to > span.from && span.from < to && span.to > from);
  const starts = Float64Array.from(known, (span) => span.from).toSorted();
  const ends = Float64Array.from(known, (span) => span.to).toSorted();
  const width = (to - from) / slices;
  let [started, ended] = [0, 0];
  return Array.from({ length: slices }, (_, index) => {
    const begin = from + index * width;
    while ((starts[started] ?? Infinity) < begin) started += 1;
    while ((ends[ended] ?? Infinity) <= begin) ended += 1;
    let most = started - ended;
    for (; (starts[started] ?? Infinity) < begin + width; started += 1) {
      // A span that ends at the moment at which another one starts does not overlap it.
      while ((ends[ended] ?? Infinity) <= (starts[started] ?? 0)) ended += 1;
      most = Math.max(most, started + 1 - ended);
    }
    return most;
  });
}
