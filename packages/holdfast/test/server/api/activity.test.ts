import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { changeableSecurity } from "./changeable-security.ts";
import { openAsk, openTestServer } from "./test-server.ts";
import type { Json } from "./test-server.ts";

const none = { running: 0, waiting: 0, asks: 0, paused: 0 };

test("a token limited to a directory gets no number from outside in the activity", async (t) => {
  const folder = scratchFolder(t, "activity");
  for (const name of ["own", "other"]) mkdirSync(join(folder, name));
  const { security, become } = changeableSecurity();
  const { place, ask } = await openTestServer(t, { security });
  const { run, asked } = await openAsk(place);
  for (const sessionId of ["own", "other"]) {
    await ask("POST", "/v1/sessions", { body: { sessionId, directory: join(folder, sessionId) } });
    await ask("POST", `/v1/sessions/${sessionId}/holds`, { body: {} });
    await ask("POST", `/v1/sessions/${sessionId}/prompts`, { body: { text: "hello" } });
  }
  const read = async (): Promise<Json> => {
    const { current, slices } = (await ask("GET", "/v1/activity?slices=1")).json;
    const [{ waiting, running }] = slices;
    return { current, slice: { waiting, running } };
  };
  assert.deepEqual(await read(), {
    current: { running: 1, waiting: 2, asks: 1, paused: 2 },
    slice: { waiting: 2, running: 1 },
  });
  become({ role: "observe", directories: [join(folder, "own")] });
  assert.deepEqual(await read(), {
    current: { ...none, waiting: 1, paused: 1 },
    slice: { waiting: 1, running: 0 },
  });
  become({ role: "observe", directories: [] });
  assert.deepEqual(await read(), { current: none, slice: { waiting: 0, running: 0 } });
  become({});
  await ask("POST", "/v1/sessions/main/asks/ask1/answer", { body: { verdict: "allow" } });
  await asked;
  run.end();
});

test("a token limited to a directory cannot read the metrics of the server", async (t) => {
  const { security, become } = changeableSecurity();
  const metrics = { text: () => Promise.resolve("holdfast_cost_total 4711\n") };
  const { ask } = await openTestServer(t, { security, metrics, session: false });
  assert.match((await ask("GET", "/metrics")).text, /4711/);
  become({ role: "observe", directories: [scratchFolder(t, "metrics")] });
  const refused = await ask("GET", "/metrics");
  assert.deepEqual([refused.status, refused.code], [403, "forbidden"]);
  assert.match(refused.json.error.message, /limited to some directories.*GET \/v1\/activity/);
  assert.doesNotMatch(refused.text, /4711/);
});
