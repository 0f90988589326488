import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { audit } from "../audit.ts";
import { done, openLane } from "../lane-client.ts";
import { databaseFile } from "./folder.ts";

test("P4: a database of version 2 lists its sessions as before", async (context) => {
  const file = databaseFile(context);
  let now = 1_700_000_000_000;
  const open = () => openSqliteStore({ file, clock: () => (now += 1) });
  const made = await open();
  for (const id of ["first", "second", "third"]) done(await openLane(made, id).create());
  done(await openLane(made, "second").send({ type: "session.archive", archived: true }));
  done(await openLane(made, "first").accept("p1"));
  await made.close();
  const database = new DatabaseSync(file);
  database.exec(
    `DROP INDEX lanes_in_order; DROP INDEX lanes_in_directory;
     UPDATE meta SET value = '2' WHERE key = 'schema_version'`,
  );
  database.close();

  const store = await open();
  const { sessions } = await store.listSessions({ limit: 10, after: null });
  assert.deepEqual(
    sessions.map(({ state }) => state.sessionId),
    ["first", "second", "third"],
  );
  done(await openLane(store, "third").accept("p1"));
  const { sessions: current } = await store.listSessions({
    archived: false,
    limit: 1,
    after: null,
  });
  assert.deepEqual(
    current.map(({ state }) => state.sessionId),
    ["third"],
  );
  assert.deepEqual(await audit(store), []);
  await store.close();
});
