import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openSetup } from "../../src/compose/setup.ts";
import { workOn } from "../../src/compose/work-client.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

test("if its model is missing, an in-process client closes its setup and creates no store", async (t) => {
  const home = scratchFolder(t, "missing-model");
  const options = {
    store: join(home, "holdfast.db"),
    sessionId: "session",
    directory: home,
    model: "nobody/nothing",
    environment: {},
    home,
    onError: assert.ifError,
  };
  const setup = await openSetup({ ...options, watch: true });
  let closed = 0;
  const close = async (): Promise<void> => {
    closed += 1;
    await setup.close();
  };
  await assert.rejects(workOn({ ...setup, close }, options), { reason: "modelGone" });
  assert.deepEqual([closed, existsSync(options.store)], [1, false]);
});
