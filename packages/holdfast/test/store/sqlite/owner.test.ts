import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openSqliteReader } from "../../../src/store/sqlite/reader.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { audit } from "../audit.ts";
import { done, openLane } from "../lane-client.ts";
import { databaseFile, storeError } from "./folder.ts";

const owned = storeError(
  "storeOwned",
  /another Holdfast process is using .*; send requests to it, or stop it/,
);

test("L5 a second owner is refused, whatever name it uses for the file", async (context) => {
  const file = databaseFile(context);
  const store = await openSqliteStore({ file });
  await assert.rejects(openSqliteStore({ file }), owned);
  const other = `${file}-link`;
  symlinkSync(file, other);
  await assert.rejects(openSqliteStore({ file: other }), owned);
  done(await openLane(store, "s").create());
  await store.close();
  const next = await openSqliteStore({ file: other });
  assert.deepEqual(await next.sessions({ after: null, limit: 9 }), ["s"]);
  await next.close();
});

test("a reader sees the owner's commits while the owner is running", async (context) => {
  const file = databaseFile(context);
  const store = await openSqliteStore({ file });
  const lane = openLane(store, "s");
  await lane.create();
  const reader = await openSqliteReader({ file });
  for (let number = 0; number < 10; number += 1) {
    done(await lane.accept(`p${number}`));
    assert.deepEqual(await reader.lane("s"), await store.lane("s"));
    assert.deepEqual(
      await reader.feed({ after: null, limit: 100 }),
      await store.feed({ after: null, limit: 100 }),
    );
  }
  assert.deepEqual(await audit(reader), []);
  const [now, ownersNow] = [await reader.now(), await store.now()];
  assert.ok(Math.abs(now - ownersNow) < 1000);
  await store.close();
  assert.equal((await reader.prompts("s", { after: null, limit: 100 })).length, 10);
  await reader.close();
  await reader.close();
  await assert.rejects(reader.lane("s"), storeError("storeClosed", /open it again/));
});

test("R1 after kill -9 the next owner takes over at once, and the runs of the dead one are free", async (context) => {
  const file = databaseFile(context);
  const worker = join(import.meta.dirname, "owner-worker.ts");
  const child = spawn(process.execPath, [worker, file], { stdio: ["ignore", "pipe", "inherit"] });
  context.after(() => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  await assert.rejects(openSqliteStore({ file }), owned);
  const reader = await openSqliteReader({ file });
  assert.equal((await reader.prompt("s", "p1"))?.status, "running");
  await reader.close();
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
  const store = await openSqliteStore({ file });
  // Its lease would have lasted an hour: the lock proves that the process is gone.
  const [waiting] = (await store.pending({ limit: 9 })).lanes;
  assert.deepEqual([waiting?.sessionId, waiting?.wants, waiting?.seq], ["s", "takeOver", 3]);
  assert.deepEqual(await store.renew("first"), { status: "lost" });
  await store.join({ nodeId: "second", ttl: 1000 });
  const lane = openLane(store, "s");
  const { events } = done(await lane.takeover({ owner: "second" }));
  assert.deepEqual(
    events.map((event) => event.type),
    ["run.resumed"],
  );
  await store.close();
});
