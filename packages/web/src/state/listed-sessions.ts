import type { Session } from "@holdfast/sdk";
import { workStatuses } from "@holdfast/model/wanted-sessions.ts";
import type { Wanted } from "@holdfast/model/wanted-sessions.ts";
import { holdfast } from "./client.ts";

const firstPage = 100;
const pageSize = 500;
/** Maximum number of sessions to list. */
const farthest = 5_000;

export interface Listing {
  /** All sessions with work, and as many others as wanted. Sorted by latest activity. */
  readonly sessions: readonly Session[];
  /** Whether there are less recently active sessions. */
  readonly hasMore: boolean;
}

export const nothingListed: Listing = { sessions: [], hasMore: false };

/** Lists the server's sessions for a view of the whole server. */
export async function listSessions(wanted: Wanted, signal: AbortSignal): Promise<Listing> {
  const [working, latest] = await Promise.all([listWorking(signal), listLatest(wanted, signal)]);
  const byId = new Map(
    [...latest.sessions, ...working].map((session) => [session.sessionId, session]),
  );
  const sessions = [...byId.values()].toSorted((one, two) => two.updatedAt - one.updatedAt);
  return { sessions, hasMore: latest.hasMore };
}

async function listWorking(signal: AbortSignal): Promise<readonly Session[]> {
  const query = { status: workStatuses, limit: pageSize, signal };
  const found: Session[] = [];
  for await (const session of holdfast.sessions.each(query)) {
    found.push(session);
    if (found.length >= farthest) break;
  }
  return found;
}

async function listLatest(wanted: Wanted, signal: AbortSignal): Promise<Listing> {
  let sessions: readonly Session[] = [];
  let after: string | null = null;
  do {
    const limit = after === null ? firstPage : pageSize;
    const page = await holdfast.sessions.list({ limit, signal, ...(after !== null && { after }) });
    sessions = [...sessions, ...page.items];
    after = page.cursor;
  } while (after !== null && sessions.length < farthest && !isEnough(sessions, wanted));
  return { sessions, hasMore: after !== null };
}

function isEnough(listed: readonly Session[], { since, latest }: Wanted): boolean {
  return listed.length >= latest && (listed.at(-1)?.updatedAt ?? Infinity) < since;
}
