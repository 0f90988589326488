import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { openHostedWorld } from "./world.ts";

test("H4 a permission request is an ask, and the start is committed before the agent hears the answer", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "ask touch a");
  await world.answer("allow");
  assert.equal((await world.ended("p1")).ended, "completed");
  assert.deepEqual(await world.story(), [
    "agent?",
    "agent!",
    "shell?",
    "ask",
    "allow",
    "shell!",
    "shell completed",
    "agent completed",
    "p1 completed",
  ]);
  assert.deepEqual([world.lines("answers"), world.lines("acts")], [["touch a: yes"], ["touch a"]]);
});

test("H4 a denied call does not act, and is recorded as denied", async (t) => {
  const world = await openHostedWorld(t, { mode: "asks first" });
  await world.prompt("p1", "ask touch a");
  await world.answer("deny");
  await world.ended("p1");
  assert.ok((await world.story()).includes("shell denied"));
  assert.deepEqual([world.lines("answers"), world.lines("acts")], [["touch a: no"], []]);
});

test("H4 H5 an agent that cancels its turn after a denied request is not asked again", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "ask touch a\nstop cancelled");
  await world.answer("deny");
  const { ended, text } = await world.ended("p1");
  assert.equal(ended, "failed: interrupted");
  assert.match(text ?? "", /cancelled its turn after a request was denied/);
  assert.deepEqual([world.lines("prompts").length, world.lines("acts")], [1, []]);
});

test("H4 a remembered answer is a rule of Holdfast; the agent's own 'always' is never chosen", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "ask touch a");
  await world.answer("allow", "session");
  await world.ended("p1");
  await world.prompt("p2", "ask touch a");
  assert.equal((await world.ended("p2")).ended, "completed");
  assert.deepEqual(world.lines("answers"), ["touch a: yes", "touch a: yes"]);
  const asks = (await world.log()).filter(({ type }) => type === "ask.opened");
  assert.equal(asks.length, 1, "only the first call was asked");
});

test("H4 an agent that offers only 'always' gets no permission", async (t) => {
  const world = await openHostedWorld(t, { mode: "only always" });
  await world.prompt("p1", "ask touch a");
  await world.ended("p1");
  assert.deepEqual([world.lines("answers"), world.lines("acts")], [["touch a: no"], []]);
});

test("H4 rules of the config decide without a person", async (t) => {
  const permissions = [
    { action: "run", pattern: "touch *", effect: "allow" },
    { action: "run", pattern: "rm *", effect: "deny" },
  ];
  const world = await openHostedWorld(t, { config: { permissions } });
  await world.prompt("p1", "ask touch a\nask rm b");
  await world.ended("p1");
  assert.deepEqual(world.lines("answers"), ["touch a: yes", "rm b: no"]);
});

test("H4 C5 a cancel during a request answers it as cancelled, and the call does not act", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "ask touch a");
  await world.event((event) => event.type === "ask.opened");
  await world.runtime.cancel({ sessionId: "main", cancelId: "c1" });
  assert.equal((await world.ended("p1")).ended, "cancelled: sessionCancel");
  await world.prompt("p2", "say next");
  await world.ended("p2");
  assert.deepEqual([world.lines("answers"), world.lines("acts")], [["touch a: cancelled"], []]);
});

test("H4 a call that the agent ends without waiting is recorded as failed, and its ask is withdrawn", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "early touch a\nsay on");
  assert.equal((await world.ended("p1")).ended, "completed");
  const story = await world.story();
  assert.deepEqual(story.slice(3, 6), ["ask", "shell failed", "withdrawn"]);
});

test("H4 in plan mode a hosted agent gets no permission to change anything", async (t) => {
  const world = await openHostedWorld(t);
  await world.runtime.setMode({ sessionId: "main", mode: "plan" });
  await world.prompt("p1", "ask touch a");
  await world.ended("p1");
  assert.deepEqual([world.lines("answers"), world.lines("acts")], [["touch a: no"], []]);
});

test("H4 of two requests at once for one call the second is denied, and a person answers the first", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "askboth touch a");
  await waitFor(() => world.lines("answers").length === 1, { describe: "the first answer" });
  await world.answer("allow");
  assert.equal((await world.ended("p1")).ended, "completed");
  assert.deepEqual(world.lines("answers"), ["touch a (second): no", "touch a: yes"]);
  assert.deepEqual(world.lines("acts"), ["touch a"]);
});

test("H4 a call that has begun is in doubt if the agent dies while it asks again", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "asktwice touch a");
  await world.answer("allow");
  await world.event((event) => event.type === "ask.opened" && event.within !== undefined);
  for (const pid of world.pids()) process.kill(pid, "SIGKILL");
  assert.equal((await world.ended("p1")).ended, "completed");
  const story = await world.story();
  assert.deepEqual(story.slice(2, 9), [
    "shell?",
    "ask",
    "allow",
    "shell!",
    "ask",
    "shell inDoubt",
    "withdrawn",
  ]);
});

test("H4 a request that the agent withdraws closes its ask, and the next request of the call is a new ask", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "withdraw touch a");
  await world.event((event) => event.type === "ask.opened");
  world.release("withdraw");
  await world.event((event) => event.type === "ask.closed");
  await world.answer("allow");
  assert.equal((await world.ended("p1")).ended, "completed");
  const story = await world.story();
  assert.deepEqual(story.slice(2, 11), [
    "shell?",
    "ask",
    "shell interrupted",
    "withdrawn",
    "shell?",
    "ask",
    "allow",
    "shell!",
    "shell completed",
  ]);
  assert.deepEqual(world.lines("answers"), ["touch a: cancelled", "touch a (second): yes"]);
});

test("H4 H7 messages about another session of the agent are ignored, and its requests are denied", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "say mine\nstranger touch a");
  assert.deepEqual(await world.ended("p1"), { ended: "completed", text: "mine" });
  assert.deepEqual(world.lines("answers"), ["touch a: no"]);
  assert.deepEqual(await world.story(), [
    "agent?",
    "agent!",
    '"mine"',
    "agent completed",
    "p1 completed",
  ]);
});
