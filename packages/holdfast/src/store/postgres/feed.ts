import type { LaneEvent } from "../../kernel/event.ts";
import { checkLimit } from "../limits.ts";
import type { FeedPage, Page } from "../store.ts";
import { decodeCursor, emptySnapshot, encodeCursor, snapshotEnd, trimSnapshot } from "./cursor.ts";
import type { Cursor } from "./cursor.ts";
import type { Rows } from "./database.ts";

/**
 * All sessions' events. What is between two snapshots is read in order of position; it is closed
 * under what came before within a session, since a lane's next commit waits for its last one's end.
 */
export async function readFeed(
  database: Rows,
  read: { storeId: string; page: Page<string> },
): Promise<FeedPage> {
  const { storeId, page } = read;
  const limit = checkLimit(page.limit);
  const start: Cursor = { storeId, from: emptySnapshot, window: null };
  let cursor = page.after === null ? start : decodeCursor(page.after);
  if (cursor === null || cursor.storeId !== storeId) return resetFeed(database, storeId);

  const events: LaneEvent[] = [];
  const cursors: string[] = [];
  for (;;) {
    const room = limit - events.length;
    const found: Window = await readWindow(database, { cursor, limit: room + 1 });
    if (isAhead(cursor, found.snapshot)) return resetFeed(database, storeId);
    const rows = found.rows.slice(0, room);
    const to: string = cursor.window?.to ?? trimSnapshot(found.snapshot, found.lastWriter);
    const { from } = cursor;
    for (const { event, position } of rows) {
      events.push(event);
      cursors.push(encodeCursor({ storeId, from, window: { to, position } }));
    }
    const last = rows.at(-1);
    if (found.rows.length > room) {
      const position = last?.position ?? cursor.window?.position ?? 0;
      cursor = { ...cursor, window: { to, position } };
      return { status: "events", events, cursors, cursor: encodeCursor(cursor), more: true };
    }
    const isUpToDate = cursor.window === null;
    cursor = { storeId, from: to, window: null };
    if (isUpToDate) {
      return { status: "events", events, cursors, cursor: encodeCursor(cursor), more: false };
    }
  }
}

interface Window {
  readonly snapshot: string;
  /** The last transaction that wrote an event which the snapshot shows. */
  readonly lastWriter: string | null;
  readonly rows: readonly { readonly position: number; readonly event: LaneEvent }[];
}

/** Without a window the statement's own snapshot is where it ends: only committed rows are seen. */
async function readWindow(
  database: Rows,
  read: { cursor: Cursor; limit: number },
): Promise<Window> {
  const { cursor, limit } = read;
  const rows = await database.rows<{
    snapshot: string;
    last_writer: string | null;
    position: number | null;
    event: LaneEvent | null;
  }>({
    text: `
      SELECT pg_current_snapshot()::text AS snapshot,
        (SELECT tx FROM events ORDER BY tx DESC LIMIT 1)::text AS last_writer,
        page.position, page.event
      FROM (SELECT) AS always LEFT JOIN (
        SELECT position, event FROM events
        WHERE tx >= pg_snapshot_xmin($1::pg_snapshot)
          AND NOT pg_visible_in_snapshot(tx, $1::pg_snapshot)
          AND ($2::pg_snapshot IS NULL OR pg_visible_in_snapshot(tx, $2::pg_snapshot))
          AND position > $3
        ORDER BY position LIMIT $4) AS page ON true
      ORDER BY page.position`,
    values: [cursor.from, cursor.window?.to ?? null, cursor.window?.position ?? 0, limit],
  });
  return {
    snapshot: rows[0]?.snapshot ?? emptySnapshot,
    lastWriter: rows[0]?.last_writer ?? null,
    rows: rows.flatMap(({ position, event }) =>
      position === null || event === null ? [] : [{ position, event }],
    ),
  };
}

/** The cursor knows transactions that this database never had: it was restored from a backup. */
function isAhead(cursor: Cursor, snapshot: string): boolean {
  const end = snapshotEnd(snapshot);
  return snapshotEnd(cursor.from) > end || snapshotEnd(cursor.window?.to ?? emptySnapshot) > end;
}

async function resetFeed(database: Rows, storeId: string): Promise<FeedPage> {
  return { status: "reset", cursor: await readFeedEnd(database, storeId) };
}

export async function readFeedEnd(database: Rows, storeId: string): Promise<string> {
  const nothing = { to: emptySnapshot, position: 0 };
  const cursor = { storeId, from: emptySnapshot, window: nothing };
  const { snapshot, lastWriter } = await readWindow(database, { cursor, limit: 1 });
  const from = trimSnapshot(snapshot, lastWriter);
  return encodeCursor({ storeId, from, window: null });
}
