import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client } from "pg";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";
import { waitFor } from "../support/wait-for.ts";
import { done, openLane } from "./lane-client.ts";

let server: SharedPostgres;

before(async () => {
  server = await sharedPostgres();
});

after(() => server.stop());

test("L5 a lease is renewed while a commit of a run of this process waits for another lane", async () => {
  const url = await server.createDatabase();
  const store = await openPostgresStore({ url });
  const other = new Client({ connectionString: url });
  await other.connect();
  try {
    await store.join({ nodeId: "node1", ttl: 60_000 });
    const [parent, child] = [openLane(store, "parent"), openLane(store, "child")];
    for (const lane of [parent, child]) done(await lane.create());
    await parent.accept("p1");
    done(await parent.start("r1", { owner: "node1" }));
    done(await parent.boundary());
    await other.query("BEGIN");
    await other.query("SELECT FROM holdfast.lanes WHERE session_id = 'child' FOR UPDATE");
    const linking = parent.link({ sessionId: "child", promptId: "q1" }, { background: true });
    const waiting = async (): Promise<unknown[]> => {
      const text = `
        SELECT virtualtransaction FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE NOT granted AND datname = current_database()`;
      return (await other.query(text)).rows;
    };
    const link = await waitFor(waiting, {
      describe: "the commit of the link to wait for the child's lane",
      until: (found) => found.length === 1,
    });
    assert.equal((await store.renew("node1")).status, "renewed");
    assert.deepEqual(await waiting(), link);
    await other.query("ROLLBACK");
    done(await linking);
  } finally {
    await other.end();
    await store.close();
  }
});
