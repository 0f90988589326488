import { randomUUID } from "node:crypto";
import { openPool } from "../../packages/holdfast/src/store/postgres/connection.ts";
import { settingsOf } from "../../packages/holdfast/src/store/postgres/options.ts";
import { openPostgresStore } from "../../packages/holdfast/src/store/postgres/postgres-store.ts";
import { startPostgres } from "../../packages/holdfast/test/support/postgres.ts";
import type { Bare, Engine } from "./engine.ts";

export async function startPostgresEngine(): Promise<Engine> {
  const server = await startPostgres({ durable: true });
  return {
    name: "postgres",
    newPlace: async () => ({ engine: "postgres", url: await server.createDatabase() }),
    openBare: async () => openBarePostgres(await server.createDatabase()),
    stop: () => server.stop(),
  };
}

/**
 * Opens a database for direct writes, with which Holdfast's writes are compared. Uses Holdfast's own connection pool
 * and table, so that all settings that affect speed are the same for both.
 */
export async function openBarePostgres(url: string): Promise<Bare> {
  const store = await openPostgresStore({ url });
  await store.close();
  const pool = openPool(settingsOf({ url }));
  return {
    write: async (events) => {
      const rows = events.map((_, row) => `(${columns.map((_, at) => place(row, at)).join(", ")})`);
      await pool.query({
        name: `bare-${events.length}`,
        text: `INSERT INTO events (${columns.join(", ")}) VALUES ${rows.join(", ")}`,
        values: events.flatMap((event) => {
          const { sessionId, seq, type, at } = event;
          const subject = "promptId" in event ? event.promptId : null;
          return [sessionId, seq, randomUUID(), type, subject, at, JSON.stringify(event)];
        }),
      });
    },
    close: () => pool.end(),
  };
}

const columns = ["session_id", "seq", "commit_id", "type", "subject", "at", "event"];

function place(row: number, column: number): string {
  return `$${row * columns.length + column + 1}`;
}
