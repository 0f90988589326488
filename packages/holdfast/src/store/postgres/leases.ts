import { randomUUID } from "node:crypto";
import { checkTtl } from "../limits.ts";
import { schemaVersion, tooNew } from "../migrate.ts";
import { StoreError } from "../store-error.ts";
import type { Lease, LivingNode, NodeLease, OwnedLane, Renewal } from "../store.ts";
import type { Database } from "./database.ts";
import { storable } from "./lane-read.ts";
import { migrations } from "./migrations.ts";

const known = schemaVersion(migrations);
/** Milliseconds after which the record of a dead process is deleted. */
const rememberedFor = 24 * 3_600_000;

export async function joinNode(
  database: Database,
  lease: { nodeId: string; ttl: number },
): Promise<Lease> {
  const { nodeId } = lease;
  const ttl = checkTtl(lease.ttl);
  // Each call has its own `join_id`. If the answer gets lost, the retry finds the row of the first attempt by this id.
  // The same statement deletes processes that ended long ago and own nothing.
  const [row] = await database.rows<{ expires_at: number }>({
    text: `
      WITH forgotten AS (
        DELETE FROM nodes
        WHERE coalesce(ended_at, expires_at) < holdfast_now() - ${rememberedFor} AND node_id <> $1
          AND NOT EXISTS (SELECT FROM lanes WHERE lanes.owner = nodes.node_id)),
      -- Locked against a change of the schema that would not count this node.
      fit AS MATERIALIZED (SELECT FROM meta WHERE lowest_version <= $4 FOR SHARE)
      INSERT INTO nodes AS node (node_id, join_id, ttl, expires_at, knows)
      SELECT $1, $2::uuid, $3::bigint, holdfast_now() + $3, $4::integer FROM fit
      ON CONFLICT (node_id) DO UPDATE SET ttl = node.ttl WHERE node.join_id = excluded.join_id
      RETURNING expires_at`,
    values: [nodeId, randomUUID(), ttl, known.version],
  });
  if (row === undefined) {
    await expectFit(database);
    throw new StoreError(
      "storeViolation",
      `the node id ${nodeId} was used before; choose a new id`,
    );
  }
  return { nodeId, ttl, expiresAt: row.expires_at };
}

async function expectFit(database: Database): Promise<void> {
  const [meta] = await database.rows<{ version: number; lowest_version: number }>({
    text: "SELECT version, lowest_version FROM meta",
  });
  const found = { version: meta?.version ?? 0, lowestVersion: meta?.lowest_version ?? 0 };
  if (found.lowestVersion > known.version) throw tooNew(found, known);
}

/**
 * Renews a lease. An expired lease is never renewed, because another process may have acted on its expiry. The lease of
 * a release that is too old for the schema is not renewed either.
 */
export async function renewNode(database: Database, nodeId: string): Promise<Renewal> {
  const rows = await database.rows<{
    expires_at: number;
    session_id: string | null;
    seq: number | null;
  }>({
    name: "renew",
    text: `
      WITH renewed AS (
        UPDATE nodes SET expires_at = holdfast_now() + ttl
        WHERE node_id = $1 AND ended_at IS NULL AND expires_at > holdfast_now()
          AND (SELECT lowest_version FROM meta) <= ${known.version}
        RETURNING expires_at)
      SELECT renewed.expires_at, lanes.session_id, lanes.seq
      FROM renewed LEFT JOIN lanes ON lanes.owner = $1
      ORDER BY lanes.session_id`,
    values: [storable(nodeId)],
  });
  const [first] = rows;
  if (first === undefined) return { status: "lost" };
  const lanes = rows.flatMap(({ session_id: sessionId, seq }) =>
    sessionId === null || seq === null ? [] : [{ sessionId, seq }],
  );
  return { status: "renewed", expiresAt: first.expires_at, lanes };
}

export async function leaveNode(database: Database, nodeId: string): Promise<void> {
  await database.rows({
    text: `UPDATE nodes SET ended_at = least(holdfast_now(), expires_at)
      WHERE node_id = $1 AND ended_at IS NULL`,
    values: [storable(nodeId)],
  });
}

export async function readLivingNodes(database: Database): Promise<LivingNode[]> {
  const rows = await database.rows<{ node_id: string; expires_at: number }>({
    text: `SELECT node_id, expires_at FROM nodes
      WHERE ended_at IS NULL AND expires_at > holdfast_now() ORDER BY node_id`,
    values: [],
  });
  return rows.map((row) => ({ nodeId: row.node_id, expiresAt: row.expires_at }));
}

export async function readOwnedLanes(database: Database): Promise<OwnedLane[]> {
  const rows = await database.rows<{ owner: string; session_id: string }>({
    text: "SELECT owner, session_id FROM lanes WHERE owner IS NOT NULL ORDER BY owner, session_id",
  });
  return rows.map((row) => ({ nodeId: row.owner, sessionId: row.session_id }));
}

/** Reads a lease. A lease that was ended early counts as expired at that time. */
export async function readNode(database: Database, nodeId: string): Promise<NodeLease | null> {
  const [row] = await database.rows<{ expires_at: number; alive: boolean }>({
    text: `
      SELECT coalesce(ended_at, expires_at) AS expires_at,
        ended_at IS NULL AND expires_at > holdfast_now() AS alive
      FROM nodes WHERE node_id = $1`,
    values: [storable(nodeId)],
  });
  return row === undefined ? null : { expiresAt: row.expires_at, alive: row.alive };
}
