import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { openHostedWorld } from "./world.ts";
import type { HostedWorld } from "./world.ts";

// The agent loads its session after its process has ended.

async function killAgent(world: HostedWorld): Promise<void> {
  for (const pid of world.pids()) process.kill(pid, "SIGKILL");
  await waitFor(() => world.pids().length === 0, { describe: "the end of the process" });
}

test("H2 a history that arrives after the answer to the load shows that the agent has the prompt", async (t) => {
  const world = await openHostedWorld(t, { mode: "replays late" });
  await world.prompt("p1", "kill");
  assert.equal((await world.ended("p1")).ended, "completed");
  assert.match(world.lines("prompts")[1] ?? "", /^"Your previous turn was interrupted/);
});

test("H1 a history that arrives after the answer to the load is not recorded", async (t) => {
  const world = await openHostedWorld(t, { mode: "replays late,other history" });
  await world.prompt("p1", "say one");
  await world.ended("p1");
  await killAgent(world);
  await world.prompt("p2", "say two");
  assert.deepEqual(await world.ended("p2"), { ended: "completed", text: "two" });
  assert.doesNotMatch(JSON.stringify(await world.conversation()), /Holdfast never|rm -rf/);
});

test("H3 an agent that dies each time it loads its session gets the transcript in a new session", async (t) => {
  const world = await openHostedWorld(t, { mode: "dies in load" });
  await world.prompt("p1", "say first");
  await world.ended("p1");
  await killAgent(world);
  await world.prompt("p2", "say second");
  assert.deepEqual(await world.ended("p2"), { ended: "completed", text: "second" });
  assert.equal(world.lines("loads").length, 2, "one retry");
  assert.match(world.lines("prompts").at(-1) ?? "", /User: say first/);
});

test("H3 an agent that dies while it loads the session of an unfinished run fails the run as interrupted", async (t) => {
  const world = await openHostedWorld(t, { mode: "dies in load" });
  await world.prompt("p1", "open make\nkill");
  const { ended, text } = await world.ended("p1");
  assert.equal(ended, "failed: interrupted");
  assert.match(text ?? "", /could not load its session: the agent exited with code 6/);
  assert.equal((await world.runtime.store.lane("main"))?.holds.length, 1);
});

test("H3 an agent that fails to load its session once is started again and loads it", async (t) => {
  const world = await openHostedWorld(t, { mode: "fails load once" });
  await world.prompt("p1", "open make\nkill");
  assert.equal((await world.ended("p1")).ended, "completed");
  assert.equal(world.lines("loads").length, 2);
});

test("H2 after two crashes, the continuation names the calls in doubt of both turns", async (t) => {
  const world = await openHostedWorld(t, { mode: "repeats" });
  await world.prompt("p1", "open make\nkill");
  assert.equal((await world.ended("p1")).ended, "failed: crashLoop");
  const doubts = world.lines("prompts").map((text) => text.split("- shell: make").length - 1);
  assert.deepEqual(doubts, [0, 1, 2]);
});

test("H4 an agent that asks again after a crash gets a new ask, and the old answer is refused", async (t) => {
  const world = await openHostedWorld(t, { mode: "repeats" });
  await world.prompt("p1", "ask touch a");
  const first = await world.event((event) => event.type === "ask.opened");
  assert.ok(first.type === "ask.opened");
  await killAgent(world);
  const { askId } = first;
  const isSecond = (event: { type: string; askId?: string }): boolean =>
    event.type === "ask.opened" && event.askId !== askId;
  await world.event(isSecond);
  const old = world.runtime.answer({ sessionId: "main", askId, verdict: "allow" });
  await assert.rejects(old, /already answered or withdrawn/);
  assert.deepEqual(world.lines("acts"), []);
  await world.answer("allow");
  assert.equal((await world.ended("p1")).ended, "completed");
  assert.deepEqual(world.lines("answers"), ["touch a: yes"]);
});
