import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { done, openLane } from "../store/lane-client.ts";
import { openEmbedded } from "./test-cli.ts";
import type { TestCli } from "./test-cli.ts";

const hour = 3_600_000;

/** A command line on a store with two runs of an hour ago. The lease of one of their processes has expired. */
async function openKilled(t: TestContext): Promise<TestCli> {
  const cli = openEmbedded(t);
  mkdirSync(dirname(cli.store), { recursive: true });
  const store = await openSqliteStore({ file: cli.store, clock: () => Date.now() - hour });
  for (const [sessionId, ttl] of Object.entries({ killed: 10_000, alive: 2 * hour })) {
    await store.join({ nodeId: `node-${sessionId}`, ttl });
    const lane = openLane(store, sessionId);
    done(await lane.create());
    done(await lane.accept(`prompt-${sessionId}`, { text: '{"text":"hello"}' }));
    done(await lane.start(`run-${sessionId}`, { owner: `node-${sessionId}` }));
  }
  await store.close();
  return cli;
}

test("L5 without a server, a run is cut off after the lease of its process has expired", async (t) => {
  const cli = await openKilled(t);
  const list = async (...words: string[]): Promise<Record<string, string>> => {
    const { out } = await cli.run("sessions", "--json", ...words);
    const lines = out.split("\n").filter((line) => line !== "");
    const found: { sessionId: string; status: string }[] = lines.map((line) => JSON.parse(line));
    return Object.fromEntries(found.map(({ sessionId, status }) => [sessionId, status]));
  };
  const [all, running, cutOff] = await Promise.all([
    list(),
    list("--status", "running"),
    list("--status", "cutOff"),
  ]);
  assert.deepEqual(all, { killed: "cutOff", alive: "running" });
  assert.deepEqual([running, cutOff], [{ alive: "running" }, { killed: "cutOff" }]);
});

test("sessions, show and prompts call a run whose process was killed cut off, and sessions says how to continue", async (t) => {
  const cli = await openKilled(t);
  const [sessions, show, prompts] = await Promise.all([
    cli.run("sessions"),
    cli.run("show", "killed"),
    cli.run("prompts", "--all"),
  ]);
  assert.match(sessions.out, /^killed .* cut off, continues with the next prompt /m);
  assert.match(sessions.out, /^alive .* running /m);
  assert.match(sessions.err, /^No server is running\. .*: holdfast run --session killed\n$/);
  assert.match(show.out, /^killed {2}cut off, continues with the next prompt\n/);
  assert.match(prompts.out, / cut off +killed .*\n/);
  assert.match(prompts.out, / running +alive .*\n/);
});
