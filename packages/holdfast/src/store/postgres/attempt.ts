import type { LaneState } from "../../kernel/state.ts";
import type { Batch } from "../../kernel/transaction.ts";
import type { Clock } from "./clock.ts";
import type { Database } from "./database.ts";
import type { Outcome } from "./group.ts";
import type { LaneCache } from "./lane-cache.ts";
import type { LaneCommits } from "./lane-commits.ts";
import type { Together } from "./together.ts";

export interface Context {
  readonly database: Database;
  readonly clock: Clock;
  readonly cache: LaneCache;
  readonly commits: LaneCommits;
  readonly states: Together<LaneState>;
}

/** What one try to decide and commit a group came to. */
export type Attempt =
  /** Durable, or nothing was to be written. `states` are the written lanes' new ones. */
  | {
      readonly status: "written";
      readonly outcomes: readonly Outcome[];
      readonly states: readonly LaneState[];
    }
  /** Another commit came between; nothing was written. */
  | { readonly status: "conflict" }
  /** Nothing was written: other lanes are touched, so all of them must be locked. */
  | { readonly status: "needsLock" }
  /** Nothing was to be written, but that was decided from memory. */
  | { readonly status: "unread" };

export function statesOf(batch: Batch): LaneState[] {
  return [...batch.lanes.values()].flatMap(({ events, state }) =>
    events.length > 0 && state !== null ? [state] : [],
  );
}
