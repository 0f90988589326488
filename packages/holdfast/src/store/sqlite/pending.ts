import type { DatabaseSync } from "node:sqlite";
import type { Pending, PendingLane, PendingQuery } from "../store.ts";
import { optionalWhole, text, whole } from "./row.ts";
import type { SqlRow } from "./row.ts";

// SQL that finds each owner by jumping through the index from one owner to the next: the cost depends on the number of
// processes, not of lanes.
const owners = `
  owners (owner) AS (
    SELECT min(owner) FROM lanes WHERE owner IS NOT NULL
    UNION ALL
    SELECT (SELECT min(owner) FROM lanes WHERE owner > owners.owner)
    FROM owners WHERE owners.owner IS NOT NULL
  )`;

const dead = `
  dead (owner, since) AS (
    SELECT owner, coalesce(ended_at, expires_at, 0)
    FROM owners LEFT JOIN nodes ON node_id = owner
    WHERE owner IS NOT NULL AND (node_id IS NULL OR ended_at IS NOT NULL OR expires_at <= :now)
  )`;

const everything: readonly PendingLane["wants"][] = ["start", "work", "takeOver", "tick"];

/**
 * Lists lanes that need an action now, longest waiting first, and the time at which the next lane becomes due. Each
 * lane is listed once: for a takeover, else for a `lane.tick` command, else for a start. A takeover in an absent
 * directory is not listed, but its tick is.
 */
export function preparePending(
  database: DatabaseSync,
): (query: PendingQuery & { now: number }) => Pending {
  const ready = database.prepare(
    `SELECT session_id, directory, ready AS wants, seq, ready_at AS since FROM lanes
     WHERE ready IN (SELECT value FROM json_each(:wants)) AND (ready = 'takeOver' OR due_at IS NULL OR due_at > :now)
       AND directory NOT IN (SELECT value FROM json_each(:absent))
       AND (ready <> 'start'
         OR (NOT :noStarts AND directory NOT IN (SELECT value FROM json_each(:full))
           AND session_id NOT IN (SELECT value FROM json_each(:left))))
     ORDER BY ready_at LIMIT :limit`,
  );
  const abandoned = database.prepare(
    `WITH RECURSIVE ${owners}, ${dead}
     SELECT session_id, directory, 'takeOver' AS wants, seq, since
     FROM dead JOIN lanes ON lanes.owner = dead.owner
     WHERE directory NOT IN (SELECT value FROM json_each(:absent))
     ORDER BY since LIMIT :limit`,
  );
  const due = database.prepare(
    `WITH RECURSIVE ${owners}, ${dead}
     SELECT session_id, directory, 'tick' AS wants, seq, due_at AS since FROM lanes
     WHERE due_at <= :now
       AND ((ready IS NOT 'takeOver' AND (owner IS NULL OR owner NOT IN (SELECT owner FROM dead)))
         OR directory IN (SELECT value FROM json_each(:absent)))
     ORDER BY due_at LIMIT :limit`,
  );
  const next = database.prepare(
    `WITH RECURSIVE ${owners}
     SELECT
       (SELECT min(due_at) FROM lanes WHERE due_at > :now) AS due,
       (SELECT min(expires_at) FROM owners JOIN nodes ON node_id = owner
        WHERE ended_at IS NULL AND expires_at > :now) AS lease`,
  );
  return ({ now, limit, full = [], absent: missing = [], left = [], wants = everything }) => {
    const absent = asStored(missing);
    const places = {
      noStarts: full === "all" ? 1 : 0,
      full: asStored(full === "all" ? [] : full),
      absent,
      left: JSON.stringify(left),
      wants: JSON.stringify(wants),
    };
    const found = [
      ...ready.all({ now, limit, ...places }),
      ...(wants.includes("takeOver") ? abandoned.all({ now, limit, absent }) : []),
      ...(wants.includes("tick") ? due.all({ now, limit, absent }) : []),
    ];
    const lanes = found
      .toSorted((left, right) => whole(left, "since") - whole(right, "since"))
      .slice(0, limit)
      .map(readLane);
    const foreseen = next.get({ now }) ?? {};
    const times = [optionalWhole(foreseen, "due"), optionalWhole(foreseen, "lease")].filter(
      (time) => time !== null,
    );
    return { lanes, nextDueIn: times.length === 0 ? null : Math.min(...times) - now };
  };
}

function asStored(directories: readonly string[]): string {
  return JSON.stringify(directories.map((directory) => JSON.stringify(directory)));
}

function readLane(row: SqlRow): PendingLane {
  const wants = text(row, "wants");
  if (wants !== "start" && wants !== "work" && wants !== "takeOver" && wants !== "tick") {
    throw new TypeError(
      `the column "wants" contains an unknown value: ${wants}; please report this bug`,
    );
  }
  return {
    sessionId: text(row, "session_id"),
    directory: JSON.parse(text(row, "directory")),
    wants,
    seq: whole(row, "seq"),
    since: whole(row, "since"),
  };
}
