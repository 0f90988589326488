import type { LaneEvent } from "../../kernel/event.ts";
import { checkLimit } from "../limits.ts";
import type { FeedPage, Page } from "../store.ts";
import {
  decodeCursor,
  emptySnapshot,
  encodeCursor,
  markLength,
  snapshotEnd,
  trimSnapshot,
} from "./cursor.ts";
import type { Cursor, Mark } from "./cursor.ts";
import type { Rows } from "./database.ts";

/**
 * Reads the events of all sessions. Each page has the events that were committed between two database snapshots, so an
 * event that is committed late is in a later page and never skipped.
 */
export async function readFeed(
  database: Rows,
  read: { storeId: string; page: Page<string> },
): Promise<FeedPage> {
  const { storeId, page } = read;
  const limit = checkLimit(page.limit);
  const start: Cursor = { storeId, from: emptySnapshot, window: null, mark: null };
  let cursor = page.after === null ? start : decodeCursor(page.after);
  if (cursor === null || cursor.storeId !== storeId) return resetFeed(database, storeId);

  const events: LaneEvent[] = [];
  const cursors: string[] = [];
  for (;;) {
    const room = limit - events.length;
    const found: Window = await readWindow(database, { cursor, limit: room + 1 });
    if (isOfAnotherPast(cursor, found)) return resetFeed(database, storeId);
    const rows = found.rows.slice(0, room);
    const isWithin: boolean = cursor.window !== null;
    const to: string = cursor.window?.to ?? trimSnapshot(found.snapshot, found.lastWriter);
    const mark: Mark | null = isWithin ? cursor.mark : found.mark;
    const { from } = cursor;
    for (const { event, position } of rows) {
      events.push(event);
      cursors.push(encodeCursor({ storeId, from, window: { to, position }, mark }));
    }
    const last = rows.at(-1);
    if (found.rows.length > room) {
      const position = last?.position ?? cursor.window?.position ?? 0;
      cursor = { ...cursor, window: { to, position }, mark };
      return { status: "events", events, cursors, cursor: encodeCursor(cursor), more: true };
    }
    cursor = { storeId, from: to, window: null, mark };
    if (!isWithin) {
      return { status: "events", events, cursors, cursor: encodeCursor(cursor), more: false };
    }
  }
}

interface Window {
  readonly snapshot: string;
  /** The last transaction in the snapshot that wrote an event. */
  readonly lastWriter: string | null;
  /**
   * Identifies an event that the transaction `lastWriter` wrote. Later reads use it to notice that the database was
   * restored from a backup.
   */
  readonly mark: Mark | null;
  /** True if the event in the cursor's `mark` exists, or if the cursor has no mark. */
  readonly isMarkHere: boolean;
  readonly rows: readonly { readonly position: number; readonly event: LaneEvent }[];
}

/**
 * Reads the events that were committed after the cursor's first database snapshot and are visible in its second one. If
 * the cursor has only one snapshot, reads all events that have been committed since.
 */
async function readWindow(
  database: Rows,
  read: { cursor: Cursor; limit: number },
): Promise<Window> {
  const { cursor, limit } = read;
  const { from, window, mark } = cursor;
  const isSince = window === null && from !== emptySnapshot;
  const rows = await database.rows<{
    snapshot: string;
    last_writer: string | null;
    mark_position: number | null;
    mark_commit: string | null;
    is_mark_here: boolean;
    position: number | null;
    event: LaneEvent | null;
  }>({
    // Prepare the statement only if it finds events by transaction id: then one query plan fits every cursor.
    ...(isSince ? { name: "feed-since" } : {}),
    text: `
      SELECT pg_current_snapshot()::text AS snapshot, last.tx::text AS last_writer,
        last.position AS mark_position, left(last.commit_id::text, ${markLength}) AS mark_commit,
        $5::bigint IS NULL OR EXISTS (SELECT FROM events
          WHERE position = $5 AND left(commit_id::text, ${markLength}) = $6) AS is_mark_here,
        page.position, page.event
      FROM (SELECT) AS always
      LEFT JOIN (SELECT tx, position, commit_id FROM events ORDER BY tx DESC LIMIT 1) AS last ON true
      LEFT JOIN (
        SELECT position, event FROM events
        WHERE tx >= pg_snapshot_xmin($1::pg_snapshot)
          AND NOT pg_visible_in_snapshot(tx, $1::pg_snapshot)
          AND ($2::pg_snapshot IS NULL OR pg_visible_in_snapshot(tx, $2::pg_snapshot))
          AND ${isSince ? byTransaction : byPosition}
        ORDER BY position LIMIT $4) AS page ON true
      ORDER BY page.position`,
    values: [
      from,
      window?.to ?? null,
      window?.position ?? 0,
      limit,
      mark?.position ?? null,
      mark?.commit ?? null,
    ],
  });
  const [first] = rows;
  const { mark_position: position = null, mark_commit: commit = null } = first ?? {};
  return {
    snapshot: first?.snapshot ?? emptySnapshot,
    lastWriter: first?.last_writer ?? null,
    mark: position === null || commit === null ? null : { position, commit },
    isMarkHere: first?.is_mark_here ?? true,
    rows: rows.flatMap(({ position, event }) =>
      position === null || event === null ? [] : [{ position, event }],
    ),
  };
}

/**
 * SQL condition that finds events by their position in the log. Used to read from the start of the log, and to read the
 * rest of a range of events that did not fit in one page.
 */
const byPosition = "position > $3";
/**
 * SQL condition that finds events by transaction id. The comparison of `tx` is always true; without it, PostgreSQL may
 * read the whole log in order of position if it has no statistics. `position + 0` prevents the use of the index on
 * positions.
 */
const byTransaction = "tx < pg_snapshot_xmax(pg_current_snapshot()) AND position + 0 > $3";

/** True if the cursor refers to events that this database does not have, because it was restored from a backup. */
function isOfAnotherPast(cursor: Cursor, { snapshot, isMarkHere }: Window): boolean {
  const end = snapshotEnd(snapshot);
  const isAhead =
    snapshotEnd(cursor.from) > end || snapshotEnd(cursor.window?.to ?? emptySnapshot) > end;
  return isAhead || !isMarkHere;
}

async function resetFeed(database: Rows, storeId: string): Promise<FeedPage> {
  return { status: "reset", cursor: await readFeedEnd(database, storeId) };
}

export async function readFeedEnd(database: Rows, storeId: string): Promise<string> {
  const nothing = { to: emptySnapshot, position: 0 };
  const cursor = { storeId, from: emptySnapshot, window: nothing, mark: null };
  const { snapshot, lastWriter, mark } = await readWindow(database, { cursor, limit: 0 });
  const from = trimSnapshot(snapshot, lastWriter);
  return encodeCursor({ storeId, from, window: null, mark });
}

/**
 * Milliseconds by which the order of positions may differ from the order of times, because nodes write concurrently.
 */
const skew = 60_000;

/** Returns a cursor before the first event at or after the time. Some earlier events may follow the cursor as well. */
export async function readFeedAt(
  database: Rows,
  { storeId, time }: { storeId: string; time: number },
): Promise<string> {
  const nothing = { to: emptySnapshot, position: 0 };
  const start = { storeId, from: emptySnapshot, window: nothing, mark: null };
  const { snapshot, lastWriter, mark } = await readWindow(database, { cursor: start, limit: 0 });
  const to = trimSnapshot(snapshot, lastWriter);
  const [last] = await database.rows<{ position: number }>({
    text: "SELECT coalesce(max(position), 0)::bigint AS position FROM events",
  });
  let [low, high] = [0, last?.position ?? 0];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const [row] = await database.rows<{ at: number }>({
      text: "SELECT at FROM events WHERE position <= $1 ORDER BY position DESC LIMIT 1",
      values: [middle],
    });
    if ((row?.at ?? 0) < time - skew) low = middle;
    else high = middle - 1;
  }
  return encodeCursor({ storeId, from: emptySnapshot, window: { to, position: low }, mark });
}
