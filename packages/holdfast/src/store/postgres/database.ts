import type { Pool, PoolClient, QueryResult, QueryResultRow } from "pg";
import { sleep } from "../../base/time.ts";
import { openPool } from "./connection.ts";
import type { Queryable, Statement } from "./connection.ts";
import { closedError, isConnectionLost, isRolledBack, storeErrorOf } from "./errors.ts";
import type { Settings } from "./options.ts";

/** The connection pool, with retries if the database is unavailable. */
export class Database implements Queryable, Rows {
  readonly settings: Settings;
  readonly #pool: Pool;
  #closed = false;
  /** Number of calls of `withClient` that have not ended. */
  #users = 0;
  #onIdle: (() => void) | null = null;

  constructor(settings: Settings) {
    this.settings = settings;
    this.#pool = openPool(settings);
  }

  /** Executes one statement on any connection, as its own transaction. */
  async query<Row extends QueryResultRow>(statement: Statement): Promise<QueryResult<Row>> {
    return this.withClient((client) => client.query<Row>(statement));
  }

  async withClient<T>(use: (client: PoolClient) => Promise<T>): Promise<T> {
    this.#users += 1;
    try {
      return await this.#lend(use);
    } finally {
      this.#users -= 1;
      if (this.#users === 0) this.#onIdle?.();
    }
  }

  async #lend<T>(use: (client: PoolClient) => Promise<T>): Promise<T> {
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

  /** Repeats an idempotent operation while the database is unavailable. Converts errors to store errors. */
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

  /** Reads rows, with retries: a read can always be repeated. */
  async rows<Row extends QueryResultRow>(statement: Statement): Promise<Row[]> {
    const { rows } = await this.retrying(() => this.query<Row>(statement));
    return rows;
  }

  async close(): Promise<void> {
    this.#closed = true;
    // A pool that ends gives no connection to calls that wait for one.
    if (this.#users > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    await this.#pool.end();
  }
}

/** Reads rows, either from the pool or in an open transaction. */
export interface Rows {
  rows<Row extends QueryResultRow>(statement: Statement): Promise<Row[]>;
}

export function isTransient(error: unknown): boolean {
  return isConnectionLost(error) || isRolledBack(error);
}

export interface Patience {
  /** Waits before a retry, longer each time. Returns false if the time limit has passed. */
  wait(): Promise<boolean>;
}

export function startPatience(limit: number): Patience {
  const end = performance.now() + limit;
  let pause = 5;
  return {
    async wait() {
      if (performance.now() >= end) return false;
      // Add jitter, so that two transactions that caused a deadlock do not collide again.
      const delay = pause * (0.5 + Math.random());
      pause = Math.min(pause * 2, 200);
      await sleep(delay);
      return true;
    },
  };
}
