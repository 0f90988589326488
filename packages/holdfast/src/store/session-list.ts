import { attention } from "../kernel/attention.ts";
import type { Attention } from "../kernel/attention.ts";
import { sessionStatus } from "../kernel/session-status.ts";
import type { SessionStatus } from "../kernel/session-status.ts";
import type { LaneState } from "../kernel/state.ts";

// What stands beside a lane's state in its row, so that a list of sessions parses only the states that
// it shows. All of it follows from the log, and is worked out here for every store.

export interface SessionSummary {
  readonly state: LaneState;
  readonly createdAt: number;
  /** When the session's last event happened. */
  readonly updatedAt: number;
}

export interface SessionQuery {
  /** The project folder, exactly. */
  readonly directory?: string;
  /** Only sessions in one of these folders, or below one. */
  readonly directories?: readonly string[];
  /** Part of the title, the directory or the id; upper and lower case are the same. */
  readonly search?: string;
  /** Null or left out for both. */
  readonly archived?: boolean | null;
  /** Only those that are doing one of these. */
  readonly statuses?: readonly SessionStatus[];
  /** The children of this session; null for sessions without a parent. */
  readonly parent?: string | null;
  /** True for deleted sessions alone; otherwise they are left out. */
  readonly deleted?: boolean;
  readonly limit: number;
  /** The cursor of the page before: isSessionCursor() tells whether it can be one. */
  readonly after: string | null;
}

/**
 * Where sessions with some statuses are looked for. No column has the status, which changes too often:
 * `attended` are those with an owner, a time that is due, an open ask, or something ready, which an
 * index has each; `unsettled` are those whose state names a run, a queue or a hold; else all are.
 */
export type Whereabouts = "attended" | "unsettled" | "anywhere";

export function whereabouts({ statuses }: Pick<SessionQuery, "statuses">): Whereabouts {
  if (statuses === undefined || statuses.includes("idle") || statuses.includes("deleted")) {
    return "anywhere";
  }
  // A hold alone calls for nobody, and neither does a run that waits for its children.
  return statuses.includes("held") || statuses.includes("cutOff") ? "unsettled" : "attended";
}

/** What the text of a stored state contains, of which a session that is not idle has one. */
export const unsettledMarks: readonly string[] = ['"active":', '"queue":', '"holds":'];

/** Picks those with one of the statuses out of what was found. */
export function withStatus(
  sessions: readonly SessionSummary[],
  { statuses }: Pick<SessionQuery, "statuses">,
): readonly SessionSummary[] {
  if (statuses === undefined) return sessions;
  return sessions.filter(({ state }) => statuses.includes(sessionStatus(state)));
}

/** How many are read at a time where some of them may be left out. */
export function readAtOnce({ statuses }: Pick<SessionQuery, "statuses">, wanted: number): number {
  return statuses === undefined ? wanted : Math.max(wanted, 200);
}

export interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  /** Null when there is nothing behind this page. */
  readonly cursor: string | null;
}

/** What lists filter by. */
export interface Labels {
  readonly deleted: boolean;
  readonly archived: boolean;
  readonly parent: string | null;
  /** All that a search looks at. */
  readonly search: string;
}

export interface StoredLane extends SessionSummary {
  readonly directory: string;
  readonly labels: Labels;
  readonly attention: Omit<Attention, "ready"> & { readonly ready: string | null };
}

/** What must stand beside this state. */
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

/** As it is stored and looked for: any database can hold it, and case makes no difference. */
export function searchable(text: string): string {
  return text.replaceAll("\0", "").toWellFormed().toLowerCase();
}

/**
 * How the JSON texts of all directories in or below one of these begin, if each ends in a slash: as
 * such texts they are stored, since neither database has a type of text that holds every string.
 */
export function beginnings(directories: readonly string[]): string[] {
  return directories.map((directory) => {
    const folder = directory.endsWith("/") ? directory : `${directory}/`;
    return JSON.stringify(folder).slice(0, -1);
  });
}

/** The last session of a page. */
export interface SessionPlace {
  readonly updatedAt: number;
  readonly sessionId: string;
}

export function isSessionCursor(text: string): boolean {
  return placeOf(text) !== null;
}

export function readSessionCursor(text: string): SessionPlace {
  const place = placeOf(text);
  if (place === null) throw new RangeError("this is no cursor of a list of sessions");
  return place;
}

/** A list goes on behind this session. */
export function placeIn({ updatedAt, state }: SessionSummary): SessionPlace {
  return { updatedAt, sessionId: state.sessionId };
}

export function pageOf(sessions: readonly SessionSummary[], limit: number): SessionPage {
  const last = sessions.length < limit ? undefined : sessions.at(-1);
  if (last === undefined) return { sessions, cursor: null };
  return { sessions, cursor: sessionCursor(placeIn(last)) };
}

/** The order of lists. Ids compare by their bytes, as in the databases. */
export function latestFirst(left: SessionSummary, right: SessionSummary): number {
  const later = right.updatedAt - left.updatedAt;
  if (later !== 0) return later;
  return Buffer.compare(Buffer.from(right.state.sessionId), Buffer.from(left.state.sessionId));
}

/** So many are sorted sooner than they are picked out of all that are in order. */
export const fewSessions = 1_000;

/** Behind it come sessions with earlier activity. */
export function sessionCursor({ updatedAt, sessionId }: SessionPlace): string {
  return Buffer.from(`${updatedAt} ${sessionId}`).toString("base64url");
}

function placeOf(text: string): SessionPlace | null {
  const found = /^(\d{1,15}) ([^\0]{1,200})$/s.exec(Buffer.from(text, "base64url").toString());
  const [, updatedAt, sessionId] = found ?? [];
  if (updatedAt === undefined || sessionId === undefined) return null;
  return { updatedAt: Number(updatedAt), sessionId };
}
