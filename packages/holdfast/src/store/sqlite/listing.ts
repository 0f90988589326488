import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  beginnings,
  fewSessions,
  latestFirst,
  pageOf,
  placeIn,
  readAtOnce,
  readSessionCursor,
  searchable,
  unsettledMarks,
  whereabouts,
  withStatus,
} from "../session-list.ts";
import type { SessionPage, SessionPlace, SessionQuery, SessionSummary } from "../session-list.ts";
import { readSummary } from "./lanes.ts";
import { whole } from "./row.ts";

/** Lists sessions in steps, so that other work can run in between even if many sessions are skipped. */
export type Listing = (query: SessionQuery) => Steps<SessionPage>;

type Steps<Result> = Generator<undefined, Result, undefined>;

/** Number of sessions to read per step, which takes a few milliseconds. */
const atATime = 5_000;

/** Position before all sessions. */
const front: SessionPlace = { updatedAt: Number.MAX_SAFE_INTEGER, sessionId: "" };

export function prepareListing(database: DatabaseSync): Listing {
  const inOrder = database.prepare(listing(by("lanes_in_order"), "true"));
  const inDirectory = database.prepare(listing(by("lanes_in_directory"), "directory = :directory"));
  const children = database.prepare(listing(by("lanes_children"), "parent = :parent"));
  const attended = database.prepare(listing("lanes", `lane IN (${attendedLanes})`));
  const countInDirectory = database.prepare(
    `SELECT count(*) AS sessions FROM (
       SELECT 1 FROM lanes WHERE directory = ? LIMIT ${fewSessions + 1})`,
  );
  const lookAhead = database.prepare(
    `SELECT updated_at FROM lanes INDEXED BY lanes_in_order
     WHERE deleted = ? AND archived = ? AND updated_at <= ?
     ORDER BY updated_at DESC LIMIT 1 OFFSET ${atATime}`,
  );

  /** Chooses an index that finds few sessions, if there is one; otherwise the index in list order. */
  const choose = ({ parent, directory }: Filter, query: SessionQuery): StatementSync => {
    if (whereabouts(query) === "attended") return attended;
    if (parent !== null) return children;
    if (directory === null) return inOrder;
    const { sessions } = countInDirectory.get(directory) ?? {};
    return Number(sessions) > fewSessions ? inOrder : inDirectory;
  };

  /**
   * Sessions are read in groups of `atATime`, from the latest activity to the earliest. Returns a time that is before all
   * activities of the next group: the time of the first session after the group, or 0 if there is none.
   */
  const endOfStep = ({ deleted, archived }: Filter, { updatedAt }: SessionPlace): number => {
    const row = lookAhead.get(deleted, archived, updatedAt);
    return row === undefined ? 0 : whole(row, "updated_at");
  };

  function* part(filter: Filter, query: SessionQuery): Steps<SessionSummary[]> {
    const statement = choose(filter, query);
    const isStepwise = statement === inOrder && isNarrow(filter);
    const found: SessionSummary[] = [];
    for (let from = query.after === null ? front : readSessionCursor(query.after); ;) {
      const since = isStepwise ? endOfStep(filter, from) : 0;
      const limit = readAtOnce(query, query.limit - found.length);
      const rows = statement.all({ ...filter, ...from, since, limit }).map(readSummary);
      found.push(...withStatus(rows, query));
      if (found.length >= query.limit) return found;
      const last = rows.length === limit ? rows.at(-1) : undefined;
      if (last === undefined && since === 0) return found;
      from = last === undefined ? { updatedAt: since, sessionId: "" } : placeIn(last);
      yield;
    }
  }

  return function* list(query) {
    const { archived, limit } = query;
    const found: SessionSummary[] = [];
    for (const marked of [false, true]) {
      if (marked !== (archived ?? marked)) continue;
      found.push(...(yield* part(filterOf(query, marked), query)));
    }
    return pageOf(found.toSorted(latestFirst).slice(0, limit), limit);
  };
}

type Filter = ReturnType<typeof filterOf>;

function filterOf(query: SessionQuery, archived: boolean) {
  const { directory, directories, search, parent, deleted } = query;
  return {
    deleted: deleted === true ? 1 : 0,
    archived: archived ? 1 : 0,
    directory: directory === undefined ? null : JSON.stringify(directory),
    beginnings: directories === undefined ? null : JSON.stringify(beginnings(directories)),
    anyParent: parent === undefined ? 1 : 0,
    parent: parent ?? null,
    search: search === undefined ? null : searchable(search),
    unsettled: whereabouts(query) === "unsettled" ? 1 : 0,
  };
}

/** True if the filter may exclude sessions. */
function isNarrow({ directory, beginnings, anyParent, search, unsettled }: Filter): boolean {
  const isPart = directory !== null || beginnings !== null || anyParent === 0;
  return isPart || search !== null || unsettled === 1;
}

/** SQL for lanes that a process owns or must act on. Each part of the query uses its own index. */
const attendedLanes = `
  SELECT lane FROM lanes INDEXED BY lanes_owned WHERE owner IS NOT NULL
  UNION SELECT lane FROM lanes INDEXED BY lanes_ready WHERE ready IS NOT NULL
  UNION SELECT lane FROM lanes INDEXED BY lanes_due WHERE due_at IS NOT NULL
  UNION SELECT lane FROM lanes WHERE session_id IN (
    SELECT session_id FROM asks INDEXED BY asks_open WHERE open = 1)`;

const isUnsettled = unsettledMarks.map((mark) => `instr(state, '${mark}') > 0`).join(" OR ");

function by(index: string): string {
  return `lanes INDEXED BY ${index}`;
}

/** Builds a query that sorts by keys only and reads the states of only those lanes that are listed. */
function listing(lanes: string, condition: string): string {
  return `
    SELECT created_at, updated_at, state FROM lanes WHERE lane IN (
      SELECT lane FROM ${lanes}
      WHERE deleted = :deleted AND archived = :archived AND ${condition}
        AND updated_at BETWEEN :since AND :updatedAt
        AND (updated_at, session_id) < (:updatedAt, :sessionId)
        AND (:directory IS NULL OR directory = :directory)
        AND (:anyParent OR parent IS :parent)
        AND (:search IS NULL OR instr(search, :search) > 0)
        AND (:beginnings IS NULL OR EXISTS (
          SELECT 1 FROM json_each(:beginnings)
          WHERE substr(substr(directory, 1, length(directory) - 1) || '/', 1, length(value)) = value))
        AND (NOT :unsettled OR ${isUnsettled})
      ORDER BY updated_at DESC, session_id DESC LIMIT :limit)
    ORDER BY updated_at DESC, session_id DESC`;
}
