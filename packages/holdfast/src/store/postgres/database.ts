import type { Pool, PoolClient, QueryResult, QueryResultRow } from "pg";
import { sleep } from "../../base/time.ts";
import { openPool } from "./connection.ts";
import type { Queryable, Statement } from "./connection.ts";
import { closedError, isConnectionLost, isRolledBack, storeErrorOf } from "./errors.ts";
import type { Settings } from "./options.ts";

/** The pool, and how long a database that went away is waited for. */
export class Database implements Queryable, Rows {
  readonly settings: Settings;
  readonly #pool: Pool;
  #closed = false;

  constructor(settings: Settings) {
    this.settings = settings;
    this.#pool = openPool(settings);
  }

  /** One statement on any connection; it is its own transaction. */
  async query<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>> {
    return this.withClient((client) => client.query<Row>(statement));
  }

  async withClient<T>(use: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let broken = false;
    const onError = (): void => {
      broken = true;
    };
    client.on("error", onError);
    try {
      return await use(client);
    } catch (error) {
      broken ||= isConnectionLost(error);
      throw error;
    } finally {
      client.off("error", onError);
      client.release(broken);
    }
  }

  /** Repeats what may be repeated while the database is away; its errors are the store's. */
  async retrying<T>(operation: () => Promise<T>): Promise<T> {
    const patience = startPatience(this.settings.unavailableAfter);
    for (;;) {
      if (this.#closed) throw closedError();
      try {
        return await operation();
      } catch (error) {
        if (!isTransient(error) || !(await patience.wait())) throw storeErrorOf(error);
      }
    }
  }

  /** Reads may be repeated whatever happened to them. */
  async rows<Row extends QueryResultRow>(statement: Statement): Promise<Row[]> {
    const { rows } = await this.retrying(() => this.query<Row>(statement));
    return rows;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool.end();
  }
}

/** Whatever answers a read's rows: the pool, or a transaction that is open. */
export interface Rows {
  rows<Row extends QueryResultRow>(statement: Statement): Promise<Row[]>;
}

export function isTransient(error: unknown): boolean {
  return isConnectionLost(error) || isRolledBack(error);
}

export interface Patience {
  /** Waits a little, longer each time; false when there is no more time. */
  wait(): Promise<boolean>;
}

export function startPatience(limit: number): Patience {
  const end = performance.now() + limit;
  let pause = 5;
  return {
    async wait() {
      if (performance.now() >= end) return false;
      // Jitter, so that two transactions that met in a deadlock do not meet again.
      const delay = pause * (0.5 + Math.random());
      pause = Math.min(pause * 2, 200);
      await sleep(delay);
      return true;
    },
  };
}
