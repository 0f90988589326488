import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRuntime } from "../../src/runtime/runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../src/store/store.ts";
import { databaseFile } from "../store/sqlite/folder.ts";
import { sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";
import { oneStep } from "./races/tries.ts";

// Signals save other processes a read of the lane; no promise depends on them.

let server: SharedPostgres;
before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

const sessionId = "main";
/** Longer than the time limit of a test, which allows for a slow machine. */
const never = 600_000;
const timeout = 300_000;

test(
  "L3 other processes do not read a lane that needs nothing, and react at once when it needs something",
  { timeout },
  async (t) => {
    const url = await server.createDatabase();
    const looks: string[] = [];
    const real = await openPostgresStore({ url, connections: 4 });
    const lane: Store["lane"] = (id) => {
      looks.push(id);
      return real.lane(id);
    };
    // This process takes all runs that are ready, and never polls.
    const worker = await start({ ...real, lane }, { pollEvery: never });
    t.after(() => worker.close().then(() => real.close()));
    await worker.ready;
    const nearStore = await openPostgresStore({ url, connections: 4 });
    const near = await start(nearStore, {});
    t.after(() => near.close().then(() => nearStore.close()));
    await near.createSession({ sessionId, directory: "/project" });
    const holdId = "stop";
    await near.placeHold({ sessionId, holdId, reason: "not yet" });

    const heard = versionHeard(real, 12);
    for (let count = 1; count <= 9; count += 1) {
      await near.prompt({ sessionId, promptId: `p${count}`, text: "go on" });
    }
    await near.renameSession({ sessionId, title: "Held" });
    await heard;
    assert.deepEqual(looks, []);

    await near.drain();
    await near.releaseHold({ sessionId, holdId });
    const settled = await worker.wait({ sessionId, promptId: "p9" });
    assert.equal(settled?.outcome?.status, "completed");
  },
);

test("L3 a process does not read a lane after a run that leaves nothing to do", async (t) => {
  const real = await openSqliteStore({ file: databaseFile(t) });
  const looks: string[] = [];
  const lane: Store["lane"] = (id) => {
    looks.push(id);
    return real.lane(id);
  };
  const holdfast = await start({ ...real, lane }, { pollEvery: never });
  t.after(() => holdfast.close().then(() => real.close()));
  const ask = async (id: string, promptId: string): Promise<void> => {
    await holdfast.prompt({ sessionId: id, promptId, text: "go on" });
    const settled = await holdfast.wait({ sessionId: id, promptId });
    assert.equal(settled?.outcome?.status, "completed");
  };
  await holdfast.createSession({ sessionId, directory: "/project" });
  for (const promptId of ["p1", "p2", "p3"]) await ask(sessionId, promptId);
  await holdfast.createSession({ sessionId: "other", directory: "/project" });
  await ask("other", "p1");
  await holdfast.drain();
  assert.deepEqual(looks, []);
});

test(
  "L3 a wrong signal that a lane needs nothing only delays it until the next poll",
  { timeout },
  async (t) => {
    const store = await openPostgresStore({ url: await server.createDatabase(), connections: 4 });
    const watch: Store["watch"] = (listener) =>
      store.watch((signal) =>
        listener(signal.kind === "lane" ? { ...signal, wantsNothing: true } : signal),
      );
    const holdfast = await start({ ...store, watch }, { pollEvery: 20 });
    t.after(() => holdfast.close().then(() => store.close()));
    await holdfast.createSession({ sessionId, directory: "/project" });
    const outcomes = [];
    for (const promptId of ["p1", "p2", "p3"]) {
      await holdfast.prompt({ sessionId, promptId, text: "go on" });
      outcomes.push((await holdfast.wait({ sessionId, promptId }))?.outcome?.status);
    }
    assert.deepEqual(outcomes, ["completed", "completed", "completed"]);
  },
);

function start(store: Store, settings: { pollEvery?: number }): Promise<Runtime> {
  return createRuntime({ store, agent: oneStep, titles: false, ...settings });
}

/** Resolves when the store has signalled this version of the session. */
function versionHeard(store: Store, seq: number): Promise<void> {
  return new Promise((resolve) => {
    store.watch((signal) => {
      if (signal.kind === "lane" && signal.seq >= seq) resolve();
    });
  });
}
