import type { LaneEvent } from "../../kernel/event.ts";
import type { KnownLane } from "./lane-cache.ts";
import { StoreError } from "../store-error.ts";

/** Finds positions of a lane's newest events: the events of this commit, and earlier ones that the lane's row lists. */
export interface Places {
  /**
   * Returns the position of the event with this number in the session (`seq`). Null if the event is too old to be known
   * here.
   */
  at(seq: number): number | null;
  /** True if the event with that seq belongs to this commit. */
  isNew(seq: number): boolean;
  /** Returns the position of this commit's event that settles the prompt; null if there is none. */
  settled(promptId: string): number | null;
}

export function placesOf(
  known: KnownLane | null,
  commit: { events: readonly LaneEvent[]; positions: readonly number[] },
): Places {
  const { events, positions } = commit;
  const recent = known?.recent ?? [];
  const first = events[0]?.seq ?? 0;
  const settled = new Map<string, number>();
  for (const [index, event] of events.entries()) {
    if (event.type !== "prompt.settled") continue;
    if (settled.has(event.promptId)) throw settledTwice(event);
    settled.set(event.promptId, positions[index] ?? 0);
  }
  return {
    at: (seq) => positions[seq - first] ?? recent[recent.length + seq - first] ?? null,
    isNew: (seq) => seq >= first,
    settled: (promptId) => settled.get(promptId) ?? null,
  };
}

/** Builds the error for a second outcome of a prompt. The rules exclude this case; the store checks it as well (P2). */
export function settledTwice(prompt: { sessionId: string; promptId: string }): StoreError {
  const { sessionId, promptId } = prompt;
  return new StoreError(
    "storeViolation",
    `prompt ${promptId} of session ${sessionId} already has an outcome. Nothing was stored; please report it`,
  );
}
