import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime } from "../../src/runtime/runtime.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Signal, Store } from "../../src/store/store.ts";
import { databaseFile } from "../store/sqlite/folder.ts";
import { oneStep } from "./races/tries.ts";

test("L3 a lane is read when its signal says that it needs something; if another process sent it, after a short delay", async (t) => {
  const store = await openSqliteStore({ file: databaseFile(t) });
  const looks: string[] = [];
  const listeners = new Set<(signal: Signal) => void>();
  const lane: Store["lane"] = (id) => {
    looks.push(id);
    return store.lane(id);
  };
  const watch: Store["watch"] = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const say = (seq: number, said: { wantsNothing?: true; isForeign?: true }): void => {
    const signal = { kind: "lane", sessionId: "main", seq } as const;
    const { wantsNothing = false, isForeign = false } = said;
    for (const listener of listeners) listener({ ...signal, ready: null, wantsNothing, isForeign });
  };
  const holdfast = await createRuntime({
    store: { ...store, lane, watch },
    agent: oneStep,
    titles: false,
    pollEvery: 600_000,
    leaseTtl: 600_000,
    renewEvery: 300_000,
  });
  t.after(() => holdfast.close().then(() => store.close()));
  await holdfast.ready;
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const looksAfter = (act: () => void): number => {
    const before = looks.length;
    act();
    return looks.length - before;
  };
  const aMoment = (): void => t.mock.timers.tick(1_000);
  assert.deepEqual(
    [
      looksAfter(() => say(2, {})),
      looksAfter(() => say(3, { wantsNothing: true })),
      looksAfter(() => say(4, { isForeign: true })),
      looksAfter(aMoment),
      looksAfter(() => say(5, { isForeign: true })),
      // The process that wrote this event has already taken the run.
      looksAfter(() => say(6, { isForeign: true, wantsNothing: true })),
      looksAfter(aMoment),
    ],
    [0, 0, 0, 1, 0, 0, 0],
  );
  // Timers that were set with the real clock can only be cleared with it.
  t.mock.timers.reset();
});
