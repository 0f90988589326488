import { attention } from "../kernel/attention.ts";
import type { Attention } from "../kernel/attention.ts";
import { sessionStatus } from "../kernel/session-status.ts";
import type { SessionStatus } from "../kernel/session-status.ts";
import type { LaneState } from "../kernel/state.ts";

// Columns beside a lane's state, so that a session list parses only the states that it shows. All values
// derive from the log; this file computes them for every store.

export interface SessionSummary {
  readonly state: LaneState;
  readonly createdAt: number;
  /** Time of the session's last event. */
  readonly updatedAt: number;
}

export interface SessionQuery {
  /** Exact path of the project directory. */
  readonly directory?: string;
  /** Only sessions in or below one of these directories. */
  readonly directories?: readonly string[];
  /** Part of the title, directory or id; case-insensitive. */
  readonly search?: string;
  /** True: only archived sessions. False: only other sessions. Null or omitted: both. */
  readonly archived?: boolean | null;
  /** Only sessions with one of these statuses. */
  readonly statuses?: readonly SessionStatus[];
  /** Only children of this session; null: sessions without a parent. */
  readonly parent?: string | null;
  /** True: only deleted sessions. Otherwise they are excluded. */
  readonly deleted?: boolean;
  readonly limit: number;
  /** Cursor of the previous page, checked with isSessionCursor(). */
  readonly after: string | null;
}

/**
 * Sessions to read for a query by status. No column contains the status, because it changes too often. `attended`:
 * sessions that have an owner, a due time, an unanswered request to people or work that can start; indexes find them.
 * `unsettled`: sessions whose stored state contains a run, a queue or a pause. `anywhere`: all sessions.
 */
export type Whereabouts = "attended" | "unsettled" | "anywhere";

export function whereabouts({ statuses }: Pick<SessionQuery, "statuses">): Whereabouts {
  if (statuses === undefined || statuses.includes("idle") || statuses.includes("deleted")) {
    return "anywhere";
  }
  // The indexes for `attended` do not contain a session that is only paused, or whose run only waits for child
  // sessions.
  return statuses.includes("held") || statuses.includes("cutOff") ? "unsettled" : "attended";
}

/** Substrings of a stored state. The state of a session that is not idle contains at least one of them. */
export const unsettledMarks: readonly string[] = ['"active":', '"queue":', '"holds":'];

/** Keeps only sessions with one of the statuses. */
export function withStatus(
  sessions: readonly SessionSummary[],
  { statuses }: Pick<SessionQuery, "statuses">,
): readonly SessionSummary[] {
  if (statuses === undefined) return sessions;
  return sessions.filter(({ state }) => statuses.includes(sessionStatus(state)));
}

/** Returns the number of rows to read at a time: more than wanted if some may be filtered out. */
export function readAtOnce({ statuses }: Pick<SessionQuery, "statuses">, wanted: number): number {
  return statuses === undefined ? wanted : Math.max(wanted, 200);
}

export interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  /** Null if this is the last page. */
  readonly cursor: string | null;
}

/** Column values by which session lists filter. */
export interface Labels {
  readonly deleted: boolean;
  readonly archived: boolean;
  readonly parent: string | null;
  /** The text that a search is matched against. */
  readonly search: string;
}

export interface StoredLane extends SessionSummary {
  readonly directory: string;
  readonly labels: Labels;
  readonly attention: Omit<Attention, "ready"> & { readonly ready: string | null };
}

/** Computes the values of the columns that are stored beside this state. */
export function besideState(
  state: LaneState,
): Pick<StoredLane, "directory" | "labels" | "attention"> {
  return { directory: state.directory, labels: labelsOf(state), attention: attention(state) };
}

export function labelsOf(state: LaneState): Labels {
  const { title, directory, sessionId } = state;
  return {
    deleted: state.status === "deleted",
    archived: state.archived,
    parent: state.parent?.sessionId ?? null,
    search: searchable([title ?? "", directory, sessionId].join("\n")),
  };
}

export interface HeldSession {
  readonly sessionId: string;
  readonly directory: string;
}

export function heldByFailure(states: readonly LaneState[]): HeldSession[] {
  return states
    .filter(({ holds }) => holds.some(({ kind }) => kind === "failure"))
    .map(({ sessionId, directory }) => ({ sessionId, directory }));
}

/** Converts text to its searchable form: lower case, storable in any database. */
export function searchable(text: string): string {
  return text.replaceAll("\0", "").toWellFormed().toLowerCase();
}

/**
 * Returns for each directory a prefix that matches the directory and everything below it. The database stores a
 * directory as a JSON string, such as `"/a"`. The query replaces the closing quote with a slash: `"/a/`. So the prefix
 * `"/a/` matches the directories `/a` and `/a/b`, but not `/ab`.
 */
export function beginnings(directories: readonly string[]): string[] {
  return directories.map((directory) => {
    const folder = directory.endsWith("/") ? directory : `${directory}/`;
    return JSON.stringify(folder).slice(0, -1);
  });
}

/** Position after the last session of a page. */
export interface SessionPlace {
  readonly updatedAt: number;
  readonly sessionId: string;
}

export function isSessionCursor(text: string): boolean {
  return placeOf(text) !== null;
}

export function readSessionCursor(text: string): SessionPlace {
  const place = placeOf(text);
  if (place === null)
    throw new RangeError(
      "the cursor does not belong to the list of sessions; use a cursor that this list returned",
    );
  return place;
}

/** Returns the position in the list of sessions directly after this session. */
export function placeIn({ updatedAt, state }: SessionSummary): SessionPlace {
  return { updatedAt, sessionId: state.sessionId };
}

export function pageOf(sessions: readonly SessionSummary[], limit: number): SessionPage {
  const last = sessions.length < limit ? undefined : sessions.at(-1);
  if (last === undefined) return { sessions, cursor: null };
  return { sessions, cursor: sessionCursor(placeIn(last)) };
}

/** Compares two sessions for the order of session lists. Ids compare by bytes, as in the databases. */
export function latestFirst(left: SessionSummary, right: SessionSummary): number {
  const later = right.updatedAt - left.updatedAt;
  if (later !== 0) return later;
  return Buffer.compare(Buffer.from(right.state.sessionId), Buffer.from(left.state.sessionId));
}

/** Largest number of matching sessions for which sorting them is faster than scanning all sessions in order. */
export const fewSessions = 1_000;

/** Encodes a cursor. The page after it has the sessions whose last activity is earlier. */
export function sessionCursor({ updatedAt, sessionId }: SessionPlace): string {
  return Buffer.from(`${updatedAt} ${sessionId}`).toString("base64url");
}

function placeOf(text: string): SessionPlace | null {
  const found = /^(\d{1,15}) ([^\0]{1,200})$/s.exec(Buffer.from(text, "base64url").toString());
  const [, updatedAt, sessionId] = found ?? [];
  if (updatedAt === undefined || sessionId === undefined) return null;
  return { updatedAt: Number(updatedAt), sessionId };
}
