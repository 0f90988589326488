import type { SessionItem } from "./session-stream.ts";
import type { DeltaItem } from "./stream-item.ts";

/** The unfinished step of a run: the text that has arrived and is not in the log yet. */
export interface InFlight {
  readonly runId: string;
  readonly step: number;
  readonly attempt: number;
  readonly text: string;
  readonly reasoning: string;
  /** Live output of tool calls without a result yet. */
  readonly calls: readonly { readonly callId: string; readonly text: string }[];
}

/** Collects the streamed text of an unfinished answer and of running tool calls. Created by `trackInFlight`. */
export interface InFlightTracker {
  /** The unfinished step, or null if there is none. */
  readonly current: InFlight | null;
  /** Adds the next item of the stream of a session or prompt. Returns the unfinished step; null: there is none. */
  take(item: SessionItem): InFlight | null;
}

/**
 * Joins deltas to the text of the step in progress. Deltas are provisional (T3): a restarted step, a new
 * attempt or a lost connection discards them, and the final event replaces them.
 *
 * @example
 * const inFlight = trackInFlight();
 * for await (const item of prompt.events()) {
 *   const step = inFlight.take(item);
 *   if (step !== null) console.log("so far:", step.text);
 *   if (item.type === "step.answered") console.log("final:", item.content?.text);
 * }
 */
export function trackInFlight(): InFlightTracker {
  let current: InFlight | null = null;
  /** True if the model's answer is in the log: only output of tool calls may still arrive for this step. */
  let isAnswered = false;

  const begin = (place: Place): void => {
    const { runId, step, attempt } = place;
    current = { runId, step, attempt, text: "", reasoning: "", calls: [] };
    isAnswered = false;
  };
  const takeDelta = (delta: DeltaItem): void => {
    if (current === null || isLater(delta, current)) begin(delta);
    if (current === null || !isSame(delta, current)) return;
    if (delta.kind === "restart") begin(delta);
    else if (delta.kind === "tool") current = withCall(current, delta);
    else if (!isAnswered) current = { ...current, [delta.kind]: current[delta.kind] + delta.text };
  };
  return {
    get current() {
      return current;
    },
    take: (item) => {
      if (item.type === "delta") takeDelta(item);
      else if (item.type === "snapshot") {
        const { runId, step, attempt, text, reasoning, calls } = item;
        current = { runId, step, attempt, text, reasoning, calls };
        isAnswered = false;
      } else if (item.type === "live" || item.type === "reset" || item.type === "run.ended")
        current = null;
      else if (item.type === "run.resumed" || item.type === "run.started") current = null;
      else if (item.type === "prompt.settled" && item.outcome.runId === current?.runId) {
        current = null;
      } else if (item.type === "step.opened") begin(item);
      else if (item.type === "step.answered") {
        if (current === null || !isSame(item, current)) begin(item);
        if (current !== null) current = { ...current, text: "", reasoning: "" };
        isAnswered = true;
      } else if (item.type === "tool.ended" && current?.runId === item.runId) {
        const calls = current.calls.filter(({ callId }) => callId !== item.callId);
        current = { ...current, calls };
      }
      return current;
    },
  };
}

interface Place {
  readonly runId: string;
  readonly step: number;
  readonly attempt: number;
}

function isSame(left: Place, right: Place): boolean {
  return left.runId === right.runId && left.step === right.step && left.attempt === right.attempt;
}

/**
 * True if the step `left` comes after the step `right`. `left` must be the step that was received last. A session has
 * one run at a time, so if the run ids differ, `left` belongs to the later run.
 */
function isLater(left: Place, right: Place): boolean {
  if (left.runId !== right.runId) return true;
  if (left.attempt !== right.attempt) return left.attempt > right.attempt;
  return left.step > right.step;
}

function withCall(current: InFlight, { callId, text }: DeltaItem): InFlight {
  if (callId === null) return current;
  const before = current.calls.find((call) => call.callId === callId);
  if (before === undefined) return { ...current, calls: [...current.calls, { callId, text }] };
  const grown = { callId, text: before.text + text };
  return { ...current, calls: current.calls.map((call) => (call === before ? grown : call)) };
}
