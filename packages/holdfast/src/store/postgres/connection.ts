import { Pool, escapeIdentifier, types } from "pg";
import type { ClientBase, ClientConfig, CustomTypesConfig, QueryResult, QueryResultRow } from "pg";
import { fromJsonb } from "./json.ts";
import type { Settings } from "./options.ts";

/** Executes statements, on the pool or on the connection of an open transaction. */
export interface Queryable {
  query<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>>;
}

export interface Statement {
  /** If set, the statement is prepared once per connection. Equal names must have equal text. */
  readonly name?: string;
  readonly text: string;
  readonly values?: unknown[];
}

export function connectionConfig(settings: Settings): ClientConfig {
  const { url, timeouts } = settings;
  return {
    connectionString: url,
    application_name: "holdfast",
    keepAlive: true,
    connectionTimeoutMillis: timeouts.connect,
    statement_timeout: timeouts.statement,
    lock_timeout: timeouts.lock,
    idle_in_transaction_session_timeout: timeouts.idleInTransaction,
    // The server cancels slow statements first: if even that takes too long, the connection is dead.
    query_timeout: timeouts.statement + timeouts.connect,
    types: typeParsers,
  };
}

export function openPool(settings: Settings): Pool {
  const pool = new Pool({
    ...connectionConfig(settings),
    max: settings.connections,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it
    onConnect: (client) => useSchema(client, settings.schema),
  });
  // A connection that breaks while idle leaves the pool. The next statement opens a new one.
  pool.on("error", () => {});
  return pool;
}

export async function useSchema(client: ClientBase, schema: string): Promise<void> {
  await client.query(`SET search_path TO ${escapeIdentifier(schema)}, pg_catalog`);
}

// Type numbers from pg_type; they never change.
const int8 = 20;
const jsonb = 3802;

/**
 * Parses 8-byte integers as numbers, because times, seqs and positions fit into one. Parses JSON with the escapes of
 * json.ts.
 */
const typeParsers: CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") => {
    if (format !== "binary" && oid === int8) return Number;
    if (format !== "binary" && oid === jsonb) return fromJsonb;
    return types.getTypeParser(oid, format ?? "text");
  },
};
