import type { SessionItem } from "./session-stream.ts";
import type { DeltaItem } from "./stream-item.ts";

/** A step as far as it has come. What the log holds by now is not here. */
export interface InFlight {
  readonly runId: string;
  readonly step: number;
  readonly attempt: number;
  readonly text: string;
  readonly reasoning: string;
  /** Live output of calls that have no result yet. */
  readonly calls: readonly { readonly callId: string; readonly text: string }[];
}

export interface InFlightTracker {
  /** What to show now, or null when no step is in flight. */
  readonly current: InFlight | null;
  /** Takes the next item of a session's stream, or of a prompt's, and answers what to show then. */
  take(item: SessionItem): InFlight | null;
}

/**
 * Puts deltas together. They are extra and may be taken back (T3): by a step that begins anew, by
 * another attempt at the run, by a cut of the stream, and by the event that holds them for good.
 */
export function trackInFlight(): InFlightTracker {
  let current: InFlight | null = null;
  /** The model's answer is in the log: of this step only the calls' output may still come. */
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

/** Runs have no order among their ids; there is one at a time, so another one is a later one. */
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
