import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { freePort } from "../../support/free-port.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { McpServerConfig } from "../../../src/agent/mcp/config.ts";
import { mcpBench } from "./bench.ts";

/** A server process that listens, with its output. */
interface Listener {
  readonly port: string;
  readonly said: readonly string[];
  readonly kill: () => Promise<void>;
}

async function listen(t: TestContext, port = "0", key = ""): Promise<Listener> {
  const file = join(import.meta.dirname, "servers/web.ts");
  const child = spawn(process.execPath, [file, port, key], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const said: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => said.push(line));
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  t.after(kill);
  await waitFor(() => said.length, {
    describe: "words of the server",
    until: (count) => count > 0,
  });
  return { port: said[0] ?? "", said, kill };
}

function at(port: string, headers: Record<string, string> = {}): McpServerConfig {
  return { type: "http", url: `http://127.0.0.1:${port}/mcp`, headers, timeout: null };
}

test("C5 a server at an address gets its headers, and a stopped call is cancelled there", async (t) => {
  const { open, call } = mcpBench(t);
  const { port, said } = await listen(t, "0", "k-1");
  await assert.rejects(open(at(port)), {
    message:
      'the server answered with status 401: who are you? (set a key under "headers", such as "authorization")',
  });
  const server = await open(at(port, { "x-key": "k-1" }));
  assert.equal((await call(server, "pid")).status, "completed");
  const { status, transport, server: says, pid } = server.status();
  assert.deepEqual([status, transport, says, pid], ["connected", "http", "web 1.0.0", null]);
  const stop = new AbortController();
  const waiting = call(server, "wait", { context: { signal: stop.signal } });
  await waitFor(() => said, { describe: "waiting", until: (words) => words.includes("waiting") });
  stop.abort(new Error("enough"));
  assert.deepEqual(await waiting, {
    status: "failed",
    output: "The run stopped before the call ended.",
  });
  await waitFor(() => said, {
    describe: "cancelled",
    until: (words) => words.includes("cancelled"),
  });
});

test("if a server at an address dies during a call, only that call fails, and later calls reconnect", async (t) => {
  const { open, call } = mcpBench(t);
  const first = await listen(t, String(await freePort()));
  const server = await open(at(first.port), {
    limits: { backoff: { first: 50, max: 100, tries: 3, forgetAfter: 60_000 } },
  });
  const waiting = call(server, "wait");
  await waitFor(() => first.said, {
    describe: "waiting",
    until: (words) => words.includes("waiting"),
  });
  await first.kill();
  const lost = await waiting;
  assert.equal(lost.status, "failed");
  assert.match(lost.output, /the server ended the answer before it was complete|cannot be reached/);
  const away = await call(server, "pid");
  assert.equal(away.status, "failed");
  assert.match(away.output, /the server cannot be reached: connect ECONNREFUSED/);
  const second = await listen(t, first.port);
  await waitFor(() => call(server, "pid"), {
    describe: "a call that succeeds",
    until: ({ status }) => status === "completed",
  });
  // A server that restarts between two calls has lost the session; the client opens a new one.
  await second.kill();
  await listen(t, first.port);
  assert.equal((await call(server, "pid")).status, "completed");
});

test("an answer that is too long and a flood from an address are cut off", async (t) => {
  const { open, call } = mcpBench(t);
  const { port } = await listen(t);
  const server = await open(at(port), {
    limits: { flood: { window: 10_000, messages: 1_000, bytes: 50_000_000 } },
  });
  assert.deepEqual(await call(server, "giant"), {
    status: "failed",
    output:
      "The call to the MCP server box failed: the server sent more than 8000000 bytes in one message",
  });
  assert.equal(server.status().status, "connected");
  const flood = await call(server, "flood");
  assert.match(
    flood.output,
    /Holdfast disconnected the server: the server sent \d+ messages or chunks in \d+ s$/,
  );
  assert.equal((await call(server, "pid")).status, "completed");
});

test("an address that is not an MCP server is reported as such", async (t) => {
  const { open } = mcpBench(t);
  const server = createServer((_, response) => response.writeHead(405).end("no"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  const config = at(String(typeof address === "object" ? address?.port : 0));
  await assert.rejects(open(config), {
    message:
      /^the server answered with status 405: no \(check that the URL is an endpoint of streamable HTTP/,
  });
});

test("an address that does not answer times out, at the start, in a call and at the end", async (t) => {
  const { open, call } = mcpBench(t);
  const sockets = new Set<Socket>();
  let isDeaf = true;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (isDeaf || request.method !== "POST") return;
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString());
      const result = answers[method];
      if (id === undefined) response.writeHead(202).end();
      if (id === undefined || result === undefined) return;
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  const config = at(String(typeof address === "object" ? address?.port : 0));
  const limits = { probeTimeout: 200 };
  await assert.rejects(open(config, { limits: { ...limits, connectTimeout: 200 } }), {
    message: "the server did not answer within 0.2 s",
  });
  await waitFor(() => sockets.size, { describe: "closed sockets", until: (count) => count === 0 });
  isDeaf = false;
  const opened = await open(config, { limits: { ...limits, callTimeout: 100 } });
  assert.equal(
    (await call(opened, "any")).output,
    "The call to the MCP server box failed: the server did not answer within 0.1 s",
  );
  const start = performance.now();
  await opened.close();
  assert.ok(performance.now() - start < 5_000);
  server.closeIdleConnections();
  await waitFor(() => sockets.size, { describe: "closed sockets", until: (count) => count === 0 });
});

const answers: Record<string, object | undefined> = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "hand-made", version: "0" },
  },
  "tools/list": { tools: [{ name: "any", inputSchema: { type: "object" } }] },
};
