import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createDemoAgent } from "../../src/agent/demo/demo-agent.ts";
import { openClient } from "../../src/compose/client.ts";
import { createRuntime } from "../../src/runtime/runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { scratchFolder } from "../support/scratch-folder.ts";
import { waitFor } from "../support/wait-for.ts";

test("M8 without a server, a command that changes sessions executes no waiting undo, even of a session named none", async (t) => {
  const home = scratchFolder(t, "idle-client");
  const store = join(home, "holdfast.db");
  // This runtime works on no session of this store, so the undo waits.
  const open = (): Promise<Runtime> =>
    createRuntime({
      agent: createDemoAgent({ faults: false }),
      store,
      maxRuns: 0,
      onlySession: "absent",
    });
  const before = await open();
  await before.createSession({ sessionId: "none", directory: home });
  await before.createSession({ sessionId: "other", directory: home });
  await before.queueWork({ sessionId: "none", workId: "undo", name: "revert", input: null });
  const expiresAt = (await before.store.now()) + 300;
  await before.prompt({ sessionId: "other", promptId: "late", text: "late", expiresAt });
  await before.close();

  const client = await openClient({ store, embedded: true, environment: {}, home }, "change");
  // The client scans the store, and so ends the prompt. The same scan finds the undo.
  const prompt = client.holdfast.session("other").promptById("late");
  await waitFor(async () => (await prompt.get()).status, {
    describe: "the end of the expired prompt",
    until: (status) => status === "settled",
  });
  await client[Symbol.asyncDispose]();

  const after = await open();
  t.after(() => after.close());
  const { started, ended } = (await after.store.work("none", "undo")) ?? {};
  assert.deepEqual([started, ended], [null, null]);
});
