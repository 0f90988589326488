import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";

let server: SharedPostgres;

before(async () => {
  server = await sharedPostgres();
});

after(() => server.stop());

test("reads that wait for a connection when the store closes are answered", async () => {
  const store = await openPostgresStore({ url: await server.createDatabase(), connections: 1 });
  const asked = Array.from({ length: 20 }, () => store.nodes());
  const closed = store.close();
  assert.deepEqual(
    await Promise.all(asked),
    asked.map(() => []),
  );
  await closed;
  await assert.rejects(store.nodes(), { name: "StoreError", code: "storeClosed" });
});
