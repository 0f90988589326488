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

/** Result of one attempt to decide a group of requests and commit their events. */
export type Attempt =
  /** Committed, or nothing had to be written. */
  | {
      readonly status: "written";
      readonly outcomes: readonly Outcome[];
      readonly lanes: readonly CommittedLane[];
    }
  /** Another commit came first; nothing was written. */
  | { readonly status: "conflict" }
  /**
   * Nothing was written: the requests also affect other sessions, so they must be decided again with all these sessions
   * locked.
   */
  | { readonly status: "needsLock" }
  /** Nothing had to be written, but the decision used only cached state, so it must be repeated on stored state. */
  | { readonly status: "unread" };

/** A committed lane and the time of its last event. */
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
