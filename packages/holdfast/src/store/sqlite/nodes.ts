import type { DatabaseSync } from "node:sqlite";
import type { OwnerLease } from "../../kernel/facts.ts";
import { checkTtl } from "../limits.ts";
import type { Lease, LivingNode, NodeLease, OwnedLane, Renewal } from "../store.ts";
import { StoreError } from "../store-error.ts";
import { optional, text, whole } from "./row.ts";

/** Leases of processes, by the store's clock. */
export interface Nodes {
  join(lease: { nodeId: string; ttl: number }, now: number): Lease;
  renew(nodeId: string, now: number): Renewal;
  leave(nodeId: string, now: number): void;
  leaseOf(nodeId: string | null, now: number): OwnerLease;
}

export function prepareNodes(database: DatabaseSync): Nodes {
  const insert = database.prepare(
    `INSERT INTO nodes (node_id, ttl, renewed_at, expires_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (node_id) DO NOTHING`,
  );
  const extend = database.prepare(
    `UPDATE nodes SET renewed_at = ?2, expires_at = ?2 + ttl
     WHERE node_id = ?1 AND ended_at IS NULL AND expires_at > ?2
     RETURNING expires_at`,
  );
  const owned = database.prepare(
    "SELECT session_id, seq FROM lanes WHERE owner = ? ORDER BY session_id",
  );
  const end = database.prepare(
    "UPDATE nodes SET ended_at = ?2 WHERE node_id = ?1 AND ended_at IS NULL AND expires_at > ?2",
  );
  const lease = prepareLease(database);
  return {
    join({ nodeId, ttl }, now) {
      const expiresAt = now + checkTtl(ttl);
      if (insert.run(nodeId, ttl, now, expiresAt).changes === 0) {
        throw new StoreError(
          "storeViolation",
          `the node id ${nodeId} was used before; choose a new id`,
        );
      }
      return { nodeId, ttl, expiresAt };
    },
    renew(nodeId, now) {
      const row = extend.get(nodeId, now);
      if (row === undefined) return { status: "lost" };
      const lanes = owned
        .all(nodeId)
        .map((lane) => ({ sessionId: text(lane, "session_id"), seq: whole(lane, "seq") }));
      return { status: "renewed", expiresAt: whole(row, "expires_at"), lanes };
    },
    leave: (nodeId, now) => void end.run(nodeId, now),
    leaseOf(nodeId, now) {
      const found = nodeId === null ? null : lease(nodeId, now);
      if (found === null) return { alive: false, lostAt: null };
      return { alive: found.alive, lostAt: found.alive ? null : found.expiresAt };
    },
  };
}

/** Prepares a function that reads a lease. A lease that was ended early counts as expired at that time. */
export function prepareLease(
  database: DatabaseSync,
): (nodeId: string, now: number) => NodeLease | null {
  const select = database.prepare(
    `SELECT coalesce(ended_at, expires_at) AS expires_at,
       ended_at IS NULL AND expires_at > ?2 AS alive
     FROM nodes WHERE node_id = ?1`,
  );
  return (nodeId, now) =>
    optional(select.get(nodeId, now), (row) => ({
      expiresAt: whole(row, "expires_at"),
      alive: whole(row, "alive") === 1,
    }));
}

export function prepareLivingNodes(database: DatabaseSync): (now: number) => LivingNode[] {
  const select = database.prepare(
    "SELECT node_id, expires_at FROM nodes WHERE ended_at IS NULL AND expires_at > ? ORDER BY node_id",
  );
  return (now) =>
    select
      .all(now)
      .map((row) => ({ nodeId: text(row, "node_id"), expiresAt: whole(row, "expires_at") }));
}

export function prepareOwnedLanes(database: DatabaseSync): () => OwnedLane[] {
  const select = database.prepare(
    "SELECT owner, session_id FROM lanes WHERE owner IS NOT NULL ORDER BY owner, session_id",
  );
  return () =>
    select.all().map((row) => ({ nodeId: text(row, "owner"), sessionId: text(row, "session_id") }));
}

/**
 * Ends the leases of all earlier processes: this process holds the owner lock, so they are gone. Their leases end at
 * `newest`, the last time that the store was written. Processes that own no lane are deleted.
 */
export function endEarlierLeases(database: DatabaseSync, newest: number): void {
  database
    .prepare("UPDATE nodes SET ended_at = min(expires_at, ?) WHERE ended_at IS NULL")
    .run(newest);
  database.exec(
    `DELETE FROM nodes WHERE node_id NOT IN (SELECT owner FROM lanes WHERE owner IS NOT NULL)`,
  );
}
