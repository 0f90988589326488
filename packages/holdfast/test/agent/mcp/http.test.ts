import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { McpServerConfig } from "../../../src/agent/mcp/config.ts";
import { until } from "../coding/until.ts";
import { mcpBench } from "./bench.ts";

/** A server process that listens, with what it has said. */
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
  await until(() => said.length > 0);
  return { port: said[0] ?? "", said, kill };
}

function at(port: string, headers: Record<string, string> = {}): McpServerConfig {
  return { type: "http", url: `http://127.0.0.1:${port}/mcp`, headers, timeout: null };
}

test("a server at an address is used with its headers, and not without them", async (t) => {
  const { open, call } = mcpBench(t);
  const { port } = await listen(t, "0", "k-1");
  await assert.rejects(open(at(port)), {
    message: "it answered with status 401: Error POSTing to endpoint: who are you?",
  });
  const server = await open(at(port, { "x-key": "k-1" }));
  assert.equal((await call(server, "pid")).status, "completed");
  const { status, transport, server: says, pid } = server.status();
  assert.deepEqual([status, transport, says, pid], ["connected", "http", "web 1.0.0", null]);
});

test("C5 a call to an address is cancelled there when it is stopped", async (t) => {
  const { open, call } = mcpBench(t);
  const { port, said } = await listen(t);
  const server = await open(at(port));
  const stop = new AbortController();
  const waiting = call(server, "wait", { context: { signal: stop.signal } });
  await until(() => said.includes("waiting"));
  stop.abort(new Error("enough"));
  assert.deepEqual(await waiting, { status: "failed", output: "stopped before it was done" });
  await until(() => said.includes("cancelled"));
});

test("a server at an address that dies in a call costs that call, and is used again when it is back", async (t) => {
  const { open, call } = mcpBench(t);
  const first = await listen(t);
  const server = await open(at(first.port), {
    limits: { backoff: { first: 50, max: 100, tries: 3, forgetAfter: 60_000 } },
  });
  const waiting = call(server, "wait");
  await until(() => first.said.includes("waiting"));
  await first.kill();
  const lost = await waiting;
  assert.equal(lost.status, "failed");
  assert.match(lost.output, /the server ended the answer before it was whole|cannot be reached/);
  const away = await call(server, "pid");
  assert.equal(away.status, "failed");
  assert.match(away.output, /it cannot be reached: connect ECONNREFUSED/);
  const second = await listen(t, first.port);
  await until(async () => (await call(server, "pid")).status === "completed");
  // One that restarts while nobody looks has forgotten the session: nobody notices.
  await second.kill();
  await listen(t, first.port);
  assert.equal((await call(server, "pid")).status, "completed");
});

test("too long an answer and a flood from an address are cut off", async (t) => {
  const { open, call } = mcpBench(t);
  const { port } = await listen(t);
  const server = await open(at(port), {
    limits: { flood: { window: 10_000, messages: 1_000, bytes: 50_000_000 } },
  });
  assert.deepEqual(await call(server, "giant"), {
    status: "failed",
    output: "The MCP server box did not do it: it sent more than 8000000 bytes in one message",
  });
  assert.equal(server.status().status, "connected");
  const flood = await call(server, "flood");
  assert.match(flood.output, /it was stopped: it sent \d+ messages in \d+ s$/);
  assert.equal((await call(server, "pid")).status, "completed");
});
