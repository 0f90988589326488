import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LaneEvent } from "../../packages/holdfast/src/kernel/event.ts";
import { openOwned } from "../../packages/holdfast/src/store/sqlite/connection.ts";
import type { Bare, Engine } from "./engine.ts";

export async function startSqliteEngine(): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-bench-"));
  let files = 0;
  const newFile = (): string => join(folder, `${(files += 1)}.db`);
  return {
    name: "sqlite",
    newPlace: async () => ({ engine: "sqlite", file: newFile() }),
    openBare: async () => openBareSqlite(newFile()),
    stop: () => rm(folder, { recursive: true }),
  };
}

/** Uses the store's own connection, so that all settings that affect speed are the same. */
export function openBareSqlite(file: string): Bare {
  const connection = openOwned({ file });
  const { database } = connection;
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const insert = database.prepare(
    "INSERT INTO events (lane, seq, at, type, subject, once, data) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const append = (event: LaneEvent): void => {
    const { seq, at, type } = event;
    const subject = "promptId" in event ? event.promptId : null;
    insert.run(laneOf(event.sessionId), seq, at, type, subject, 1, JSON.stringify(event));
  };
  return {
    write: async (events) => {
      begin.run();
      for (const event of events) append(event);
      commit.run();
    },
    close: async () => connection.close(),
  };
}

/** Row number of a lane, taken from the end of the session id. */
function laneOf(sessionId: string): number {
  return Number(sessionId.slice(sessionId.lastIndexOf("-") + 1));
}
