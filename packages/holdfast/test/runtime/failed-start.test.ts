import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime } from "../../src/runtime/runtime.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { createPuppets } from "../runner/support/puppets.ts";
import { createHandClock } from "../support/hand-clock.ts";

test("a runtime whose later part fails to open leaves no lease and no timer of its worker", async (t) => {
  const store = await openSqliteStore({ file: ":memory:" });
  t.after(() => store.close());
  const messages = {
    send: async () => true,
    listen: () => {
      throw new Error("no channel");
    },
  };
  const clock = createHandClock();
  const agent = createPuppets().agent("first");
  const starting = createRuntime({ agent, store: { ...store, messages }, clock });
  await assert.rejects(starting, /no channel/);
  assert.deepEqual([await store.nodes(), clock.pending()], [[], 0]);
});
