import { checkLimit } from "../limits.ts";
import type { Pending, PendingLane, PendingQuery } from "../store.ts";
import type { Database } from "./database.ts";

/**
 * Lists the lanes that a process must act on, each with its most urgent action: a takeover is more urgent than a due
 * time, and a due time is more urgent than starting work. The lanes that have waited longest come first.
 */
export async function readPending(database: Database, query: PendingQuery): Promise<Pending> {
  const limit = checkLimit(query.limit);
  const { full = [], absent = [], left = [] } = query;
  const rows = await database.rows<{
    session_id: string | null;
    directory: string;
    seq: number;
    wants: PendingLane["wants"];
    since: number;
    next_due_in: number | null;
  }>({
    name: "pending",
    text: `
      WITH now AS MATERIALIZED (SELECT holdfast_now() AS now),
      abandoned AS (
        SELECT session_id, coalesce(node.ended_at, node.expires_at, 0) AS since
        FROM lanes LEFT JOIN nodes AS node ON node.node_id = lanes.owner
        WHERE lanes.owner IS NOT NULL
          AND lanes.directory::text <> ALL ($5::text[])
          AND (node.node_id IS NULL OR node.ended_at IS NOT NULL
            OR node.expires_at <= (SELECT now FROM now))),
      wanting AS (
        SELECT session_id, 1 AS rank, 'takeOver' AS wants, since FROM abandoned
        UNION ALL
        SELECT session_id, CASE ready WHEN 'takeOver' THEN 1 ELSE 3 END, ready, ready_at
        FROM lanes
        WHERE ready IS NOT NULL AND directory::text <> ALL ($5::text[])
          AND (ready <> 'start' OR (NOT $2::boolean AND directory::text <> ALL ($3::text[])
            AND session_id <> ALL ($6::text[])))
        UNION ALL
        SELECT session_id, 2, 'tick', due_at
        FROM lanes WHERE due_at <= (SELECT now FROM now)),
      chosen AS (
        SELECT DISTINCT ON (session_id) session_id, wants, since
        FROM wanting ORDER BY session_id, rank),
      asked AS (SELECT * FROM chosen WHERE $4::text[] IS NULL OR wants = ANY ($4::text[])),
      waiting_longest AS (
        SELECT session_id, wants, since FROM asked ORDER BY since, session_id LIMIT $1),
      next_due AS (
        SELECT least(
          (SELECT min(due_at) FROM lanes WHERE due_at > (SELECT now FROM now)),
          (SELECT min(expires_at) FROM nodes
            WHERE ended_at IS NULL AND expires_at > (SELECT now FROM now)
              AND EXISTS (SELECT FROM lanes WHERE owner = node_id))) AS at)
      SELECT lanes.session_id, lanes.directory, lanes.seq, wanted.wants, wanted.since,
        next_due.at - now.now AS next_due_in
      FROM now CROSS JOIN next_due
      LEFT JOIN (waiting_longest AS wanted JOIN lanes USING (session_id)) ON true
      ORDER BY wanted.since, wanted.session_id`,
    values: [
      limit,
      full === "all",
      full === "all" ? [] : full.map((directory) => JSON.stringify(directory)),
      query.wants ?? null,
      absent.map((directory) => JSON.stringify(directory)),
      left,
    ],
  });
  const lanes = rows.flatMap(({ session_id: sessionId, directory, wants, seq, since }) =>
    sessionId === null ? [] : [{ sessionId, directory, wants, seq, since }],
  );
  return { lanes, nextDueIn: rows[0]?.next_due_in ?? null };
}

export async function readReadySince(
  database: Database,
  sessionId: string,
): Promise<number | null> {
  const [row] = await database.rows<{ ready_at: number | null }>({
    name: "ready-since",
    text: "SELECT ready_at FROM lanes WHERE session_id = $1",
    values: [sessionId],
  });
  return row?.ready_at ?? null;
}
