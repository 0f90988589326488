import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { examine } from "../../../src/store/doctor/doctor.ts";
import { openSqliteReader } from "../../../src/store/sqlite/reader.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { LaneEvent } from "../../../src/kernel/event.ts";
import type { StoreReader } from "../../../src/store/store.ts";
import { allSessions } from "../audit.ts";
import { done, openLane, readLog } from "../lane-client.ts";
import { databaseFile, storeError } from "./folder.ts";

test("P1 a backup taken while many prompts arrive is a valid store of one moment", async (context) => {
  const file = databaseFile(context);
  const store = await openSqliteStore({ file });
  const sessions = Array.from({ length: 8 }, (_, number) => `s${number}`);
  for (const sessionId of sessions) done(await openLane(store, sessionId).create());
  const progress = { isOver: false };
  const text = "words ".repeat(150);
  const pouring = sessions.map(async (sessionId) => {
    for (let number = 0; !progress.isOver; number += 1) {
      const prompt = { text: `${text}${number}`, reply: false };
      done(await openLane(store, sessionId).accept(`p${number}`, prompt));
    }
  });
  await waitFor(async () => (await store.lane("s7"))?.seq ?? 0, {
    describe: "200 events in a session",
    until: (seq) => seq >= 200,
  });
  const before = await logs(store);
  const reader = await openSqliteReader({ file });
  const copies = [join(dirname(file), "by-owner.db"), join(dirname(file), "by-reader.db")] as const;
  await Promise.all([store.backup(copies[0]), reader.backup(copies[1])]).finally(() => {
    progress.isOver = true;
  });
  await Promise.all(pouring);
  const after = await logs(store);
  await reader.close();
  await store.close();
  for (const copy of copies) {
    const copied = await openSqliteReader({ file: copy });
    assert.deepEqual((await examine(copied)).violations, []);
    const held = await logs(copied);
    await copied.close();
    for (const sessionId of sessions) {
      const log = held.get(sessionId) ?? [];
      assert.ok(log.length >= (before.get(sessionId)?.length ?? 0));
      assert.deepEqual(log, after.get(sessionId)?.slice(0, log.length));
    }
  }
  const names = readdirSync(dirname(file)).filter((name) => /partial|by-/u.test(name));
  assert.deepEqual(names.toSorted(), ["by-owner.db", "by-reader.db"]);
});

test("P1 a separate process can take a backup, and the copy works as a store", async (context) => {
  const file = databaseFile(context);
  const copy = join(dirname(file), "copy.db");
  const store = await openSqliteStore({ file });
  done(await openLane(store, "s").create());
  done(await openLane(store, "s").accept("p1"));
  const source = new URL("../../../src/store/sqlite/reader.ts", import.meta.url).href;
  const script = `const { openSqliteReader } = await import(${JSON.stringify(source)});
    const reader = await openSqliteReader({ file: ${JSON.stringify(file)} });
    await reader.backup(${JSON.stringify(copy)});
    await reader.close();`;
  execFileSync(process.execPath, ["--input-type=module", "--eval", script], { stdio: "inherit" });
  const restored = await openSqliteStore({ file: copy });
  done(await openLane(restored, "s").accept("p2"));
  assert.equal((await readLog(restored, "s")).length, 3);
  assert.equal((await readLog(store, "s")).length, 2);
  await restored.close();
  await store.close();
});

test("T2 a cursor of the original is valid in the backup up to the point where both are the same", async (context) => {
  const file = databaseFile(context);
  const copy = join(dirname(file), "copy.db");
  const store = await openSqliteStore({ file });
  done(await openLane(store, "s").create());
  const early = await store.feedEnd();
  done(await openLane(store, "s").accept("p1"));
  await store.backup(copy);
  done(await openLane(store, "s").accept("lost"));
  const late = await store.feedEnd();
  await store.close();
  const restored = await openSqliteStore({ file: copy });
  for (const promptId of ["p2", "p3"]) done(await openLane(restored, "s").accept(promptId));
  const page = await restored.feed({ after: early, limit: 10 });
  assert.equal(page.status, "events");
  assert.deepEqual(page.events, (await readLog(restored, "s")).slice(1));
  assert.equal((await restored.feed({ after: late, limit: 10 })).status, "reset");
  await restored.close();
});

test("a backup never replaces a file, and a failed one leaves nothing", async (context) => {
  const file = databaseFile(context);
  const store = await openSqliteStore({ file });
  const taken = join(dirname(file), "taken");
  writeFileSync(taken, "mine");
  const there = storeError("storeInvalid", /taken already exists; choose a new file/);
  await assert.rejects(store.backup(taken), there);
  await assert.rejects(store.backup(file), storeError("storeInvalid", /already exists/));
  const nowhere = join(dirname(file), "none", "copy.db");
  await assert.rejects(store.backup(nowhere), storeError("storeInvalid", /cannot be opened/));
  assert.equal(existsSync(dirname(nowhere)), false);
  await store.close();
  await assert.rejects(
    store.backup(join(dirname(file), "late.db")),
    storeError("storeClosed", /./),
  );
  assert.deepEqual(
    readdirSync(dirname(file)).filter((name) => !name.startsWith(basename(file))),
    ["taken"],
  );
});

async function logs(store: StoreReader): Promise<Map<string, LaneEvent[]>> {
  const found = new Map<string, LaneEvent[]>();
  for (const sessionId of await allSessions(store)) {
    found.set(sessionId, await readLog(store, sessionId));
  }
  return found;
}
