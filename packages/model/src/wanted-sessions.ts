import type { Session, SessionStatus } from "@holdfast/sdk";

/** Selects the sessions for a view of the whole server: all with unfinished work, and recent ones. */
export interface Wanted {
  /** Include sessions that were active at this time or later. */
  readonly since: number;
  /** Include at least this many of the most recently active sessions. */
  readonly latest: number;
}

export interface Choice {
  /** Sessions with work come first, then the others by latest activity. */
  readonly sessions: readonly Session[];
  /** Number of sessions that match; `sessions` may contain fewer because of the limit. */
  readonly wanted: number;
  /** True if sessions without work are left out because their last activity was too long ago. */
  readonly hasEarlier: boolean;
}

/** Selects sessions. `listed` must be sorted by latest activity. */
export function chooseSessions(
  listed: readonly Session[],
  wanted: Wanted & { readonly most: number },
): Choice {
  const chosen = listed.filter(
    (session, place) =>
      hasWork(session) || session.updatedAt >= wanted.since || place < wanted.latest,
  );
  const byWork = [...chosen.filter(hasWork), ...chosen.filter((session) => !hasWork(session))];
  return {
    sessions: byWork.slice(0, wanted.most),
    wanted: chosen.length,
    hasEarlier: chosen.length < listed.length,
  };
}

type WorkStatus = Exclude<SessionStatus, "idle" | "deleted">;

/** A record instead of an array: the compiler reports a missing status. */
const work: Readonly<Record<WorkStatus, true>> = {
  queued: true,
  running: true,
  asking: true,
  stopping: true,
  cutOff: true,
  working: true,
  held: true,
};

/** Whether something in the session runs, waits, needs an answer or is held. */
export function hasWork({ status }: Pick<Session, "status">): boolean {
  return Object.hasOwn(work, status);
}

/** Whether the session waits for a person: a request is open, or the session is paused after a crash. */
export function needsPerson({ status, holds }: Pick<Session, "status" | "holds">): boolean {
  return (
    status === "asking" || (status === "held" && holds.some(({ kind }) => kind === "recovery"))
  );
}
