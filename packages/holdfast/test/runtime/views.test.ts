import assert from "node:assert/strict";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { MessageView } from "../../src/runtime/views/messages.ts";
import { sqliteTest } from "../runner/support/sqlite-test.ts";
import { call, repeatable } from "../runner/support/puppets.ts";

// Views of a session, derived from its log.

const sessionId = "main";

function named(message: MessageView): unknown {
  if (message.role === "user") {
    const { promptId, entered, outcome } = message;
    return [promptId, entered ? "entered" : "withdrawn", outcome?.status ?? null];
  }
  if (message.role === "assistant") return message.text;
  return [message.callId, message.status, message.intent];
}

async function allMessages(holdfast: Runtime, limit: number): Promise<MessageView[]> {
  const all: MessageView[] = [];
  for (let after: string | null = null; ;) {
    const page = await holdfast.messages({ sessionId, after, limit });
    assert.ok(page !== null && page.messages.length <= limit);
    all.push(...page.messages);
    if (page.cursor === null) return all;
    assert.deepEqual(page.waiting, [], "what waits is on the last page alone");
    after = page.cursor;
  }
}

sqliteTest(
  "C2 R2 messages show cancelled prompts, calls in doubt and waiting prompts as such",
  async (place) => {
    const run = await place.openStep("a");
    await run.answer("I write", [call("one")]);
    await run.say({
      type: "toolStart",
      callId: "one",
      intent: { summary: "write notes.txt", files: [] },
    });
    await place.prompt("never");
    await place.first.holdfast.cancel({ sessionId, scope: { kind: "prompt", promptId: "never" } });
    await place.first.crash();

    const { holdfast } = await place.open();
    const resumed = await place.puppets.next();
    await place.prompt("steered", { delivery: "steer" });
    await place.prompt("later");
    const during = await holdfast.messages({ sessionId, after: null, limit: 50 });
    assert.deepEqual(during?.messages.map(named), [
      ["a", "entered", null],
      "I write",
      ["never", "withdrawn", "cancelled"],
      ["one", "inDoubt", "write notes.txt"],
    ]);
    assert.deepEqual(
      during.waiting.map(({ promptId, text }) => [promptId, text]),
      [
        ["steered", "text of steered"],
        ["later", "text of later"],
      ],
    );
    await resumed.finish("done");
    const second = await place.puppets.next();
    await second.finish("later too");
    await place.outcomes(["a", "steered", "later"]);
    const whole = await allMessages(holdfast, 50);
    assert.deepEqual(whole.map(named), [
      ["a", "entered", "completed"],
      "I write",
      ["never", "withdrawn", "cancelled"],
      ["one", "inDoubt", "write notes.txt"],
      ["steered", "entered", "completed"],
      "done",
      ["later", "entered", "completed"],
      "later too",
    ]);
    assert.deepEqual(await allMessages(holdfast, 1), whole);
    assert.deepEqual(await allMessages(holdfast, 3), whole);
    await holdfast.forkSession({ sessionId, newSessionId: "fork" });
    const forked = await holdfast.messages({ sessionId: "fork", after: "i3", limit: 2 });
    assert.deepEqual(
      [forked?.messages.map(named), forked?.cursor],
      [
        [
          ["one", "inDoubt", "write notes.txt"],
          ["steered", "entered", "completed"],
        ],
        "i5",
      ],
    );
    assert.equal(await holdfast.messages({ sessionId: "nobody", after: null, limit: 5 }), null);
    await assert.rejects(holdfast.messages({ sessionId, after: "x", limit: 5 }), {
      name: "CommandRefused",
    });
  },
);

sqliteTest(
  "C1 a prompt that was returned to the queue is shown once, where it joined again",
  async (place) => {
    const { holdfast } = place.first;
    const run = await place.openStep("a");
    const lane = await holdfast.store.lane(sessionId);
    await place.prompt("late", { delivery: "steer" });
    await run.answer("one", [repeatable("r")]);
    await run.endTool("r");
    await run.boundary();
    // The cancel covers prompts that were accepted before it: the steered prompt continues.
    await holdfast.cancel({
      sessionId,
      scope: { kind: "session", upTo: lane?.seq ?? 0, tree: false },
    });
    await run.stopped;
    run.end();
    await (await place.puppets.next()).finish("two");
    await place.outcomes(["a", "late"]);
    assert.deepEqual((await allMessages(holdfast, 50)).map(named), [
      ["a", "entered", "cancelled"],
      "one",
      ["r", "completed", null],
      ["late", "entered", "completed"],
      "two",
    ]);
  },
);

sqliteTest(
  "runs and their steps are read from the log, while they are active and afterwards",
  async (place) => {
    const { holdfast } = place.first;
    const usage = { inputTokens: 10, outputTokens: 2, cost: 0.5 };
    const run = await place.openRun("a");
    const { runId } = run.context;
    await run.boundary();
    await run.say({ type: "answer", text: "I write", calls: [call("one")], usage });
    await run.startTool("one");
    const during = await holdfast.run({ sessionId, runId });
    assert.deepEqual(
      [during?.status, during?.steps, during?.usage, during?.outcome, holdfast.running()],
      ["running", 1, usage, null, [{ sessionId, runId }]],
    );
    await place.prompt("b", { delivery: "steer" });
    await run.endTool("one");
    await run.finish("done");
    await place.outcomes(["a", "b"]);
    await place.prompt("c");
    (await place.puppets.next()).fail(new Error("broken"));
    await place.outcome("c");
    const runs = await holdfast.runs({ sessionId, after: null, limit: 10 });
    assert.deepEqual(
      runs.map(({ status, promptIds, attempt, owner, steps, usage: used, outcome }) => [
        status,
        promptIds,
        attempt,
        owner,
        steps,
        used,
        outcome?.status,
      ]),
      [
        ["ended", ["a", "b"], 1, null, 2, usage, "completed"],
        ["ended", ["c"], 1, null, 0, { inputTokens: 0, outputTokens: 0, cost: 0 }, "failed"],
      ],
    );
    const [first, second] = runs;
    assert.deepEqual(await holdfast.runs({ sessionId, after: null, limit: 1 }), [first]);
    assert.deepEqual(await holdfast.runs({ sessionId, after: first?.seq ?? 0, limit: 9 }), [
      second,
    ]);
    assert.deepEqual(await holdfast.run({ sessionId, runId }), first);
    const steps = await holdfast.steps({ sessionId, runId });
    assert.deepEqual(
      steps?.map(({ step, usage: used, answeredAt, calls }) => [
        step,
        used.inputTokens,
        typeof answeredAt,
        calls.map(({ callId, name, status, startedAt, endedAt }) => [
          callId,
          name,
          status,
          typeof startedAt,
          typeof endedAt,
        ]),
      ]),
      [
        [1, 10, "number", [["one", "write", "completed", "number", "number"]]],
        [2, 0, "number", []],
      ],
    );
    assert.equal(await holdfast.run({ sessionId, runId: "nobody" }), null);
    assert.equal(await holdfast.steps({ sessionId, runId: "nobody" }), null);
  },
);

sqliteTest(
  "R4 asks are shown with their question; a second answer gets the author of the first",
  async (place) => {
    const { holdfast } = place.first;
    const run = await place.openStep("a");
    const asked = run.context.ask({ askId: "ask1", question: "write?", extra: { choices: ["x"] } });
    await place.event((event) => event.type === "ask.opened");
    const open = await holdfast.openAsks({ after: null, limit: 10 });
    assert.deepEqual(
      open.map(({ askId, question, extra, answer, closed }) => [
        askId,
        question,
        extra,
        answer,
        closed,
      ]),
      [["ask1", "write?", { choices: ["x"] }, null, null]],
    );
    const anna = { kind: "client", id: "anna" } as const;
    const ben = { kind: "client", id: "ben" } as const;
    const say = (verdict: "allow" | "deny", actor: typeof anna | typeof ben): Promise<unknown> =>
      holdfast.answer({ sessionId, askId: "ask1", verdict, remember: "session", actor });
    const [first, second] = await Promise.allSettled([say("allow", anna), say("deny", ben)]);
    assert.equal(first.status, "fulfilled");
    assert.equal(second.status, "rejected");
    const { refusal } = second.reason;
    assert.deepEqual(
      [refusal.code, refusal.ask.closed.actor, refusal.ask.closed.resolution.verdict],
      ["askClosed", anna, "allow"],
    );
    assert.deepEqual(await asked, { verdict: "allow", text: null, remember: "session" });
    await run.finish();
    await place.outcome("a");
    assert.deepEqual(await holdfast.openAsks({ after: null, limit: 10 }), []);
    assert.deepEqual(await holdfast.asks({ sessionId, open: true, after: null, limit: 9 }), []);
    const [closed] = await holdfast.asks({ sessionId, after: null, limit: 10 });
    assert.deepEqual(
      [closed?.answer, await holdfast.ask({ sessionId, askId: "ask1" })],
      [{ text: null, remember: "session" }, closed],
    );
  },
);
