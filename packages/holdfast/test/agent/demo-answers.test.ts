import assert from "node:assert/strict";
import { test } from "node:test";
import { openDemo, typesOf } from "./demo-world.ts";

test("each instruction is a step whose answer says that it comes from the demo agent", async (t) => {
  const demo = await openDemo(t);
  const told = [];
  for (const text of [
    "Hello there,\nhow are you?",
    "words 3 every 1ms",
    "steps 3",
    "think hard",
    "wait 1ms",
    "block 1ms",
    "flood 3",
    "tokens 5",
  ]) {
    told.push(await demo.prompt(text));
  }
  assert.deepEqual(told, [
    "completed: [demo agent] Hello there,\nhow are you?",
    "completed: [demo agent] word-1 word-2 word-3",
    "completed: [demo agent] step 3 of 3",
    "completed: [demo agent] I have thought about it.",
    "completed: [demo agent] I waited 1 ms.",
    "completed: [demo agent] I blocked the event loop for 1 ms.",
    "completed: [demo agent] I sent 3 deltas.",
    "completed: [demo agent] I used 5 tokens and 0 of cost.",
  ]);
  assert.match(
    await demo.prompt("help"),
    /^completed: \[demo agent\] I am the demo agent: offline/,
  );
});

test("T3 deltas stream the answer word by word and the log has it without them", async (t) => {
  const demo = await openDemo(t);
  const texts: string[] = [];
  demo.holdfast.deltas(demo.sessionId, ({ text }) => texts.push(text));
  await demo.prompt("say one two three slowly");
  assert.equal(texts.join(""), "[demo agent] one two three");
  assert.ok(texts.length > 1, "it came in one piece");
  assert.deepEqual(typesOf(await demo.log()), [
    "prompt.accepted",
    "run.started",
    "step.opened",
    "step.answered",
    "prompt.settled",
    "run.ended",
  ]);
});

test("P6 a budget that the demo agent uses up ends its run at the next step", async (t) => {
  const demo = await openDemo(t, { budget: { tokens: 100, cost: null } });
  assert.equal(await demo.prompt("tokens 60; tokens 60; append a.txt late"), "failed budget");
  assert.deepEqual(demo.lines("a.txt"), []);
});

test("L6 a run past its step limit fails as stepLimit", async (t) => {
  const demo = await openDemo(t, { maxSteps: 3 });
  assert.match(await demo.prompt("steps 4"), /^failed stepLimit/);
});

test("L6 steered instructions are appended, and a steered prompt settles with the run", async (t) => {
  const demo = await openDemo(t);
  const first = await demo.send("ask Go on?; append a.txt first");
  const { askId } = await demo.event("ask.opened");
  const steered = await demo.send("append a.txt steered; say both", { delivery: "steer" });
  await demo.holdfast.answer({ sessionId: demo.sessionId, askId, verdict: "allow" });
  assert.deepEqual(
    [await demo.outcome(first), await demo.outcome(steered), demo.lines("a.txt")],
    ["completed: [demo agent] both", "completed: [demo agent] both", ["first", "steered"]],
  );
});

test("P7 a message without reply enters the conversation and is not carried out", async (t) => {
  const demo = await openDemo(t);
  const first = await demo.send("ask Go on?; say end");
  const { askId } = await demo.event("ask.opened");
  await demo.send("append a.txt note", { reply: false });
  await demo.holdfast.answer({ sessionId: demo.sessionId, askId, verdict: "allow" });
  assert.equal(await demo.outcome(first), "completed: [demo agent] end");
  assert.deepEqual(demo.lines("a.txt"), []);
});
