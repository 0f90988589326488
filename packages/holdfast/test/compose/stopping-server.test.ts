import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { hasFreedStore } from "../../src/compose/stopping-server.ts";
import type { FoundServer } from "../../src/server/discovery.ts";
import { listen } from "../../src/server/listen.ts";

/** A server in this process, so it never ends while the test waits for it. */
async function startAnswering(t: TestContext, status: number): Promise<FoundServer> {
  const http = createServer((_, response) => {
    response.writeHead(status).end(JSON.stringify({ error: { code: "draining" } }));
  });
  t.after(() => http.close());
  const port = await listen(http, { host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${port}`;
  const { pid } = process;
  return { url, pid, startedAt: 0, isBackground: false, secret: "s", version: "1" };
}

test("a server that is still stopping after the patience is reported with its process", async (t) => {
  const server = await startAnswering(t, 503);
  const notes: string[] = [];
  const note = (text: string): unknown => notes.push(text);
  await assert.rejects(hasFreedStore(server, { patience: 1, note }), {
    code: "serverRunning",
    message: `the server (process ${process.pid}) is still stopping; try again in a moment`,
  });
  assert.deepEqual(notes, ["the server is stopping; waiting until it has ended"]);
});

test("a server that is not stopping keeps the store, and nothing waits for it", async (t) => {
  const server = await startAnswering(t, 200);
  assert.equal(await hasFreedStore(server, {}), false);
});
