import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { text, whole } from "../../../src/store/sqlite/row.ts";
import { unpackSettled } from "../../../src/store/sqlite/settled-row.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { edit } from "../../kernel/support/commands.ts";
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
  setBack(file, 2);

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

test("P2 P4: a database of version 3 keeps its outcomes, and its unsettled prompts are settled", async (context) => {
  const file = databaseFile(context);
  const made = await openSqliteStore({ file });
  const before = openLane(made, "main");
  done(await before.create());
  await made.join({ nodeId: "node", ttl: 60_000 });
  for (const id of ["settled", "running", "edited", "queued"]) done(await before.accept(id));
  done(await before.send(edit("edited")));
  done(await before.cancel("c1", { kind: "prompt", promptId: "settled" }));
  done(await before.start("run", { owner: "node" }));
  const rows = await made.prompts("main", { after: null, limit: 9 });
  await made.close();
  setBack(file, 3);

  const store = await openSqliteStore({ file });
  const main = openLane(store, "main");
  const all = { after: null, limit: 9 };
  assert.deepEqual(await store.prompts("main", all), rows);
  const found = await Promise.all(rows.map(({ promptId }) => store.prompt("main", promptId)));
  assert.deepEqual(found, rows);
  const { length } = await store.events("main", { ...all, subject: "settled" });
  assert.equal(length, 2);
  done(await main.end({ status: "completed" }));
  done(await main.cancel("c2"));
  const after = await store.prompts("main", all);
  assert.deepEqual(
    after.map(({ promptId, outcome }) => [promptId, outcome?.status]),
    [
      ["settled", "cancelled"],
      ["running", "completed"],
      ["edited", "cancelled"],
      ["queued", "cancelled"],
    ],
  );
  assert.deepEqual(await audit(store), []);
  await store.close();
});

/** Changes a database into the form that an earlier version would have written. */
function setBack(file: string, version: 2 | 3): void {
  const database = new DatabaseSync(file);
  const sessionOf = database.prepare("SELECT session_id FROM lanes WHERE lane = ?");
  const broughtAt = database.prepare(
    "SELECT position FROM events WHERE lane = ? AND subject = ? AND type = 'prompt.accepted'",
  );
  const save = database.prepare("INSERT INTO prompts (position, row) VALUES (?, ?)");
  for (const found of database.prepare("SELECT lane, row FROM settled").all()) {
    const lane = whole(found, "lane");
    const packed = text(found, "row");
    const promptId: string = JSON.parse(packed)[0];
    const sessionId = text(sessionOf.get(lane) ?? {}, "session_id");
    const position = whole(broughtAt.get(lane, promptId) ?? {}, "position");
    save.run(position, JSON.stringify(unpackSettled(packed, { sessionId, promptId })));
  }
  database.exec(
    `UPDATE events SET once = 3 WHERE type = 'prompt.settled';
     DROP TABLE settled;
     DROP TABLE parts;
     DROP TABLE accounts;
     DROP TABLE texts;
     DROP TABLE text_terms;
     ${version === 3 ? "" : "DROP INDEX lanes_in_order; DROP INDEX lanes_in_directory;"}
     UPDATE meta SET value = '${version}' WHERE key = 'schema_version';
     UPDATE meta SET value = '1' WHERE key = 'lowest_version'`,
  );
  database.close();
}
