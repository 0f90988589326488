import type { Session, SessionsQuery, SessionStatus } from "@holdfast/sdk";
import { matchScore } from "./match.ts";

/** The filters of the session list. */
export const shownKinds = [
  "all",
  "asking",
  "running",
  "queued",
  "held",
  "idle",
  "archived",
] as const;
export type ShownKind = (typeof shownKinds)[number];

export interface SessionFilter {
  readonly search: string;
  readonly show: ShownKind;
}

type Asked = Exclude<SessionStatus, "deleted">;

/** Statuses that belong to each filter. */
const statuses: Readonly<Record<Exclude<ShownKind, "all" | "archived">, readonly Asked[]>> = {
  asking: ["asking"],
  running: ["running", "stopping", "working"],
  queued: ["queued"],
  held: ["held", "cutOff"],
  idle: ["idle"],
};

export function isShown(session: Session, { search, show }: SessionFilter): boolean {
  if (session.archived !== (show === "archived")) return false;
  if (show !== "all" && show !== "archived") {
    const wanted: readonly SessionStatus[] = statuses[show];
    if (!wanted.includes(session.status)) return false;
  }
  const { title, directory, sessionId } = session;
  return search.trim() === "" || matchScore(`${title} ${directory} ${sessionId}`, search) > 0;
}

/**
 * Returns the filter as a query for the server, which also knows sessions that are not loaded. The server searches
 * for one text, so send the longest word: it matches the fewest sessions.
 */
export function filterQuery({ search, show }: SessionFilter): SessionsQuery {
  const [longest = ""] = search.split(/\s+/).toSorted((one, two) => two.length - one.length);
  return {
    archived: show === "archived",
    ...(longest === "" ? {} : { search: longest }),
    ...(show === "all" || show === "archived" ? {} : { status: statuses[show] }),
  };
}
