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
  /** Durable, or nothing was to be written. */
  | {
      readonly status: "written";
      readonly outcomes: readonly Outcome[];
      readonly lanes: readonly CommittedLane[];
    }
  /** Another commit came between; nothing was written. */
  | { readonly status: "conflict" }
  /** Nothing was written: other lanes are touched, so all of them must be locked. */
  | { readonly status: "needsLock" }
  /** Nothing was to be written, but that was decided from memory. */
  | { readonly status: "unread" };

/** A lane as it was committed, and the time of its last event. */
export interface CommittedLane {
  readonly state: LaneState;
  readonly at: number;
}

export function committedLanes(batch: Batch): CommittedLane[] {
  return [...batch.lanes.values()].flatMap(({ events, state }) => {
    const at = events.at(-1)?.at;
    return at === undefined || state === null ? [] : [{ state, at }];
  });
}
