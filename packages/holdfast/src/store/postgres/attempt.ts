import type { LaneState } from "../../kernel/state.ts";
import type { Batch } from "../../kernel/transaction.ts";
import type { Clock } from "./clock.ts";
import type { Database } from "./database.ts";
import { isConnectionLost } from "./errors.ts";
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

/** A commit whose connection broke before its answer came: it may have happened. */
export interface Doubt {
  readonly commitId: string;
  /** A lane that the commit wrote events to, and where its log ended before. */
  readonly sessionId: string;
  readonly base: number;
  readonly outcomes: readonly Outcome[];
  readonly states: readonly LaneState[];
}

export class CommitInDoubt extends Error {
  readonly doubt: Doubt;

  constructor(doubt: Doubt, cause: unknown) {
    super("the connection broke during a commit", { cause });
    this.doubt = doubt;
  }
}

/**
 * The error of a commit that may have happened all the same, if it left events to be found by. One
 * that wrote receipts only may be repeated: their cancel ids make it the same.
 */
export function inDoubt(
  error: unknown,
  commit: { commitId: string; batch: Batch; outcomes: readonly Outcome[] },
): unknown {
  if (!isConnectionLost(error)) return error;
  const { commitId, batch, outcomes } = commit;
  const states = statesOf(batch);
  for (const [sessionId, lane] of batch.lanes) {
    if (lane.events.length === 0) continue;
    return new CommitInDoubt({ commitId, sessionId, base: lane.base, outcomes, states }, error);
  }
  return error;
}

export function statesOf(batch: Batch): LaneState[] {
  return [...batch.lanes.values()].flatMap(({ events, state }) =>
    events.length > 0 && state !== null ? [state] : [],
  );
}
