import type { LaneEvent, Receipt } from "../../kernel/event.ts";
import type { OwnerLease } from "../../kernel/facts.ts";
import type { AskRow, LedgerRow } from "../../kernel/ledger.ts";
import { unpackState } from "../../kernel/packed.ts";
import type { PackedState } from "../../kernel/packed.ts";
import type { LaneState } from "../../kernel/state.ts";
import type { Queryable } from "./connection.ts";

/** A lane and the rows that a group of commands refers to, read in one snapshot. */
export interface LaneRows {
  readonly now: number;
  readonly state: LaneState | null;
  readonly owner: OwnerLease;
  readonly prompts: Readonly<Record<string, LedgerRow>>;
  readonly receipts: Readonly<Record<string, Receipt>>;
  readonly asks: Readonly<Record<string, AskRow>>;
  /** Events of the exclusive operations that the commands name, in order. */
  readonly works: readonly LaneEvent[];
}

export interface Names {
  readonly promptIds: readonly string[];
  readonly cancelIds: readonly string[];
  readonly askIds: readonly string[];
  readonly workIds: readonly string[];
}

const noLease: OwnerLease = { alive: false, lostAt: null };

/** Empty values for a lane whose rows were not read. */
export const noRows = {
  owner: noLease,
  prompts: {},
  receipts: {},
  asks: {},
  works: [],
} as const;

/** Reads the lane and its rows in one statement. The lane's state is read only if it differs from the known state. */
export async function readLane(
  connection: Queryable,
  read: { sessionId: string; names: Names; known: LaneState | null },
): Promise<LaneRows> {
  const { sessionId, names, known } = read;
  // Leave out tables in which no id is looked up. PostgreSQL may reuse a query plan from a time when the log was short,
  // and that plan would scan the whole log.
  const named = rowReads.filter(({ idsOf }) => idsOf(names).length > 0);
  const { rows } = await connection.query<{
    now: number;
    seq: number | null;
    state: PackedState | null;
    prompts?: Record<string, LedgerRow> | null;
    receipts?: Record<string, Receipt> | null;
    asks?: Record<string, AskRow> | null;
    works?: LaneEvent[] | null;
    alive: boolean | null;
    lost_at: number | null;
  }>({
    name: ["read-lane", ...named.map(({ column }) => column)].join("-"),
    text: `
      SELECT holdfast_now() AS now, lane.seq,
        CASE WHEN lane.seq <> $2 THEN lane.state END AS state,
        ${named.map(({ column, select }, index) => `(${select(`$${index + 3}::text[]`)}) AS ${column},`).join("\n")}
        node.ended_at IS NULL AND node.expires_at > holdfast_now() AS alive,
        coalesce(node.ended_at, node.expires_at) AS lost_at
      FROM (SELECT) AS always
      LEFT JOIN lanes AS lane ON lane.session_id = $1
      LEFT JOIN nodes AS node ON node.node_id = lane.owner`,
    values: [
      storable(sessionId),
      known?.seq ?? 0,
      ...named.map(({ idsOf }) => idsOf(names).map(storable)),
    ],
  });
  const [row] = rows;
  if (row === undefined)
    throw new Error("PostgreSQL returned no row for a SELECT without a WHERE clause");
  return {
    now: row.now,
    state: row.state === null ? (row.seq === null ? null : known) : unpackState(row.state),
    owner: leaseOf(row),
    prompts: row.prompts ?? {},
    receipts: row.receipts ?? {},
    asks: row.asks ?? {},
    works: row.works ?? [],
  };
}

interface RowRead {
  readonly column: "prompts" | "receipts" | "asks" | "works";
  readonly idsOf: (names: Names) => readonly string[];
  readonly select: (ids: string) => string;
}

const rowReads: readonly RowRead[] = [
  {
    column: "prompts",
    idsOf: ({ promptIds }) => promptIds,
    select: (ids) => `SELECT jsonb_object_agg(prompt_id, entry) FROM prompts
      WHERE session_id = $1 AND prompt_id = ANY (${ids})`,
  },
  {
    column: "receipts",
    idsOf: ({ cancelIds }) => cancelIds,
    select: (ids) => `SELECT jsonb_object_agg(cancel_id, receipt) FROM cancels
      WHERE session_id = $1 AND cancel_id = ANY (${ids})`,
  },
  {
    column: "asks",
    idsOf: ({ askIds }) => askIds,
    select: (ids) => `SELECT jsonb_object_agg(ask_id, entry) FROM asks
      WHERE session_id = $1 AND ask_id = ANY (${ids})`,
  },
  {
    column: "works",
    idsOf: ({ workIds }) => workIds,
    select: (ids) => `SELECT json_agg(event ORDER BY seq) FROM events
      WHERE session_id = $1 AND subject = ANY (${ids})
        AND type IN ('work.queued', 'work.started', 'work.ended')`,
  },
];

/**
 * Locks the lane's row until the transaction ends. Read the lane in a later statement: the locking statement may see
 * the row as it was before the lock.
 */
export async function lockLane(connection: Queryable, sessionId: string): Promise<void> {
  await connection.query({
    name: "lock-lane",
    text: "SELECT FROM lanes WHERE session_id = $1 FOR UPDATE",
    values: [storable(sessionId)],
  });
}

/**
 * Reads the lease of a process, without a lock: the process could not renew its lease until this transaction ends, and
 * this transaction may wait for other lanes. If a renewal is committed meanwhile, the fence of a lane that was taken over
 * still keeps its former owner from writing (L5).
 */
export async function readLease(connection: Queryable, nodeId: string): Promise<OwnerLease> {
  const { rows } = await connection.query<{ alive: boolean; lost_at: number }>({
    name: "read-lease",
    text: `
      SELECT ended_at IS NULL AND expires_at > holdfast_now() AS alive,
        coalesce(ended_at, expires_at) AS lost_at
      FROM nodes WHERE node_id = $1`,
    values: [storable(nodeId)],
  });
  return rows[0] === undefined ? noLease : leaseOf(rows[0]);
}

/**
 * Returns the id, or an empty text for an id with U+0000, which PostgreSQL text cannot contain. No stored id is empty,
 * so the empty text finds nothing.
 */
export function storable(id: string): string {
  return id.includes("\0") ? "" : id;
}

function leaseOf(row: { alive: boolean | null; lost_at: number | null }): OwnerLease {
  if (row.alive === true) return { alive: true, lostAt: null };
  return { alive: false, lostAt: row.lost_at };
}
