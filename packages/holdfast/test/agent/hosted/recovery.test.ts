import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { openHostedWorld } from "./world.ts";

test("H2 after the agent dies in mid-turn, its session is loaded and one continuation names what is in doubt", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "say before\nopen make all\nkill");
  assert.equal((await world.ended("p1")).ended, "completed");
  const prompts = world.lines("prompts");
  assert.equal(prompts.length, 2);
  assert.match(prompts[1] ?? "", /may or may not have taken effect.*- shell: make all/);
  const story = await world.story();
  assert.deepEqual(story.slice(2, 6), ['"before"', "shell?", "shell inDoubt", "agent inDoubt"]);
});

test("H2 a prompt that the agent has not stored is sent again, once", async (t) => {
  const world = await openHostedWorld(t, { mode: "forgets" });
  await world.prompt("p1", "kill");
  assert.equal((await world.ended("p1")).ended, "failed: interrupted");
  assert.deepEqual(world.lines("prompts"), ['"kill"', '"kill"']);
});

test("H2 after a crash, a prompt that is in the agent's stored session is not sent again", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p0", "wait go");
  world.release("go");
  await world.ended("p0");
  await world.prompt("p1", "wait later\nsay x");
  await waitFor(() => world.lines("prompts").length === 2, { describe: "the second prompt" });
  for (const pid of world.pids()) process.kill(pid, "SIGKILL");
  assert.equal((await world.ended("p1")).ended, "completed");
  const [, , third = ""] = world.lines("prompts");
  assert.match(third, /^"Your previous turn was interrupted/);
  assert.match(third, /The request was:\\n<request>\\nwait later\\nsay x\\n<\/request>/);
});

test("H1 H2 a history that Holdfast does not know is not recorded, and each continuation repeats the request", async (t) => {
  const world = await openHostedWorld(t, { mode: "other history" });
  await world.prompt("p1", "open make all\nkill");
  assert.equal((await world.ended("p1")).ended, "failed: crashLoop");
  const [, ...continuations] = world.lines("prompts");
  assert.equal(continuations.length, 2);
  for (const text of continuations) assert.match(text, /<request>\\nopen make all\\nkill/);
  assert.doesNotMatch(JSON.stringify(await world.conversation()), /never (sent|got)|rm -rf/);
});

test("H2 an agent that was updated between two runs loads its session, and the log names both versions", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "say one");
  await world.ended("p1");
  writeFileSync(join(world.home, "version"), "2.0.0");
  for (const pid of world.pids()) process.kill(pid, "SIGKILL");
  await waitFor(() => world.pids().length === 0, { describe: "the end of the process" });
  await world.prompt("p2", "say two");
  assert.deepEqual(await world.ended("p2"), { ended: "completed", text: "two" });
  assert.deepEqual(world.lines("prompts"), ['"say one"', '"say two"']);
  const extras = JSON.stringify(await world.conversation());
  assert.ok(extras.includes("stub 1.0.0") && extras.includes("stub 2.0.0"), extras);
});

test("H3 if the agent cannot load its session, the run is interrupted and the session paused; later the agent gets the transcript in a new session", async (t) => {
  const world = await openHostedWorld(t, { mode: "load fails" });
  await world.prompt("p1", "say first\ntool touch a\nkill");
  await world.prompt("p2", "say second");
  const { ended, text } = await world.ended("p1");
  assert.equal(ended, "failed: interrupted");
  assert.match(text ?? "", /in a new session of its own, which begins with the transcript/);
  const [hold] = (await world.runtime.store.lane("main"))?.holds ?? [];
  assert.ok(hold, "the session is paused, and p2 waits");
  await world.runtime.releaseHold({ sessionId: "main", holdId: hold.holdId });
  assert.deepEqual(await world.ended("p2"), { ended: "completed", text: "second" });
  const last = world.lines("prompts").at(-1) ?? "";
  assert.match(last, /<transcript>.*first.*touch a.*<\/transcript>/);
  const messages = await world.conversation();
  assert.match(
    JSON.stringify(messages),
    /lost its session, so a new one starts with the transcript/,
  );
});

test("H3 if no run is unfinished, an agent that lost its session gets the transcript in a new session at once", async (t) => {
  const world = await openHostedWorld(t, { mode: "cannot load" });
  await world.prompt("p1", "say first");
  await world.ended("p1");
  for (const pid of world.pids()) process.kill(pid, "SIGKILL");
  await waitFor(() => world.pids().length === 0, { describe: "the end of the process" });
  await world.prompt("p2", "say second");
  assert.deepEqual(await world.ended("p2"), { ended: "completed", text: "second" });
  assert.match(world.lines("prompts").at(-1) ?? "", /User: say first/);
});

test("H4 a request whose process died is closed, and an old answer never answers the new request", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "ask touch a");
  const asked = await world.event((event) => event.type === "ask.opened");
  for (const pid of world.pids()) process.kill(pid, "SIGKILL");
  assert.equal((await world.ended("p1")).ended, "completed");
  const story = await world.story();
  assert.deepEqual(story.slice(2, 7), [
    "shell?",
    "ask",
    "shell interrupted",
    "withdrawn",
    "agent inDoubt",
  ]);
  assert.ok(asked.type === "ask.opened");
  const late = world.runtime.answer({ sessionId: "main", askId: asked.askId, verdict: "allow" });
  await assert.rejects(late, /already answered or withdrawn/);
  assert.deepEqual(world.lines("acts"), []);
});

test("H5 a turn that ends cancelled by itself is sent again once if nothing acted", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "stop cancelled");
  assert.equal((await world.ended("p1")).ended, "failed: interrupted");
  assert.equal(world.lines("prompts").length, 2);
});

test("H5 a turn that ends cancelled by itself after an action is not repeated", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "tool touch a\nstop cancelled");
  assert.equal((await world.ended("p1")).ended, "failed: interrupted");
  assert.deepEqual(world.lines("acts"), ["touch a"]);
});

test("R1 M9 H2 a run that is handed over in mid-turn continues in the next process", async (t) => {
  const world = await openHostedWorld(t, { config: { limits: { stopGrace: "500ms" } } });
  await world.prompt("p1", "say before\ntool touch a\nwait never");
  await waitFor(() => world.lines("acts").length === 1, { describe: "the first action" });
  await world.prompt("p2", "say next");
  await world.restart();
  assert.equal((await world.ended("p1")).ended, "completed");
  assert.deepEqual(await world.ended("p2"), { ended: "completed", text: "next" });
  assert.deepEqual(world.lines("acts"), ["touch a"]);
});
