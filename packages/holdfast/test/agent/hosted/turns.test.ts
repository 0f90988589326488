import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldsOf } from "../../../src/base/json-rpc.ts";
import { openHostedWorld } from "./world.ts";

test("H1 a prompt runs with a hosted agent, and its text, thoughts, plan and calls are events", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "say Hello.\ntool make\nplan one,two\nedit a.txt\nthink hm\nsay Done.");
  assert.deepEqual(await world.ended("p1"), { ended: "completed", text: "Done." });
  assert.deepEqual(await world.story(), [
    "agent?",
    "agent!",
    '"Hello."',
    "shell?",
    "shell completed",
    "todo?",
    "todo completed",
    "edit?",
    "edit completed",
    '"Done."',
    "agent completed",
    "p1 completed",
  ]);
});

test("H1 T3 output that an agent sends for a terminal is shown while the command runs, and stored with its exit code", async (t) => {
  const world = await openHostedWorld(t);
  const shown: string[] = [];
  const stop = world.runtime.deltas("main", (delta) => {
    if (delta.kind === "tool") shown.push(delta.text);
  });
  t.after(stop);
  await world.prompt("p1", "stream make\nsay on");
  await world.ended("p1");
  assert.equal(shown.join(""), "one\ntwo\n");
  const [result] = (await world.conversation()).filter(({ role }) => role === "tool");
  assert.ok(result?.role === "tool");
  assert.deepEqual([result.output, result.extra], ["one\ntwo\n", { exitCode: 3 }]);
});

test("H1 a call that the agent announces before its input is recorded with its input", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "announced make all\nannounce never\nsay Done.");
  await world.ended("p1");
  const calls = (await world.conversation()).flatMap((message) =>
    message.role === "assistant" ? message.calls : [],
  );
  assert.deepEqual(
    calls.filter(({ name }) => name === "shell").map(({ input }) => input),
    [
      { command: "make all", title: "make all" },
      { cwd: world.home, command: "bash", title: "bash" },
    ],
  );
  assert.deepEqual(
    (await world.story()).filter((line) => line.startsWith("shell")),
    ["shell?", "shell completed", "shell?", "shell interrupted"],
  );
});

test("H1 L2 five queued prompts reach the agent in order, one at a time, each with one outcome", async (t) => {
  const world = await openHostedWorld(t);
  const names = ["p1", "p2", "p3", "p4", "p5"];
  for (const name of names) await world.prompt(name, `say ${name}`);
  for (const name of names)
    assert.deepEqual(await world.ended(name), { ended: "completed", text: name });
  assert.deepEqual(
    world.lines("prompts"),
    names.map((name) => JSON.stringify(`say ${name}`)),
  );
  assert.equal(world.lines("pids").length, 1, "one process for the session");
});

test("H1 P6 tokens and cost of a hosted agent are charged to the run", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "cost 0.5\nsay a\ncost 0.75\nsay b");
  await world.ended("p1");
  await world.prompt("p2", "cost 1");
  await world.ended("p2");
  const ends = (await world.log()).flatMap((event) =>
    event.type === "run.ended" ? [event.usage] : [],
  );
  assert.deepEqual(ends, [
    { inputTokens: 20, outputTokens: 5, cost: 0.75 },
    { inputTokens: 20, outputTokens: 5, cost: 0.25 },
  ]);
});

test("H1 P6 impossible costs of a hosted agent are ignored, and a lower total returns nothing", async (t) => {
  const world = await openHostedWorld(t);
  const bad = ["-1", '"5"', "1e308", "1e999", "null"].map(
    (amount) => `usage {"used":1,"size":2,"cost":{"amount":${amount},"currency":"USD"}}`,
  );
  const euro = 'usage {"used":1,"size":2,"cost":{"amount":9,"currency":"EUR"}}';
  const costs = ["cost 0.5", "cost 0.25", "cost 0.5", "cost 0.75"];
  await world.prompt("p1", [...bad, euro, "usage {}", ...costs, "cost 0.25", "say a"].join("\n"));
  await world.prompt("p2", "cost 0.5\nsay b");
  await world.ended("p2");
  const ends = (await world.log()).flatMap((event) =>
    event.type === "run.ended" ? [event.usage.cost] : [],
  );
  assert.deepEqual(ends, [0.75, 0.25]);
});

test("H1 the context use of a hosted agent is stored with its answers, without impossible values", async (t) => {
  const world = await openHostedWorld(t);
  const bad = [
    '{"used":-1,"size":100}',
    '{"used":1.5,"size":100}',
    '{"used":10,"size":0}',
    '{"used":"10","size":100}',
    '{"used":10,"size":1e308}',
    '{"used":1e999,"size":100}',
    '{"size":100}',
  ].map((fields) => `usage ${fields}`);
  await world.prompt("p1", [...bad, "say a"].join("\n"));
  await world.prompt("p2", ['usage {"used":40,"size":100}', "say b", ...bad].join("\n"));
  await world.ended("p2");
  const uses = (await world.conversation()).flatMap((message) =>
    message.role === "assistant" && message.text !== "" ? [fieldsOf(message.extra)["context"]] : [],
  );
  assert.deepEqual(uses, [undefined, { used: 40, size: 100 }]);
});

test("H1 P6 a hosted agent that reports more cost than its budget is stopped, and runs the next prompt", async (t) => {
  const world = await openHostedWorld(t);
  const budget = { tokens: null, cost: 0.4 };
  await world.prompt("p1", "cost 0.5\nwait never", { budget });
  assert.equal((await world.ended("p1")).ended, "failed: budget");
  await world.prompt("p2", "say next");
  assert.equal((await world.ended("p2")).ended, "completed");
});

test("H1 P6 a hosted agent that reports more cost than its budget waits for the answer to an ask, then continues", async (t) => {
  const world = await openHostedWorld(t);
  const budget = { tokens: null, cost: 0.4 };
  await world.prompt("p1", "cost 0.5\nsay more", { budget, onBudget: "ask" });
  const asked = await world.event((event) => event.type === "ask.opened");
  assert.ok(asked.type === "ask.opened");
  const { askId } = asked;
  assert.equal((await world.runtime.store.prompt("main", "p1"))?.outcome, null);
  const raise = { tokens: null, cost: 5 };
  await world.runtime.answer({ sessionId: "main", askId, verdict: "allow", raise });
  assert.deepEqual(await world.ended("p1"), { ended: "completed", text: "more" });
  assert.equal(world.lines("prompts").length, 1, "the turn was not sent again");
});

test("H1 P6 a hosted agent whose budget is not raised is stopped", async (t) => {
  const world = await openHostedWorld(t);
  const budget = { tokens: null, cost: 0.4 };
  await world.prompt("p1", "cost 0.5\nwait never", { budget, onBudget: "ask" });
  await world.answer("deny");
  assert.equal((await world.ended("p1")).ended, "failed: budget");
});

test("C5 H5 a cancel ends the turn, keeps its partial text, and the next prompt runs in the same process", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "say half\nwait never");
  await world.event((event) => event.type === "step.opened" && event.within !== undefined);
  await world.runtime.cancel({ sessionId: "main", cancelId: "c1" });
  assert.equal((await world.ended("p1")).ended, "cancelled: sessionCancel");
  await world.prompt("p2", "say next");
  assert.deepEqual(await world.ended("p2"), { ended: "completed", text: "next" });
  const story = await world.story();
  assert.ok(story.includes('"half"'), story.join(", "));
  assert.equal(world.lines("pids").length, 1);
});

test("C5 H5 an agent that ignores the cancel is killed, and the next prompt loads its session", async (t) => {
  const world = await openHostedWorld(t, {
    mode: "deaf",
    config: { limits: { stopGrace: "500ms" } },
  });
  await world.prompt("p1", "say half\nhang");
  await world.event((event) => event.type === "step.opened" && event.within !== undefined);
  await world.runtime.cancel({ sessionId: "main", cancelId: "c1" });
  assert.equal((await world.ended("p1")).ended, "cancelled: sessionCancel");
  await world.prompt("p2", "say next");
  assert.deepEqual(await world.ended("p2"), { ended: "completed", text: "next" });
  assert.equal(world.lines("pids").length, 2);
});

test("H1 a hosted agent receives the answers that other agents gave in the session", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "say from the demo", { agent: "demo" });
  await world.ended("p1");
  await world.prompt("p2", "say two");
  await world.ended("p2");
  await world.prompt("p3", "say three", { agent: "demo" });
  await world.ended("p3");
  await world.prompt("p4", "say four");
  assert.equal((await world.ended("p4")).text, "four");
  const [first = "", second = ""] = world.lines("prompts");
  assert.match(first, /User: say from the demo/);
  assert.match(second, /User: say three/);
  assert.doesNotMatch(second, /say from the demo/);
});

test("H1 the error for an agent that is not installed says so", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "hi", { agent: "goose" });
  const { ended, text } = await world.ended("p1");
  assert.equal(ended, "failed: refused");
  assert.match(text ?? "", /goose is not installed/);
});
