import type { LaneEvent } from "../../kernel/event.ts";
import type { KnownLane } from "./lane-cache.ts";
import { StoreError } from "../store-error.ts";

/** Where a lane's newest events are: those of a commit, and those before it that its row remembers. */
export interface Places {
  /** The position of the event with that seq; null when it is further back. */
  at(seq: number): number | null;
  /** Whether the event with that seq is of this commit. */
  isNew(seq: number): boolean;
  /** The position of the event of this commit that settles the prompt; null when there is none. */
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

/** Behind the rules: a prompt has one outcome (P2). */
export function settledTwice(prompt: { sessionId: string; promptId: string }): StoreError {
  const { sessionId, promptId } = prompt;
  return new StoreError(
    "storeViolation",
    `prompt ${promptId} of session ${sessionId} has an outcome already. Nothing was stored; please report it`,
  );
}
