import assert from "node:assert/strict";
import { test } from "node:test";
import { readDiscovery } from "../../src/server/discovery.ts";
import { openCli } from "./test-cli.ts";
import type { Running, TestCli } from "./test-cli.ts";

test("a command that finds a stopping server waits for its end, and starts a new server", async (t) => {
  const cli = openCli(t);
  const server = cli.start("serve", "--port", "0", "--deadline", "2s");
  await server.printed("listening");
  const first = readDiscovery(`${cli.store}.server.json`);
  await cli.start("run", "--patience", "60s", "say begun; stall").printed("begun");
  const stopped = await cli.run("server", "stop");
  assert.match(
    stopped.out,
    /^the server at \S+ is stopping: active runs \(1\) have 2 s to end; the rest continues at/,
  );
  const { end, out, err } = await cli.run("run", "say next");
  assert.deepEqual([end, out], [0, "[demo agent] next\n"], err);
  assert.doesNotMatch(err, /waiting up to/);
  assert.equal((await server.ended).end, 0);
  assert.notEqual(readDiscovery(`${cli.store}.server.json`)?.pid, first?.pid);
});

/** Starts a server with a run, and stops it. The run keeps the server alive until its deadline. */
async function startStopping(cli: TestCli): Promise<Running> {
  const server = cli.start("serve", "--port", "0", "--deadline", "2s");
  await server.printed("listening");
  await cli.start("run", "--patience", "60s", "say begun; stall").printed("begun");
  assert.equal((await cli.run("server", "stop")).end, 0);
  return server;
}

test("serve that finds a stopping server waits for its end, and then starts", async (t) => {
  const cli = openCli(t);
  const stopping = await startStopping(cli);
  const server = cli.start("serve", "--port", "0");
  await server.printed("the server is stopping; waiting until it has ended");
  await server.printed("listening");
  assert.equal((await stopping.ended).end, 0);
});

test("run --embedded that finds a stopping server waits for its end, and then runs", async (t) => {
  const cli = openCli(t);
  const stopping = await startStopping(cli);
  const { end, out, err } = await cli.run("run", "--embedded", "say next");
  assert.deepEqual([end, out], [0, "[demo agent] next\n"], err);
  assert.match(err, /^holdfast: the server is stopping; waiting until it has ended\n/);
  assert.equal((await stopping.ended).end, 0);
});
