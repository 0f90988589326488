import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { mcpBench } from "./bench.ts";

/** A server of the older transport. It sends the endpoint that the test chooses. */
async function sseServer(t: TestContext, endpoint: string) {
  const streams = new Set<ServerResponse>();
  const posted: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`event: endpoint\ndata: ${endpoint}\n\n`);
      streams.add(response);
      return;
    }
    if (request.url === "/sse") {
      response.writeHead(405).end("use GET");
      return;
    }
    posted.push(request.headers["x-key"]?.toString());
    void answer(request, response);
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { id, method } = JSON.parse(await text(request));
    response.writeHead(202).end();
    const result = results[method];
    if (result === undefined) return;
    const message = JSON.stringify({ jsonrpc: "2.0", id, result });
    for (const stream of streams) stream.write(`event: message\ndata: ${message}\n\n`);
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return { url: `http://127.0.0.1:${port}/sse`, streams, posted };
}

const results: Readonly<Record<string, object | undefined>> = {
  initialize: {
    protocolVersion: "2024-11-05",
    capabilities: { tools: {} },
    serverInfo: { name: "older", version: "1" },
  },
  "tools/list": { tools: [{ name: "any", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "from long ago" }] },
};

test("a server of the older HTTP+SSE transport is used with its headers, and reconnects", async (t) => {
  const { open, call } = mcpBench(t);
  const { url, streams, posted } = await sseServer(t, "/messages?session=1");
  const server = await open({ type: "http", url, headers: { "x-key": "k" }, timeout: null });
  assert.deepEqual(await call(server, "any"), { status: "completed", output: "from long ago" });
  assert.ok(posted.every((key) => key === "k"));
  assert.equal(server.status().problem, "the server uses the older HTTP+SSE transport");
  for (const stream of streams) stream.destroy();
  streams.clear();
  await waitFor(() => call(server, "any"), {
    describe: "a call on a new connection",
    until: ({ status }) => status === "completed",
  });
});

test("a server of the older transport cannot redirect messages to another host", async (t) => {
  const { open } = mcpBench(t);
  const { url, posted } = await sseServer(t, "http://127.0.0.1:1/messages");
  await assert.rejects(open({ type: "http", url, headers: { "x-key": "k" }, timeout: null }));
  assert.deepEqual(posted, []);
});
