import type { RevertPlan } from "../revert.ts";
import type { WorkView } from "../views/work.ts";
import type { ByActor } from "./command-parts.ts";

/** Exclusive work on a session: it has a place in the queue and keeps runs out meanwhile (M8). */
export interface WorkCommands {
  /** Answers when it is durable; whichever process gets to it does it. */
  queueWork(input: WorkInput): Promise<WorkView>;
  /** The work once it has ended, or as it is when the signal aborts first; null if unknown. */
  waitWork(target: WorkTarget & { signal?: AbortSignal }): Promise<WorkView | null>;
  /** What undoing a run's file changes would do; changes nothing. */
  planRevert(target: { sessionId: string; runId: string }): Promise<RevertPlan>;
  /** Queues a revert and waits for its end; `result` is a RevertReport when it was done. */
  revert(input: RevertInput): Promise<WorkView>;
}

export interface WorkTarget {
  readonly sessionId: string;
  readonly workId: string;
}

export interface WorkInput extends ByActor {
  readonly sessionId: string;
  readonly workId?: string;
  readonly name: string;
  /** What the work is to do, as JSON. */
  readonly input: unknown;
}

export interface RevertInput extends ByActor {
  readonly sessionId: string;
  readonly runId: string;
  readonly workId?: string;
  /** Also files that somebody else has changed since. */
  readonly overwrite?: boolean;
  readonly signal?: AbortSignal;
}
