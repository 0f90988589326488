import type { Session, SessionStatus } from "@holdfast/sdk";

/** Which sessions a view of the whole server wants: all that have work, whenever they did something. */
export interface Wanted {
  /** Those that did something at this time or later. */
  readonly since: number;
  /** At least so many of those that did something last. */
  readonly latest: number;
}

export interface Choice {
  /** Those with work first, then those that did something last. */
  readonly sessions: readonly Session[];
  /** Sessions that are wanted, of which `sessions` are as many as can be shown. */
  readonly wanted: number;
  /** Whether sessions without work are left out because others did something later. */
  readonly hasEarlier: boolean;
}

/** `listed`: latest activity first. */
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

/** Each of them, or it does not compile. */
const work: Readonly<Record<WorkStatus, true>> = {
  queued: true,
  running: true,
  asking: true,
  stopping: true,
  cutOff: true,
  working: true,
  held: true,
};

/** Whether something runs, waits, needs somebody or is held in it. */
export function hasWork({ status }: Pick<Session, "status">): boolean {
  return isWork(status);
}

function isWork(status: string): status is WorkStatus {
  return Object.hasOwn(work, status);
}

export const workStatuses: readonly WorkStatus[] = Object.keys(work).filter(isWork);
