import { checkLimit } from "../limits.ts";
import {
  beginnings,
  fewSessions,
  pageOf,
  placeIn,
  readAtOnce,
  readSessionCursor,
  searchable,
  sessionCursor,
  unsettledMarks,
  whereabouts,
  withStatus,
} from "../session-list.ts";
import type { SessionPage, SessionQuery, SessionSummary } from "../session-list.ts";
import type { Statement } from "./connection.ts";
import type { Database } from "./database.ts";
import { storable } from "./lane-read.ts";
import { summaryOf } from "./sessions.ts";
import type { SummaryRow } from "./sessions.ts";

export async function listSessions(database: Database, query: SessionQuery): Promise<SessionPage> {
  const wanted = checkLimit(query.limit);
  const isWholeDirectory = await readsWholeDirectory(database, query);
  const found: SessionSummary[] = [];
  for (let { after } = query; ;) {
    const limit = readAtOnce(query, wanted - found.length);
    const statement = listStatement({ ...query, limit, after }, isWholeDirectory);
    const sessions = (await database.rows<SummaryRow>(statement)).map(summaryOf);
    found.push(...withStatus(sessions, query));
    const last = sessions.length < limit ? undefined : sessions.at(-1);
    if (last === undefined || found.length >= wanted) return pageOf(found.slice(0, wanted), wanted);
    after = sessionCursor(placeIn(last));
  }
}

/** True if the directory has few sessions: sorting them is then faster than scanning all sessions in order. */
async function readsWholeDirectory(
  database: Database,
  { directory }: SessionQuery,
): Promise<boolean> {
  if (directory === undefined) return false;
  const [row] = await database.rows<{ sessions: number }>({
    text: `SELECT count(*) AS sessions FROM (
      SELECT FROM lanes WHERE ${inDirectory("$1::text")} LIMIT ${fewSessions + 1}) AS counted`,
    values: [JSON.stringify(directory)],
  });
  return row !== undefined && row.sessions <= fewSessions;
}

/**
 * Builds the query for one page of the session list, most recently changed sessions first. The query finds archived and
 * unarchived sessions separately, merges them, and reads the states of only the sessions on the page.
 */
function listStatement(query: SessionQuery, isWholeDirectory: boolean): Statement {
  const { archived, limit } = query;
  const values: unknown[] = [];
  const p = (value: unknown, type: string): string => `$${values.push(value)}::${type}`;
  const marks = [false, true].filter((mark) => mark === (archived ?? mark));
  const order = "updated_at DESC, session_id DESC";
  const text = `
    SELECT created_at, updated_at, state FROM lanes
    WHERE session_id = ANY (ARRAY (
      SELECT session_id
      FROM unnest(${p(marks, "boolean[]")}) AS mark (archived) CROSS JOIN LATERAL (
        SELECT session_id, updated_at FROM lanes
        WHERE archived = mark.archived AND ${conditions(query, isWholeDirectory, p).join(" AND ")}
        ${isWholeDirectory ? "" : `ORDER BY ${order} LIMIT ${limit}`}) AS found
      ORDER BY ${order} LIMIT ${limit}))
    ORDER BY ${order}`;
  return { text, values };
}

/**
 * Builds SQL only for the requested conditions, so that PostgreSQL's query planner recognizes the matching index. If
 * the planner expects that very few rows match, the planner reads and sorts all sessions, which is slow. So the
 * conditions use expressions for which the planner expects more rows, such as `coalesce(…, false)`.
 */
function conditions(
  query: SessionQuery,
  isWholeDirectory: boolean,
  p: (value: unknown, type: string) => string,
): string[] {
  const { directory, directories, search, parent, deleted, after } = query;
  const place = after === null ? null : readSessionCursor(after);
  const folder = JSON.stringify(directory);
  return [
    deleted === true ? "deleted" : "NOT deleted",
    isWholeDirectory ? inDirectory(p(folder, "text")) : null,
    directory === undefined ? null : `coalesce(directory::text = ${p(folder, "text")}, false)`,
    directories === undefined
      ? null
      : `(SELECT coalesce(bool_or(starts_with(left(directory::text, -1) || '/', beginning)), false)
          FROM unnest(${p(beginnings(directories), "text[]")}) AS beginning)`,
    parent === null ? "parent IS NULL" : null,
    typeof parent === "string" ? `parent = ${p(storable(parent), "text")}` : null,
    whereabouts(query) === "attended" ? `session_id = ANY (ARRAY (${attended}))` : null,
    whereabouts(query) === "unsettled" ? `(${isUnsettled})` : null,
    search === undefined ? null : `strpos(search, ${p(searchable(search), "text")}) > 0`,
    place === null
      ? null
      : `(updated_at, session_id) < (${p(place.updatedAt, "bigint")}, ${p(place.sessionId, "text")})`,
  ].filter((condition) => condition !== null);
}

/** SQL for lanes that a process owns or must act on. Each part of the query uses its own index. */
const attended = `
  SELECT session_id FROM lanes WHERE owner IS NOT NULL
  UNION SELECT session_id FROM lanes WHERE ready IS NOT NULL
  UNION SELECT session_id FROM lanes WHERE due_at IS NOT NULL
  UNION SELECT session_id FROM asks WHERE open`;

const isUnsettled = unsettledMarks.map((mark) => `strpos(state::text, '${mark}') > 0`).join(" OR ");

/**
 * Builds a condition with the hash expression of the index. Other directories with the same hash are filtered out
 * later.
 */
function inDirectory(directory: string): string {
  return `hashtextextended(directory::text, 0) = hashtextextended(${directory}, 0)`;
}
