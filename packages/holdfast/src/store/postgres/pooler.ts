import { DatabaseError } from "pg";
import type { Client } from "pg";
import { StoreError } from "../store-error.ts";
import { StoreClient, answerTimeout, connectionConfig } from "./connection.ts";
import type { Settings } from "./options.ts";

/**
 * How often to test whether the pooler shares connections. One test is not enough: other clients can hide the problem.
 */
const rounds = 3;

/**
 * Refuses a connection pooler in transaction or statement mode: there a backend serves another client after each
 * transaction, so settings, notifications and prepared statements of a connection get lost or leak to others.
 */
export async function expectOwnSession(client: Client, settings: Settings): Promise<void> {
  const limit = answerTimeout(settings.timeouts);
  const backend = await backendOf(client, limit);
  // The backend has the process id that was reported on connect, so there is no pooler: a pooler reports an invented
  // id.
  if (backend === reportedBackend(client)) return;
  const other = new StoreClient(connectionConfig(settings));
  // Ignore the event: the running statement fails with the same error.
  other.on("error", () => {});
  try {
    await other.connect();
    for (let round = 0; round < rounds; round += 1) {
      await other.query("BEGIN");
      // If a pooler shares backend processes between clients, `other` gets the same backend as `client`, or `client` is
      // moved to another backend.
      const isShared =
        (await backendOf(other, limit)) === backend || (await backendOf(client, limit)) !== backend;
      await other.query("ROLLBACK");
      if (isShared) throw sharedSession();
    }
  } catch (error) {
    const isStatementMode =
      error instanceof DatabaseError && error.message.includes("pooling mode");
    throw isStatementMode ? sharedSession(error) : error;
  } finally {
    // The check is done or has failed, so errors while closing do not matter.
    await other.end().catch(() => {});
  }
}

/**
 * Returns the process id of the client's backend. The wait is limited: a pooler without a free backend does not answer.
 */
async function backendOf(client: Client, limit: number): Promise<number> {
  const query = { text: "SELECT pg_backend_pid() AS id", query_timeout: limit };
  const { rows } = await client.query<{ id: number }>(query);
  return rows[0]?.id ?? 0;
}

/** Returns the process id that the server reported on connect. `pg` stores it, but its types do not include it. */
function reportedBackend(client: Client): unknown {
  return "processID" in client ? client.processID : null;
}

function sharedSession(cause?: unknown): StoreError {
  return new StoreError(
    "storeInvalid",
    "this address belongs to a connection pooler that gives each transaction another connection. " +
      "Holdfast needs connections of its own, for LISTEN and prepared statements: set `pool_mode = session` " +
      "for this database in pgbouncer.ini, or use PostgreSQL's own address",
    cause,
  );
}
