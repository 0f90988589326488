import type { Batch } from "../../kernel/transaction.ts";
import { committedLanes } from "./attempt.ts";
import type { CommittedLane } from "./attempt.ts";
import type { Queryable } from "./connection.ts";
import { isConnectionLost } from "./errors.ts";
import type { Outcome } from "./group.ts";

/** A commit whose connection broke before the answer, so the commit may or may not have happened. */
export interface Doubt {
  /** A lane that the commit wrote events to. */
  readonly sessionId: string;
  /** Returns the commit's result, or null if it did not happen. Call this with the lane locked. */
  readonly find: (connection: Queryable) => Promise<Happened | null>;
}

export interface Happened {
  readonly outcomes: readonly Outcome[];
  readonly lanes: readonly CommittedLane[];
}

export class CommitInDoubt extends Error {
  readonly doubt: Doubt;

  constructor(doubt: Doubt, cause: unknown) {
    super("the connection broke during a commit", { cause });
    this.doubt = doubt;
  }
}

/**
 * Returns the error to throw for a failed commit. If the connection broke and the commit wrote events, returns a
 * CommitInDoubt: its `find` looks up whether the commit was stored. A commit without events only stores replies to
 * cancel requests. Repeating it is safe, because each cancel request has an id.
 */
export function inDoubt(
  error: unknown,
  commit: { commitId: string; batch: Batch; outcomes: readonly Outcome[] },
): unknown {
  if (!isConnectionLost(error)) return error;
  const { commitId, batch, outcomes } = commit;
  for (const [sessionId, lane] of batch.lanes) {
    if (lane.events.length === 0) continue;
    const find = async (connection: Queryable): Promise<Happened | null> => {
      const { rowCount } = await connection.query({
        name: "find-commit",
        text: "SELECT FROM events WHERE session_id = $1 AND seq = $2 AND commit_id = $3",
        values: [sessionId, lane.base + 1, commitId],
      });
      return rowCount === 1 ? { outcomes, lanes: committedLanes(batch) } : null;
    };
    return new CommitInDoubt({ sessionId, find }, error);
  }
  return error;
}
