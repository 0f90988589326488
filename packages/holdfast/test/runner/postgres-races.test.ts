import { after, before, test } from "node:test";
import { startPostgres } from "../support/postgres.ts";
import type { PostgresServer } from "../support/postgres.ts";
import { races } from "./races/races.ts";
import { openPostgresPlace } from "./support/place.ts";

// Two runtimes on one database: each could take any run, and commands go to the one that has not.

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

for (const { name, settings, play } of races) {
  test(`${name} (two runtimes on PostgreSQL)`, { timeout: 20_000 }, async (t) => {
    const url = await server.createDatabase();
    await play(await openPostgresPlace(t, { ...settings, url }));
  });
}
