import { after, before, test } from "node:test";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { sharedPostgres } from "../../support/postgres.ts";
import type { SharedPostgres } from "../../support/postgres.ts";
import { expectEveryEventOnce, overSocket } from "./cut-reading.ts";
import { openStreamFixture } from "./stream-fixture.ts";

const cuts = 50;

let server: SharedPostgres;
before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

for (const sessionId of ["main", null]) {
  const name = sessionId === null ? "all sessions" : "one session";
  test(`T2: on PostgreSQL, cut and resumed at ${cuts} random places, ${name}, every event comes once`, async (context) => {
    const store = await openPostgresStore({ url: await server.createDatabase() });
    const fixture = await openStreamFixture(context, { store });
    const connect = await overSocket(context, fixture, sessionId);
    await expectEveryEventOnce(fixture, { sessionId, cuts, connect });
  });
}
