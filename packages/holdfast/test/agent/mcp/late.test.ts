import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { mcpBench, serverProcesses } from "./bench.ts";

// A server that starts slowly, and a caller that does not wait for it.

test("a slow server opens without tools, and gets them when it is connected", async (t) => {
  const { config, open, call } = mcpBench(t);
  const usual = config("rough.ts", "late", "sign");
  const server = await open(usual, { patience: 20 });
  let changes = 0;
  server.onChange(() => (changes += 1));
  const { status, problem, tools, restarts } = server.status();
  assert.deepEqual([status, problem, tools, restarts], ["connecting", null, [], 0]);
  assert.equal(server.notice(), "MCP server box is not ready yet. Runs start without its tools");
  const before = server.version();
  writeFileSync(join(usual.cwd, "sign"), "");
  await waitFor(() => server.status(), {
    describe: "the status connected",
    until: ({ status }) => status === "connected",
  });
  assert.deepEqual([changes, server.notice(), server.status().restarts], [1, null, 0]);
  assert.notEqual(server.version(), before);
  assert.match((await call(server, "echo")).output, /^echo from sign \d+$/);
});

test("a slow server that fails is tried again, and then reports why it is not available", async (t) => {
  const { config, open } = mcpBench(t);
  const backoff = { first: 10, max: 60_000, tries: 1, forgetAfter: 60_000 };
  const limits = { connectTimeout: 100, closeGrace: 20, backoff };
  const server = await open(config("rough.ts", "silent"), { patience: 20, limits });
  await waitFor(() => server.status(), {
    describe: "the status failed",
    until: ({ status }) => status === "failed",
  });
  const why = "the server did not answer within 0.1 s";
  const { problem, restarts } = server.status();
  assert.deepEqual([problem, restarts], [why, 1]);
  assert.equal(server.notice(), `MCP server box could not be opened: ${why}`);
});

test("the output of a server that never connects is shown, during the attempts and after the failure", async (t) => {
  const { config, open } = mcpBench(t);
  const backoff = { first: 10, max: 60_000, tries: 0, forgetAfter: 60_000 };
  const since = performance.now();
  await open(config("rough.ts"));
  // Enough for a server to start and print, on a slow machine too.
  const seconds = 2 + Math.ceil((10 * (performance.now() - since)) / 1_000);
  const limits = { connectTimeout: seconds * 1_000, closeGrace: 20, backoff };
  const server = await open(config("rough.ts", "mumbling"), { patience: 20, limits });
  await waitFor(() => server.status().stderr !== "", { describe: "words on stderr" });
  assert.deepEqual(
    [server.status().status, server.status().stderr],
    ["connecting", "waiting for a login\nat example.org\n"],
  );
  const printed = "waiting for a login at example.org";
  assert.equal(
    server.notice(),
    `MCP server box is not ready yet. Runs start without its tools: its stderr ends with: ${printed}`,
  );
  await waitFor(() => server.status(), {
    describe: "the status failed",
    until: ({ status }) => status === "failed",
    limit: 60_000 + limits.connectTimeout,
  });
  const why = `the server did not answer within ${seconds} s. Its stderr ends with: ${printed}`;
  assert.equal(server.notice(), `MCP server box could not be opened: ${why}`);
  assert.equal(server.status().stderr, "waiting for a login\nat example.org\n");
  await assert.rejects(open(config("rough.ts", "asking"), { limits }), {
    message:
      /^the server did not answer within \d+ s\. the server prints .* such as: Ok to proceed\? \(y\)$/,
  });
});

test("a server that fails within the wait time does not open", async (t) => {
  const { config, open } = mcpBench(t);
  await assert.rejects(open(config("rough.ts", "exits"), { patience: 20_000 }), {
    message: "the server exited with code 3. Its stderr ends with: there is no config",
  });
});

test("closing a slow server leaves no process", async (t) => {
  const { config, open } = mcpBench(t);
  const server = await open(config("rough.ts", "silent"), { patience: 20 });
  await server.close();
  assert.deepEqual(serverProcesses(), []);
});
