import assert from "node:assert/strict";
import { test } from "node:test";
import type { Agent, Fact } from "../../src/agent/agent.ts";
import { openSqlitePlace } from "./support/place.ts";
import { sqliteTest } from "./support/sqlite-test.ts";
import type { Place } from "./support/place.ts";
import { call } from "./support/puppets.ts";

// Agents that break their contract: each harms its own run only, and the next prompt runs.

sqliteTest("P2 T1 an agent that throws before its first fact fails its run", async (place) => {
  await place.prompt("a");
  (await place.puppets.next()).fail(new Error("no idea"));
  assert.equal(await place.outcome("a"), "failed: agentError");
  await nextOneRuns(place);
});

test("P2 an agent that throws at once, without an iterator, fails its run", async (t) => {
  const agent: Agent = {
    name: "broken",
    run: () => {
      throw new Error("not even that");
    },
  };
  const place = await openSqlitePlace(t, { agent });
  await place.prompt("a");
  await place.prompt("b");
  assert.deepEqual(await place.outcomes(["a", "b"]), ["failed: agentError", "failed: agentError"]);
  place.first.errors.length = 0;
});

sqliteTest(
  "T1 an agent that returns with open calls fails its run, and the calls are closed",
  async (place) => {
    const run = await place.openStep("a");
    await run.answer("I'll do it", [call("one")]);
    await run.startTool("one");
    run.end();
    assert.equal(await place.outcome("a"), "failed: agentError");
    const ended = await place.event((event) => event.type === "tool.ended");
    assert.equal(ended.type === "tool.ended" ? ended.status : null, "interrupted");
    await nextOneRuns(place);
  },
);

sqliteTest(
  "P2 an agent that returns without any answer still settles its prompt",
  async (place) => {
    await place.prompt("a");
    (await place.puppets.next()).end();
    assert.equal(await place.outcome("a"), "completed");
    const opened = await place.openStep("b");
    opened.end();
    assert.equal(await place.outcome("b"), "completed");
    await nextOneRuns(place);
  },
);

test("R2 T1 facts out of order fail the run and change nothing", async (t) => {
  const disorders: readonly { name: string; facts: readonly Fact[] }[] = [
    { name: "answer without a step", facts: [{ type: "answer", text: "too early" }] },
    { name: "start of an unknown call", facts: [{ type: "toolStart", callId: "nobody" }] },
    {
      name: "result of an unknown call",
      facts: [{ type: "toolEnd", callId: "nobody", status: "completed", output: "" }],
    },
  ];
  const place = await openSqlitePlace(t);
  for (const { name, facts } of disorders) {
    await place.prompt(name.replaceAll(" ", "-"));
    const run = await place.puppets.next();
    for (const fact of facts) await assert.rejects(run.say(fact), name);
    assert.equal(await place.outcome(name.replaceAll(" ", "-")), "failed: agentError");
  }
  const types = await place.types();
  assert.ok(!types.includes("step.answered") && !types.includes("tool.started"));
  await nextOneRuns(place);
});

sqliteTest("T1 a call that ends twice fails the run and has one result", async (place) => {
  const run = await place.openStep("a");
  await run.answer("I'll do it", [call("one")]);
  await run.startTool("one");
  await run.endTool("one");
  await assert.rejects(run.endTool("one", "again"));
  assert.equal(await place.outcome("a"), "failed: agentError");
  const types = await place.types();
  assert.equal(types.filter((type) => type === "tool.ended").length, 1);
  await nextOneRuns(place);
});

sqliteTest(
  "R2 a call that must not be repeated has no result unless it was started",
  async (place) => {
    const run = await place.openStep("a");
    await run.answer("I'll do it", [call("one")]);
    await assert.rejects(run.endTool("one"));
    assert.equal(await place.outcome("a"), "failed: agentError");
    await nextOneRuns(place);
  },
);

test("C5 a cancel ends an agent that never ends, even if its iterator does not return", async (t) => {
  const agent: Agent = {
    name: "endless",
    run: ({ prompts }) => ({
      [Symbol.asyncIterator]: () => ({
        next: () =>
          prompts[0]?.promptId === "a"
            ? new Promise(() => {})
            : Promise.resolve({ done: true, value: undefined }),
        return: () => new Promise(() => {}),
      }),
    }),
  };
  const place = await openSqlitePlace(t, { agent, stopGrace: 100 });
  await place.prompt("a");
  await place.event((event) => event.type === "run.started");
  await place.prompt("b");
  await place.first.holdfast.cancel({
    sessionId: "main",
    scope: { kind: "prompt", promptId: "a" },
  });
  assert.deepEqual(await place.outcomes(["a", "b"]), ["cancelled: promptCancel", "completed"]);
});

test("P2 an agent whose iterator fails to return causes no error", async (t) => {
  const agent: Agent = {
    name: "sore loser",
    run: () => ({
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ done: false, value: { type: "toolStart", callId: "x" } }),
        return: () => Promise.reject(new Error("I will not go")),
      }),
    }),
  };
  const place = await openSqlitePlace(t, { agent });
  await place.prompt("a");
  assert.equal(await place.outcome("a"), "failed: agentError");
});

test("T3 L5 during a flood of deltas the lease is renewed, memory is limited and the log is complete", async (t) => {
  const count = 60_000;
  let renewed = 0;
  const agent: Agent = {
    name: "flood",
    async *run(context) {
      await context.boundary();
      for (let index = 0; index < count; index += 1) {
        yield { type: "delta", kind: "text", text: "ten bytes " };
      }
      yield { type: "answer", text: "that was all" };
    },
  };
  const place = await openSqlitePlace(t, { agent, renewEvery: 50 });
  const { store, holdfast } = place.first;
  const renew = store.renew.bind(store);
  store.renew = (nodeId) => {
    renewed += 1;
    return renew(nodeId);
  };
  let heard = 0;
  let longest = 0;
  const stopListening = holdfast.deltas("main", ({ text }) => {
    heard += text.length;
    longest = Math.max(longest, text.length);
  });
  const before = process.memoryUsage().heapUsed;
  const earlier = renewed;
  await place.prompt("a");
  assert.equal(await place.outcome("a"), "completed");
  stopListening();
  const grown = process.memoryUsage().heapUsed - before;
  assert.ok(
    heard > 0 && heard <= count * 10,
    "listeners get some of it, never more than there was",
  );
  assert.ok(longest <= 64 * 1024, "no piece is longer than what is held back");
  assert.ok(grown < 128 * 1024 * 1024, `the heap has grown by ${grown} bytes`);
  assert.ok(renewed > earlier, "the lease was renewed meanwhile");
  const row = await holdfast.wait({ sessionId: "main", promptId: "a" });
  const state = await store.lane("main");
  assert.equal(row !== null && (await holdfast.resultText(row)), "that was all");
  assert.equal(state?.fence, 1, "the run was never taken over");
});

test("L5 an agent that blocks the process for a while keeps its lease and its run", async (t) => {
  const agent: Agent = {
    name: "blocker",
    async *run(context) {
      await context.boundary();
      blockFor(300);
      yield { type: "answer", text: "done" };
    },
  };
  const place = await openSqlitePlace(t, { agent });
  await place.prompt("a");
  assert.equal(await place.outcome("a"), "completed");
  assert.equal((await place.first.store.lane("main"))?.fence, 1);
});

test("L5 an agent that blocks the process until its lease expires loses its run, which is resumed", async (t) => {
  const agent: Agent = {
    name: "blocker",
    async *run(context) {
      await context.boundary();
      if (context.attempt === 1) blockFor(1_600);
      yield { type: "answer", text: `attempt ${context.attempt}` };
    },
  };
  const place = await openSqlitePlace(t, { agent, leaseTtl: 1_500, renewEvery: 100 });
  await place.prompt("a");
  assert.equal(await place.outcome("a"), "completed");
});

sqliteTest("T1 two concurrent reads of a conversation give the same result", async (place) => {
  const run = await place.openStep("a");
  await run.answer("one", [call("one")]);
  await run.startTool("one");
  await run.endTool("one");
  const [left, right] = await Promise.all([run.context.conversation(), run.context.conversation()]);
  assert.deepEqual(
    left.map(({ role }) => role),
    ["user", "assistant", "tool"],
  );
  assert.deepEqual(right, left);
  await run.finish();
  assert.equal(await place.outcome("a"), "completed");
});

sqliteTest("C2 the model does not get the text of a prompt that never ran", async (place) => {
  const run = await place.openRun("a");
  await place.prompt("never");
  await place.first.holdfast.cancel({ sessionId: "main", scope: { kind: "queue" } });
  await run.finish("first answer");
  const next = await place.openRun("b");
  const conversation = await next.context.conversation();
  assert.deepEqual(
    conversation.map((message) => (message.role === "user" ? message.promptId : message.role)),
    ["a", "assistant", "b"],
  );
  await next.finish();
  assert.deepEqual(await place.outcomes(["a", "never", "b"]), [
    "completed",
    "cancelled: queueCleared",
    "completed",
  ]);
});

async function nextOneRuns(place: Place): Promise<void> {
  await (await place.openRun("next")).finish();
  assert.equal(await place.outcome("next"), "completed");
}

function blockFor(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
