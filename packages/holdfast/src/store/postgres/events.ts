import type { LaneEvent } from "../../kernel/event.ts";
import { checkLimit } from "../limits.ts";
import type { EventPage } from "../store.ts";
import type { Database } from "./database.ts";
import { storable } from "./lane-read.ts";
import { Together } from "./together.ts";

export type EventReads = (sessionId: string, page: EventPage) => Promise<readonly LaneEvent[]>;

/** Reads events of a session. Concurrent reads of short pages share a statement. */
export function eventReads(database: Database): EventReads {
  const short = shortPages(database);
  return async (sessionId, page) => {
    const { after, limit, types, subject } = page;
    const isShort = types === undefined && subject === undefined && limit <= maxShort;
    if (!isShort) return readEvents(database, { sessionId, page });
    const key = [storable(sessionId), after ?? 0, checkLimit(limit)].join(keySeparator);
    return (await short.row(key)) ?? [];
  };
}

/**
 * A page of at most this many events is read together with other short pages, in one statement. A longer page gets its
 * own statement, so that the short pages do not wait for it.
 */
const maxShort = 120;

/** Separates the parts of a key. No stored id contains it. */
const keySeparator = "\0";

function shortPages(database: Database): Together<readonly LaneEvent[]> {
  return new Together<readonly LaneEvent[]>(async (keys) => {
    const pages = keys.map((key) => key.split(keySeparator));
    const rows = await database.rows<{ page: number; event: LaneEvent }>({
      // Not prepared: a query plan that was made for a short log would scan the whole log when the log is long.
      text: `
        SELECT wanted.page, found.event
        FROM unnest($1::text[], $2::bigint[], $3::bigint[]) WITH ORDINALITY
            AS wanted (session_id, after, most, page)
          CROSS JOIN LATERAL (
            SELECT seq, event FROM events
            WHERE session_id = wanted.session_id AND seq > wanted.after
            ORDER BY seq LIMIT wanted.most) AS found
        ORDER BY wanted.page, found.seq`,
      values: [0, 1, 2].map((part) => pages.map((page) => page[part])),
    });
    const events = Map.groupBy(rows, ({ page }) => keys[page - 1] ?? "");
    return new Map([...events].map(([key, found]) => [key, found.map(({ event }) => event)]));
  });
}

async function readEvents(
  database: Database,
  read: { sessionId: string; page: EventPage },
): Promise<LaneEvent[]> {
  const { after, limit, types, subject } = read.page;
  const rows = await database.rows<{ event: LaneEvent }>({
    text: `
      SELECT event FROM events
      WHERE session_id = $1 AND seq > $2 AND ($4::text[] IS NULL OR type = ANY ($4))
        AND ($5::text IS NULL OR subject = $5)
      ORDER BY seq LIMIT $3`,
    values: [
      storable(read.sessionId),
      after ?? 0,
      checkLimit(limit),
      types ?? null,
      subject === undefined ? null : storable(subject),
    ],
  });
  return rows.map(({ event }) => event);
}
