import { openPostgresStore } from "../../packages/holdfast/src/store/postgres/postgres-store.ts";
import { openSqliteStore } from "../../packages/holdfast/src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../packages/holdfast/src/store/store.ts";
import type { Engine, EngineName, Place } from "./engine.ts";
import { startPostgresEngine } from "./postgres-engine.ts";
import { startSqliteEngine } from "./sqlite-engine.ts";

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
