import { Refused } from "@holdfast/sdk";
import type { FeedItem, Session, SessionDetail } from "@holdfast/sdk";
import { createSignal } from "solid-js";
import { createStore, produce, reconcile, unwrap } from "solid-js/store";
import { changesLane } from "@holdfast/model/lane-events.ts";
import { filterQuery } from "@holdfast/model/session-filter.ts";
import type { SessionFilter } from "@holdfast/model/session-filter.ts";
import { holdfast } from "./client.ts";
import { onFeed } from "./feed.ts";

const pageSize = 200;

const [byId, setById] = createStore<Record<string, Session>>({});
const [version, setVersion] = createSignal(0);
const [filter, setFilter] = createSignal<SessionFilter>({ search: "", show: "all" });
const [cursor, setCursor] = createSignal<string | null>(null);
const [isLoaded, setLoaded] = createSignal(false);

/** All known sessions, by id. */
export const sessions: Readonly<Record<string, Session>> = byId;
export const sessionsLoaded = isLoaded;
/** Whether the server has more sessions that match the filter. */
export const hasMoreSessions = (): boolean => cursor() !== null;
/** The filter of the session list. */
export const sessionFilter = filter;

/** All known sessions. Reading this subscribes to one version counter, not to every field. */
export function allSessions(): readonly Session[] {
  version();
  return Object.values(unwrap(byId));
}

/** Changes the filter. The caller must call `loadSessions` to load the matching sessions. */
export function filterSessions(change: Partial<SessionFilter>): void {
  lists += 1;
  setCursor(null);
  setFilter((before) => ({ ...before, ...change }));
}

/** Number of the current list request. Responses to earlier requests are ignored. */
let lists = 0;
let isLoadingMore = false;

export async function loadSessions(): Promise<void> {
  lists += 1;
  await loadPage(undefined);
  setLoaded(true);
}

export async function loadMoreSessions(): Promise<void> {
  const after = cursor();
  if (after === null || isLoadingMore) return;
  isLoadingMore = true;
  try {
    await loadPage(after);
  } finally {
    isLoadingMore = false;
  }
}

async function loadPage(after: string | undefined): Promise<void> {
  const list = lists;
  const page = await holdfast.sessions.list({ ...filterQuery(filter()), limit: pageSize, after });
  putSessions(page.items);
  if (list === lists) setCursor(page.cursor);
}

/** Searches on the server, because the page has not loaded all sessions. Adds the found sessions to the loaded ones. */
export async function searchSessions(search: string): Promise<void> {
  const query = filterQuery({ search, show: "all" });
  putSessions((await holdfast.sessions.list({ ...query, limit: 50 })).items);
}

/** Queue and active run of a session, kept up to date while a view shows them. */
const [details, setDetails] = createStore<Record<string, SessionDetail>>({});
const watched = new Map<string, number>();

export function detailOf(sessionId: string): SessionDetail | null {
  return details[sessionId] ?? null;
}

/** Updates a session's details after each event until the returned function is called. The caller loads them first. */
export function watchDetail(sessionId: string): () => void {
  watched.set(sessionId, (watched.get(sessionId) ?? 0) + 1);
  return () => {
    const left = (watched.get(sessionId) ?? 1) - 1;
    if (left > 0) watched.set(sessionId, left);
    else watched.delete(sessionId);
  };
}

export function putSession(session: Session | SessionDetail): void {
  putSessions([session]);
  if ("queue" in session) setDetails(session.sessionId, reconcile(session, { key: null }));
}

export function putSessions(items: readonly Session[]): void {
  setById(
    produce((known) => {
      for (const session of items) {
        const { sessionId, status, seq } = session;
        const isDoubted = doubted.delete(sessionId);
        if (status === "deleted") delete known[sessionId];
        // Ignore a response that is older than the known state.
        else if (isDoubted || (known[sessionId]?.seq ?? -1) <= seq) known[sessionId] = session;
      }
    }),
  );
  setVersion((count) => count + 1);
}

const stale = new Set<string>();
let isRefreshing = false;
/** Events arrive in bursts. Wait this many milliseconds, then request each changed session once. */
const burst = 30;

/** Schedules a reload of a session from the server. */
export function refreshSession(sessionId: string): void {
  stale.add(sessionId);
  if (isRefreshing) return;
  isRefreshing = true;
  setTimeout(() => void refreshStale(), burst);
}

async function refreshStale(): Promise<void> {
  while (stale.size > 0) {
    const batch = [...stale].slice(0, 6);
    for (const sessionId of batch) stale.delete(sessionId);
    // If a session cannot be read, keep its last known state until its next event.
    await Promise.all(batch.map((sessionId) => refreshOne(sessionId).catch(() => {})));
  }
  isRefreshing = false;
}

async function refreshOne(sessionId: string): Promise<void> {
  try {
    const detail = await holdfast.session(sessionId).get();
    putSessions([detail]);
    if (watched.has(sessionId)) setDetails(sessionId, reconcile(detail, { key: null }));
  } catch (error) {
    if (error instanceof Refused && error.status !== 401) forget([sessionId]);
    throw error;
  }
}

function forget(sessionIds: readonly string[]): void {
  setById(
    produce((known) => {
      for (const sessionId of sessionIds) {
        doubted.delete(sessionId);
        delete known[sessionId];
      }
    }),
  );
  setVersion((count) => count + 1);
}

/** Sessions that were loaded before a backup was restored: for these, a lower seq does not mean an older state. */
const doubted = new Set<string>();

/** Reloads all sessions, because events were skipped or a backup was restored. */
async function reloadSessions(): Promise<void> {
  for (const sessionId of Object.keys(unwrap(byId))) doubted.add(sessionId);
  await loadSessions();
  const left = [...doubted];
  for (const sessionId of left.filter((id) => watched.has(id))) refreshSession(sessionId);
  forget(left.filter((id) => !watched.has(id)));
}

onFeed((item: FeedItem) => {
  // If this fails, keep the known sessions until the next reset or reload.
  if (item.type === "reset") void reloadSessions().catch(() => {});
  else if (changesLane(item)) refreshSession(item.sessionId);
});
