import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { serversIn } from "../support/end-servers.ts";
import { openCli } from "./test-cli.ts";
import { planTidying, tidy } from "../../src/compose/tidy.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { openLane } from "../store/lane-client.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

test("P4 tidy does what its dry run printed, by the user's config, and the ledger stays", async (t) => {
  const home = scratchFolder(t, "tidy");
  mkdirSync(join(home, ".config/holdfast"), { recursive: true });
  const config = { retention: { archiveAfter: "30d", deleteArchivedAfter: "60d" } };
  writeFileSync(join(home, ".config/holdfast/config.jsonc"), JSON.stringify(config));
  const file = join(home, "store.db");
  const longAgo = Date.now() - 90 * 86_400_000;
  const past = await openSqliteStore({ file, clock: () => longAgo });
  for (const id of ["idle", "archived", "deleted"]) {
    await openLane(past, id).create();
    const text = JSON.stringify({ text: id.repeat(10_000) });
    const limits = { maxQueue: 1, maxBytes: 100_000, draining: false };
    const answer = await openLane(past, id).accept("p1", { text, reply: false, limits });
    assert.equal(answer.status, "done");
  }
  await openLane(past, "archived").send({ type: "session.archive", archived: true });
  await openLane(past, "deleted").remove();
  const content = Buffer.from("unused");
  const hash = createHash("sha256").update(content).digest("hex");
  await past.addUpload({ hash, mediaType: "text/plain", name: null, content });
  await past.close();

  const options = { store: file, environment: {}, home };
  const planned = await planTidying(options);
  const { size, ...plan } = planned;
  assert.deepEqual(plan, {
    archive: ["idle"],
    remove: ["archived"],
    bodies: { count: 1, bytes: 70_011 },
    uploads: null,
  });
  assert.deepEqual(await planTidying(options), planned);
  const done = await tidy(options);
  // The session that was archived long ago is deleted, and its content with that of the other one.
  assert.deepEqual(done.bodies, { count: 2, bytes: 70_011 + 80_011 });
  assert.equal(done.uploads, 1);
  assert(size.bytes - done.size.bytes > 100_000);

  const store = await openSqliteStore({ file });
  try {
    const states = [];
    for (const id of ["idle", "archived", "deleted"]) {
      const state = await store.lane(id);
      const row = await store.prompt(id, "p1");
      states.push([id, state?.status, state?.archived, row?.status]);
    }
    assert.deepEqual(states, [
      ["idle", "open", true, "settled"],
      ["archived", "deleted", true, "settled"],
      ["deleted", "deleted", false, "settled"],
    ]);
  } finally {
    await store.close();
  }
});

test("M1 tidy stops an idle background server and leaves a busy one alone", async (t) => {
  const cli = openCli(t);
  assert.equal((await cli.run("run", "say hi")).end, 0);
  const tidied = await cli.run("store", "tidy");
  assert.deepEqual([tidied.end, tidied.err], [0, ""]);
  assert.match(tidied.out, /^Tidied .*\n {2}uploads deleted {4}0, used by no prompt\n/s);
  assert.deepEqual(serversIn(cli.folder), []);
  assert.equal((await cli.run("run", "--detach", "stall")).end, 0);
  const pids = serversIn(cli.folder);
  const refused = await cli.run("store", "tidy");
  assert.equal(refused.end, 1);
  assert.match(refused.err, /^holdfast: databaseInUse: .*; wait until its work has ended/);
  assert.deepEqual([pids.length, serversIn(cli.folder)], [1, pids]);
});
