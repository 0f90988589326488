import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { mcpBench, printed, serverProcesses } from "./bench.ts";

test("a server that does not start reports the reason and leaves no process", async (t) => {
  const { config, open } = mcpBench(t);
  await assert.rejects(open(config("rough.ts", "exits")), {
    code: "mcp",
    message: "the server exited with code 3. Its stderr ends with: there is no config",
  });
  await assert.rejects(open({ ...config("rough.ts"), command: ["no-such-program-here"] }), {
    message:
      /^the server cannot be started: there is no program no-such-program-here, or no directory /,
  });
  await assert.rejects(open({ ...config("rough.ts"), cwd: "/no/such/folder" }), {
    message: /or no directory \/no\/such\/folder$/,
  });
  await assert.rejects(open({ ...config("rough.ts"), command: ["/etc/passwd"] }), {
    message: "the server cannot be started: /etc/passwd is not executable",
  });
  assert.deepEqual(serverProcesses(), []);
});

test("a server that hangs at its start is ended after a timeout, or when the wait is aborted", async (t) => {
  const { config, open } = mcpBench(t);
  const limits = { connectTimeout: 300, listTimeout: 300, closeGrace: 50 };
  await assert.rejects(open(config("rough.ts", "silent"), { limits }), {
    message: "the server did not answer within 0.3 s",
  });
  await assert.rejects(open(config("rough.ts", "listless"), { limits }), {
    message: "the server did not answer within 0.3 s",
  });
  assert.deepEqual(serverProcesses(), []);
  const stop = new AbortController();
  const opening = open(config("rough.ts", "silent"), { signal: stop.signal });
  await waitFor(() => serverProcesses().length, {
    describe: "one process of the server",
    until: (count) => count === 1,
  });
  stop.abort(new Error("the directory is closed"));
  await assert.rejects(opening, { message: "the directory is closed" });
  assert.deepEqual(serverProcesses(), []);
});

test("if a server crashes during a call, only that call fails, and the next one reconnects", async (t) => {
  const { config, open, call } = mcpBench(t);
  const server = await open(config("rough.ts"));
  const { pid } = server.status();
  let changes = 0;
  server.onChange(() => (changes += 1));
  const [crashed, beside] = await Promise.all([call(server, "crash"), call(server, "hang")]);
  assert.deepEqual([crashed.status, beside.status], ["failed", "failed"]);
  for (const result of [crashed, beside]) {
    assert.match(result.output, /the server exited with code 7\. Its stderr ends with: .*it hurts/);
  }
  const again = await call(server, "echo");
  assert.match(again.output, /^echo from rough \d+$/);
  const now = server.status();
  assert.ok(now.pid !== pid);
  // The tools are the same, so no new config version is loaded.
  assert.deepEqual([now.status, now.problem, now.restarts, changes], ["connected", null, 1, 0]);
});

test("a server that crashes repeatedly is restarted less and less often, then only on request", async (t) => {
  const { config, open, call } = mcpBench(t);
  const server = await open(config("rough.ts"));
  for (let crash = 0; crash < 4; crash += 1) {
    assert.equal((await call(server, "crash")).status, "failed");
  }
  await waitFor(() => server.status(), {
    describe: "the status failed",
    until: ({ status }) => status === "failed",
  });
  const { problem, restarts, tools } = server.status();
  assert.deepEqual([problem, restarts, tools.length], ["the server exited with code 7", 3, 11]);
  const { status, output } = await call(server, "echo");
  assert.equal(status, "failed");
  assert.match(output, /: the server exited with code 7 \(next try in \d+ s\)$/);
});

test("a hanging call ends after a timeout, and the server is notified", async (t) => {
  const { config, open, call } = mcpBench(t);
  const server = await open({ ...config("rough.ts"), timeout: 500 });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const hanging = call(server, "hang");
  await printed(server, "hanging");
  t.mock.timers.tick(500);
  assert.deepEqual(await hanging, {
    status: "failed",
    output: "The call to the MCP server box failed: the server did not answer within 0.5 s",
  });
  await printed(server, "cancelled 2: ");
  assert.equal((await call(server, "echo")).status, "completed");
  assert.equal(server.status().restarts, 0);
  t.mock.timers.reset();
});

test("a call that reports progress ends at the limit for the whole call, and the server is notified", async (t) => {
  const { config, open, call, progress } = mcpBench(t);
  const limits = { maxCallTime: 1_500 };
  // Without progress, the limit of silence would end the call first.
  const server = await open({ ...config("rough.ts"), timeout: 1_500 }, { limits });
  assert.deepEqual(await call(server, "busy"), {
    status: "failed",
    output: "The call to the MCP server box failed: the call did not end within 1.5 s",
  });
  assert.ok(progress.length > 0);
  await printed(server, "cancelled 2: ");
});

test("a server that ignores the request to end is killed", async (t) => {
  const { config, open } = mcpBench(t);
  const server = await open(config("rough.ts", "stubborn"), { limits: { closeGrace: 1_000 } });
  const start = performance.now();
  await server.close();
  const took = performance.now() - start;
  assert.ok(took > 990, `${took} ms`);
  assert.match(server.status().stderr, /^no\n/);
  assert.deepEqual(serverProcesses(), []);
});

test("closing ends the wait of every call, even of one that waits for a restart", async (t) => {
  const { config, open, call } = mcpBench(t);
  const backoff = { first: 4_900, max: 60_000, tries: 3, forgetAfter: 60_000 };
  const server = await open(config("rough.ts"), { limits: { backoff } });
  const hanging = call(server, "hang");
  await printed(server, "hanging");
  await call(server, "crash");
  const waiting = call(server, "echo");
  assert.equal(server.status().status, "reconnecting");
  await server.close();
  assert.deepEqual(
    [(await hanging).status, await waiting],
    [
      "failed",
      { status: "failed", output: "The call to the MCP server box failed: the server was closed" },
    ],
  );
  assert.equal(server.status().restarts, 0);
});

test("no server outlives a program that exits; servers of a killed program are ended by the next one", async (t) => {
  const file = join(import.meta.dirname, "servers/owner.ts");
  const start = (how: string): ChildProcess => {
    const owner = spawn(process.execPath, [file, how], { stdio: ["ignore", "pipe", "inherit"] });
    t.after(() => owner.kill("SIGKILL"));
    return owner;
  };
  const killed = start("wait");
  assert.ok(killed.stdout !== null && killed.pid !== undefined);
  await once(killed.stdout, "data");
  killed.kill("SIGKILL");
  await once(killed, "exit");
  const next = start("exit");
  await once(next, "exit");
  await waitFor(() => serverProcesses(killed.pid).length + serverProcesses(next.pid).length, {
    describe: "no process of the server",
    until: (count) => count === 0,
  });
});
