import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { openHostedWorld } from "./world.ts";

test("H6 a steer goes through the agent's extension and joins the run when the agent answers", async (t) => {
  const world = await openHostedWorld(t, { mode: "steers" });
  await world.prompt("p1", "say a\nsteered");
  await world.event((event) => event.type === "step.opened" && event.within !== undefined);
  await world.prompt("s1", "to the left", { delivery: "steer" });
  assert.deepEqual(await world.ended("p1"), { ended: "completed", text: "steered: to the left" });
  assert.equal((await world.ended("s1")).ended, "completed");
  assert.equal(world.lines("prompts").length, 1);
  const story = await world.story();
  assert.deepEqual(story.slice(2, 6), ['"a"', "steer?", "takes s1 in", "steer completed"]);
});

test("H6 L6 without the extension a steer waits for the end of the turn, and the same run takes it in", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "say a\nwait go");
  await world.event((event) => event.type === "step.opened" && event.within !== undefined);
  await world.prompt("s1", "say steered", { delivery: "steer" });
  world.release("go");
  assert.equal((await world.ended("s1")).text, "steered");
  assert.deepEqual(world.lines("prompts"), ['"say a\\nwait go"', '"say steered"']);
  const runs = (await world.log()).filter(({ type }) => type === "run.started");
  assert.equal(runs.length, 1);
});

test("H6 a steer that the agent did not answer settles with its run, and a note tells the agent that the steer may not have arrived", async (t) => {
  const world = await openHostedWorld(t, { mode: "steers,steer unanswered" });
  await world.prompt("p1", "say a\nwait never");
  await world.event((event) => event.type === "step.opened" && event.within !== undefined);
  await world.prompt("s1", "to the left", { delivery: "steer" });
  await world.event(
    (event) => event.type === "step.answered" && event.calls.some(({ name }) => name === "steer"),
  );
  for (const pid of world.pids()) process.kill(pid, "SIGKILL");
  assert.equal((await world.ended("p1")).ended, "completed");
  assert.equal((await world.ended("s1")).ended, "completed");
  const last = world.lines("prompts").at(-1) ?? "";
  assert.match(last, /This message may not have reached you:\\nto the left/);
  assert.equal(last.split("to the left").length, 2, "the steer is told once");
});

test("H6 a steer that the agent accepted before it died is not sent as a new prompt", async (t) => {
  const world = await openHostedWorld(t, { mode: "steers" });
  await world.prompt("p1", "say a\nsteered\nwait later");
  await world.event((event) => event.type === "step.opened" && event.within !== undefined);
  await world.prompt("s1", "to the left", { delivery: "steer" });
  await world.event((event) => event.type === "prompt.takenIn");
  await waitFor(async () => (await world.story()).includes("steer completed"), {
    describe: "the end of the steer",
  });
  for (const pid of world.pids()) process.kill(pid, "SIGKILL");
  assert.equal((await world.ended("s1")).ended, "completed");
  const last = world.lines("prompts").at(-1) ?? "";
  assert.match(last, /<request>\\nsay a\\nsteered\\nwait later\\nto the left\\n<\/request>/);
  assert.equal(last.split("to the left").length, 2, "the steer is told once");
});

test("H6 L6 after an accepted steer, the next turn of the run sends only the steer that the agent refused", async (t) => {
  const world = await openHostedWorld(t, { mode: "steers,steers once" });
  await world.prompt("p1", "say a\nsteered\nwait go");
  await world.event((event) => event.type === "step.opened" && event.within !== undefined);
  await world.prompt("s1", "say left", { delivery: "steer" });
  await world.event((event) => event.type === "prompt.takenIn");
  await world.prompt("s2", "say right", { delivery: "steer" });
  await waitFor(async () => (await world.story()).includes("steer failed"), {
    describe: "the refused steer",
  });
  world.release("go");
  assert.deepEqual(await world.ended("s2"), { ended: "completed", text: "right" });
  assert.deepEqual(world.lines("prompts"), ['"say a\\nsteered\\nwait go"', '"say right"']);
});

test("H6 a steer without an answer at the end of the turn settles with its run, in doubt, and is not sent again", async (t) => {
  const world = await openHostedWorld(t, { mode: "steers,steer unanswered" });
  await world.prompt("p1", "say a\nwait go");
  await world.event((event) => event.type === "step.opened" && event.within !== undefined);
  await world.prompt("s1", "say left", { delivery: "steer" });
  await world.event(
    (event) => event.type === "step.answered" && event.calls.some(({ name }) => name === "steer"),
  );
  world.release("go");
  assert.equal((await world.ended("s1")).ended, "completed");
  assert.deepEqual(world.lines("prompts"), ['"say a\\nwait go"']);
  const runs = (await world.log()).filter(({ type }) => type === "run.started");
  assert.equal(runs.length, 1);
  assert.ok((await world.story()).includes("steer inDoubt"));
});
