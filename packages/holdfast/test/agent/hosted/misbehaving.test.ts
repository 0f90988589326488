import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { isAlive, openHostedWorld } from "./world.ts";

// Agents that break the protocol. A run ends once, and the next prompt works.

const harmless = [
  "garbage\nsay on",
  "unknown\nsay on",
  "say on\ntwice",
  "open something\nsay on",
  "disorder make\nsay on",
];

for (const text of harmless) {
  test(`P2 the run completes although the agent sends: ${text.split("\n").join(", ")}`, async (t) => {
    const world = await openHostedWorld(t);
    await world.prompt("p1", text);
    assert.deepEqual(await world.ended("p1"), { ended: "completed", text: "on" });
    await world.prompt("p2", "say next");
    assert.deepEqual(await world.ended("p2"), { ended: "completed", text: "next" });
  });
}

test("T1 a call that the agent leaves open is interrupted at the end of its turn", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "open something\nsay on");
  await world.ended("p1");
  assert.ok((await world.story()).includes("shell interrupted"));
});

test("P5 a message of 100 MB ends the agent, and the run continues in a new process", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "big");
  assert.equal((await world.ended("p1")).ended, "completed");
  const messages = await world.conversation();
  assert.match(JSON.stringify(messages), /100000\d+ bytes in one message; the limit is 32000000/);
});

const starts: readonly (readonly [mode: string, message: RegExp])[] = [
  ["exit at start", /exited with code 7/],
  ["exit in handshake", /exited with code 5/],
  ["other version", /version 9 of ACP/],
  ["refuses", /cannot be used: broken/],
];

for (const [mode, message] of starts) {
  test(`L4 an agent that cannot start pauses the session: ${mode}`, async (t) => {
    const world = await openHostedWorld(t, { mode });
    await world.prompt("p1", "say hi");
    const { ended, text } = await world.ended("p1");
    assert.equal(ended, "failed: brokenWorkspace");
    assert.match(text ?? "", message);
    assert.equal((await world.runtime.store.lane("main"))?.holds.length, 1);
  });
}

test("L4 an error of the agent fails only this prompt", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "error");
  const { ended, text } = await world.ended("p1");
  assert.deepEqual(
    [ended, text],
    ["failed: agentError", "stub reported an error: the model is down"],
  );
  await world.prompt("p2", "say next");
  assert.equal((await world.ended("p2")).ended, "completed");
});

test("H5 an agent that never answers can be cancelled", async (t) => {
  const world = await openHostedWorld(t, { config: { limits: { stopGrace: "500ms" } } });
  await world.prompt("p1", "say a\nsilent");
  await world.event((event) => event.type === "step.opened" && event.within !== undefined);
  await world.runtime.cancel({ sessionId: "main", cancelId: "c1" });
  assert.equal((await world.ended("p1")).ended, "cancelled: sessionCancel");
  await world.prompt("p2", "say next");
  assert.equal((await world.ended("p2")).text, "next");
});

test("T1 an agent that ends a call before it begins the call gets one result recorded", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "disorder make\nsay on");
  await world.ended("p1");
  const story = await world.story();
  const results = story.filter((line) => / (completed|failed|interrupted)$/.test(line));
  assert.deepEqual(results, ["tool completed", "agent completed", "p1 completed"]);
});

test("C5 H5 a cancel ends an agent that never answers the first request", async (t) => {
  const world = await openHostedWorld(t, { mode: "never greets" });
  await world.prompt("p1", "say hi");
  const [pid] = await waitFor(() => world.lines("pids").map(Number), {
    describe: "the process of the agent",
    until: ({ length }) => length === 1,
  });
  await world.runtime.cancel({ sessionId: "main", cancelId: "c1" });
  assert.equal((await world.ended("p1")).ended, "cancelled: sessionCancel");
  await waitFor(() => pid !== undefined && !isAlive(pid), { describe: "the end of the agent" });
});

test("C5 H5 an agent that exits when it is cancelled is started again for the next prompt", async (t) => {
  const world = await openHostedWorld(t, { mode: "exits on cancel" });
  await world.prompt("p1", "say a\nwait never");
  await world.event((event) => event.type === "step.opened" && event.within !== undefined);
  await world.runtime.cancel({ sessionId: "main", cancelId: "c1" });
  assert.equal((await world.ended("p1")).ended, "cancelled: sessionCancel");
  await world.prompt("p2", "say next");
  assert.deepEqual(await world.ended("p2"), { ended: "completed", text: "next" });
  assert.equal(world.lines("pids").length, 2);
});

test("H7 activity outside of a turn is shown with the next turn, and its permission requests are denied", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "say one\nafterwards");
  await world.ended("p1");
  await waitFor(() => world.lines("answers").length, {
    describe: "the answer to the late request",
  });
  await world.prompt("p2", "say two");
  assert.equal((await world.ended("p2")).text, "two");
  assert.deepEqual(world.lines("answers"), ["late: no"]);
  const messages = await world.conversation();
  assert.match(JSON.stringify(messages), /"meanwhile":"I am still here"/);
});

test("L4 an agent that is not signed in asks for a sign-in", async (t) => {
  const world = await openHostedWorld(t, { mode: "signs in" });
  await world.prompt("p1", "say hi");
  await world.answer("allow");
  assert.equal((await world.ended("p1")).text, "hi");
});

test("L4 a person chooses between several sign-in methods of an agent", async (t) => {
  const world = await openHostedWorld(t, { mode: "signs in,two sign-ins" });
  await world.prompt("p1", "say hi");
  await world.answer("allow", undefined, "api key");
  assert.equal((await world.ended("p1")).text, "hi");
  assert.deepEqual(world.lines("sign-ins"), ["key"]);
});

test("L4 without a sign-in the prompt fails and the session is paused", async (t) => {
  const world = await openHostedWorld(t, { mode: "signs in" });
  await world.prompt("p1", "say hi");
  await world.answer("deny");
  assert.equal((await world.ended("p1")).ended, "failed: badKey");
});

test("L4 an agent that refuses a prompt until it is signed in pauses the session", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "signed out");
  const { ended, text } = await world.ended("p1");
  assert.equal(ended, "failed: badKey");
  assert.match(text ?? "", /^stub is not signed in: Authentication required. Sign in with/);
  assert.equal((await world.runtime.store.lane("main"))?.holds.length, 1);
});

for (const mode of ["fails once", "exits once"]) {
  test(`an agent that opens no session at its first try is started again: ${mode}`, async (t) => {
    const world = await openHostedWorld(t, { mode });
    await world.prompt("p1", "say hi");
    assert.deepEqual(await world.ended("p1"), { ended: "completed", text: "hi" });
    assert.equal(world.lines("pids").length, 2);
  });
}

test("C5 H5 a cancel ends an agent that does not answer the choice of its mode", async (t) => {
  const world = await openHostedWorld(t, { mode: "offers,never chooses" });
  await world.prompt("p1", "say hi", { agentMode: "yolo" });
  await waitFor(() => world.lines("choices").length === 1, { describe: "the choice" });
  await world.runtime.cancel({ sessionId: "main", cancelId: "c1" });
  assert.equal((await world.ended("p1")).ended, "cancelled: sessionCancel");
  await waitFor(() => world.pids().length === 0, { describe: "the end of the agent" });
  assert.deepEqual(world.lines("prompts"), []);
});

test("H5 two runtimes in one process with the same session id keep their own agents", async (t) => {
  const worlds = [await openHostedWorld(t), await openHostedWorld(t)];
  for (const round of ["p1", "p2"]) {
    for (const world of worlds) {
      await world.prompt(round, `say ${round}`);
      assert.deepEqual(await world.ended(round), { ended: "completed", text: round });
    }
  }
  const started = worlds.map((world) => world.lines("pids").length);
  assert.deepEqual(started, [1, 1]);
});
