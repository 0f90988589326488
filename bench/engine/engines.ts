import { openPostgresStore } from "../../packages/holdfast/src/store/postgres/postgres-store.ts";
import { openSqliteStore } from "../../packages/holdfast/src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../packages/holdfast/src/store/store.ts";
import type { Bare, Engine, EngineName, Place } from "./engine.ts";
import { openBarePostgres, startPostgresEngine } from "./postgres-engine.ts";
import { openBareSqlite, startSqliteEngine } from "./sqlite-engine.ts";

export function startEngine(name: EngineName): Promise<Engine> {
  switch (name) {
    case "sqlite":
      return startSqliteEngine();
    case "postgres":
      return startPostgresEngine();
  }
}

export function openPlace(place: Place): Promise<Store> {
  switch (place.engine) {
    case "sqlite":
      return openSqliteStore({ file: place.file });
    case "postgres":
      return openPostgresStore({ url: place.url });
  }
}

/** Opens the database directly, without Holdfast's store, even if another process created the database. */
export async function openBarePlace(place: Place): Promise<Bare> {
  switch (place.engine) {
    case "sqlite":
      return openBareSqlite(place.file);
    case "postgres":
      return openBarePostgres(place.url);
  }
}
