import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { text } from "node:stream/consumers";
import { waitFor } from "../../support/wait-for.ts";
import { mcpBench } from "./bench.ts";

const results: Readonly<Record<string, object | undefined>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "restless", version: "1" },
  },
  "tools/list": { tools: [{ name: "any", inputSchema: { type: "object" } }] },
};

test("a stream is opened again after the time that the server gives with `retry`", async (t) => {
  const { open } = mcpBench(t);
  /** Times at which a stream was opened, and its last event id. */
  const streams: { at: number; last: string | undefined }[] = [];
  let endedAt = 0;
  const server = createServer((request, response) => {
    void (async () => {
      if (request.method === "GET") {
        const last = request.headers["last-event-id"];
        streams.push({
          at: performance.now(),
          last: last === undefined ? undefined : String(last),
        });
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write("retry: 1500\nid: e1\ndata: \n\n");
        if (streams.length > 1) return;
        endedAt = performance.now();
        response.end();
        return;
      }
      const { id, method } = JSON.parse(await text(request));
      if (id === undefined) return void response.writeHead(202).end();
      const result = results[method];
      response.writeHead(200, { "content-type": "application/json" });
      const answer =
        result === undefined ? { error: { code: -32_601, message: "no" } } : { result };
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const url = `http://127.0.0.1:${port}/mcp`;
  await open({ type: "http", url, headers: {}, timeout: null });
  await waitFor(() => streams.length, { describe: "a second stream", until: (count) => count > 1 });
  const delay = (streams[1]?.at ?? 0) - endedAt;
  // Without `retry`, the delay is one second.
  assert.ok(delay >= 1_450, `opened again after ${delay} ms`);
  assert.equal(streams[1]?.last, "e1");
});
