import { Client, Pool, escapeIdentifier, types } from "pg";
import type { ClientBase, ClientConfig, CustomTypesConfig, QueryResult, QueryResultRow } from "pg";
import { fromJsonb } from "./json.ts";
import type { Settings, Timeouts } from "./options.ts";
import { readPasswordFile } from "./password-file.ts";

/** Executes statements, on the pool or on the connection of an open transaction. */
export interface Queryable {
  query<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>>;
}

export interface Statement {
  /** If set, the statement is prepared once per connection. Statements with the same name must have the same text. */
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
    // The system's default is two hours.
    keepAliveInitialDelayMillis: 30_000,
    connectionTimeoutMillis: timeouts.connect,
    query_timeout: answerTimeout(timeouts),
    types: typeParsers,
  };
}

/**
 * A connection that reads the password from PostgreSQL's password file if neither the address nor PGPASSWORD has one.
 * The driver could read this file too, but prints a deprecation warning if it finds a password there.
 */
export class StoreClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    if ((this.password ?? "") !== "") return;
    // The driver accepts a function as the password and calls it when the server asks for the password.
    const value = (): Promise<string> => {
      const { host, port, user = "", database = user } = this;
      return readPasswordFile({ host, port, user, database }, process.env);
    };
    Object.defineProperty(this, "password", { value });
  }
}

export function openPool(settings: Settings): Pool {
  const pool = new Pool({
    ...connectionConfig(settings),
    Client: StoreClient,
    max: settings.connections,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it
    onConnect: (client) => prepareConnection(client, settings),
  });
  // A connection that breaks while idle leaves the pool. The next statement opens a new one.
  pool.on("error", () => {});
  return pool;
}

/**
 * Sets the timeouts and the schema of a new connection. Startup parameters would save a round trip, but PgBouncer
 * refuses connections that send them.
 */
export async function prepareConnection(
  client: ClientBase,
  settings: Pick<Settings, "schema" | "timeouts">,
  own: Partial<Timeouts> = {},
): Promise<void> {
  const { statement, lock, idleInTransaction } = { ...settings.timeouts, ...own };
  const text = `
    SET statement_timeout TO ${statement};
    SET lock_timeout TO ${lock};
    SET idle_in_transaction_session_timeout TO ${idleInTransaction};
    SET search_path TO ${escapeIdentifier(settings.schema)}, pg_catalog`;
  // Limit the wait even if the client has no query timeout: a pooler without a free connection does not answer.
  const query = { text, query_timeout: answerTimeout(settings.timeouts) };
  await client.query(query);
}

/**
 * Returns the milliseconds without an answer after which a connection counts as lost. The server cancels slow
 * statements earlier.
 */
export function answerTimeout({ statement, connect }: Timeouts): number {
  return statement + connect;
}

// Type numbers from pg_type; they never change.
const int8 = 20;
const jsonb = 3802;

/**
 * Parses 8-byte integers as numbers, which are large enough for times, seqs and positions. Parses jsonb with
 * `fromJsonb`, which restores the characters that jsonb cannot store.
 */
const typeParsers: CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") => {
    if (format !== "binary" && oid === int8) return Number;
    if (format !== "binary" && oid === jsonb) return fromJsonb;
    return types.getTypeParser(oid, format ?? "text");
  },
};
