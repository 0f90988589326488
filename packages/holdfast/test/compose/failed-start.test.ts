import assert from "node:assert/strict";
import { test } from "node:test";
import { serve } from "../../src/compose/serve.ts";
import { openReader } from "../../src/compose/stores.ts";
import { scratchFolder } from "../support/scratch-folder.ts";
import { serverSettings } from "../support/server-settings.ts";

// Would catch: a start that fails after the runtime was created closes the store and leaves the runtime
// at work, so the lease stays in the store and its renewal fails once a second.

test("a start that fails after the runtime was created ends the runtime's lease", async (t) => {
  const settings = serverSettings(scratchFolder(t, "failed-start"));
  const { server } = await serve({ ...settings, publicUrl: "not a URL" });
  await assert.rejects(server.ready, { code: "ERR_INVALID_URL" });
  await server.closed;
  const reader = await openReader(settings.store);
  t.after(() => reader.close());
  assert.deepEqual(await reader.nodes(), []);
});
