import assert from "node:assert/strict";
import { test } from "node:test";
import type { Agent } from "../../src/agent/agent.ts";
import type { CommandType } from "../../src/kernel/command.ts";
import { StoreError } from "../../src/store/store-error.ts";
import { openSqlitePlace } from "./support/place.ts";
import { sqliteTest } from "./support/sqlite-test.ts";
import type { Node } from "./support/place.ts";
import { call } from "./support/puppets.ts";
import { away } from "./support/tampered-store.ts";

// The store becomes unavailable while a run is active, and comes back. A request without an answer may have been
// executed or not; in the end it must have been executed exactly once.

/** Everything that a run can write. */
const everything: Agent = {
  name: "everything",
  async *run(context) {
    if (context.sessionId.startsWith("child-of-")) {
      await context.boundary();
      yield { type: "answer", text: "found it" };
      return;
    }
    if (context.openCalls.length === 0) {
      await context.boundary();
      yield { type: "answer", text: "working", calls: [call("one")] };
    }
    const ask = { askId: "ask1", callId: "one", question: "may I?" };
    assert.equal((await context.ask(ask)).verdict, "allow");
    const child = { sessionId: `child-of-${context.sessionId}`, promptId: "job", text: "help" };
    assert.equal((await context.child(child)).text, "found it");
    yield { type: "toolStart", callId: "one" };
    yield { type: "toolEnd", callId: "one", status: "completed", output: "done" };
    const entered = await context.boundary();
    yield { type: "answer", text: entered.map(({ promptId }) => promptId).join() };
  },
};

const writes: readonly CommandType[] = [
  "run.start",
  "run.boundary",
  "step.answer",
  "ask.open",
  "child.link",
  "tool.start",
  "tool.end",
  "run.end",
];

for (const landed of [true, false]) {
  const what = landed ? "that landed but was not answered" : "that did not land";
  test(`P1 P2 R2 every write ${what} takes effect exactly once`, async (t) => {
    const place = await openSqlitePlace(t, { agent: everything, maxRunsPerDirectory: 100 });
    const { holdfast, store } = place.first;
    const lost = new Set<string>();
    store.around(async (request, execute) => {
      const { sessionId, type } = request.command;
      const answer = sessionId !== type || lost.has(type) ? await execute() : null;
      if (answer !== null) return answer;
      lost.add(type);
      if (landed) await execute();
      throw away();
    });
    for (const type of writes) {
      const directory = "/project";
      await holdfast.createSession({ sessionId: type, directory });
      const sent = { sessionId: type, text: "go" };
      await holdfast.prompt({ ...sent, promptId: "a" });
      void answerAsk(place.first, type);
    }
    for (const sessionId of writes) {
      assert.equal(await place.outcome("a", sessionId), "completed", `${sessionId} was lost`);
      const types = await place.types(sessionId);
      const count = (type: string): number => types.filter((other) => other === type).length;
      assert.deepEqual(
        ["step.answered", "tool.started", "tool.ended", "ask.opened", "child.linked"].map(count),
        [2, 1, 1, 1, 1],
        `${sessionId} was lost`,
      );
    }
    assert.deepEqual([...lost].toSorted(), writes.toSorted());
    forgiveStoreErrors(place.first);
  });
}

sqliteTest(
  "L6 a boundary whose answer was lost still returns the prompts that joined",
  async (place) => {
    const { store, holdfast } = place.first;
    const run = await place.openStep("a");
    await run.answer("one");
    await holdfast.prompt({ sessionId: "main", promptId: "s", text: "x", delivery: "steer" });
    let lost = false;
    store.around(async (request, execute) => {
      const answer = await execute();
      if (lost || request.command.type !== "run.boundary") return answer;
      lost = true;
      throw away();
    });
    const entered = await run.boundary();
    assert.deepEqual(
      entered.map(({ promptId }) => promptId),
      ["s"],
    );
    await run.answer("two");
    run.end();
    assert.deepEqual(await place.outcomes(["a", "s"]), ["completed", "completed"]);
  },
);

sqliteTest(
  "P2 an answer that landed after a thousand events of others is not committed again",
  async (place) => {
    const { store } = place.first;
    const run = await place.openStep("a");
    const actor = { kind: "client", id: "c" } as const;
    const rename = (title: string): Promise<unknown> =>
      place.first.holdfast.store.execute({
        command: { type: "session.rename", sessionId: "main", actor, title, auto: false },
      });
    let lost = false;
    store.around(async (request, execute) => {
      if (lost || request.command.type !== "step.answer") return execute();
      lost = true;
      for (let count = 0; count < 1_001; count += 1) await rename(`title ${count}`);
      await execute();
      throw away();
    });
    await run.answer("one");
    run.end();
    assert.deepEqual(await place.outcomes(["a"]), ["completed"]);
    const types = await place.types("main");
    assert.equal(types.filter((type) => type === "step.answered").length, 1);
  },
);

sqliteTest(
  "P1 L3 a run whose first reads fail starts when the store is available again",
  async (place) => {
    const { store } = place.first;
    let breakdown: ReturnType<typeof store.breakDown> | null = null;
    store.around(async (request, execute) => {
      const answer = await execute();
      if (request.command.type === "run.start") breakdown = store.breakDown(["prompt", "body"]);
      return answer;
    });
    const begun = place.puppets.next();
    await place.prompt("a");
    const down = await place.event((event) => event.type === "run.started").then(() => breakdown);
    assert(down !== null);
    await down.failed(2);
    down.repair();
    await (await begun).finish();
    assert.equal(await place.outcome("a"), "completed");
    forgiveStoreErrors(place.first);
  },
);

sqliteTest(
  "P1 R1 a run whose write fails permanently is given up, and continues by itself",
  async (place) => {
    const { store, errors } = place.first;
    const run = await place.openStep("a");
    let broken = true;
    store.around(async (request, execute) => {
      if (request.command.type === "step.answer" && broken) {
        broken = false;
        throw new StoreError("storeReadOnly", "somebody took the pen away");
      }
      return execute();
    });
    await assert.rejects(run.answer("lost"));
    const again = await place.puppets.next();
    assert.equal(again.context.runId, run.context.runId);
    await again.finish();
    assert.equal(await place.outcome("a"), "completed");
    errors.length = 0;
  },
);

sqliteTest(
  "T1 a conversation is read when the store is available again, and the run does not fail",
  async (place) => {
    const { store } = place.first;
    const run = await place.openRun("a");
    const breakdown = store.breakDown(["events", "body"]);
    const reading = run.context.conversation();
    await breakdown.failed(2);
    breakdown.repair();
    assert.deepEqual(
      (await reading).map((message) => (message.role === "user" ? message.promptId : message.role)),
      ["a"],
    );
    await run.finish();
    assert.equal(await place.outcome("a"), "completed");
  },
);

sqliteTest(
  "C7 R4 answers and outcomes are read when the store is available again",
  async (place) => {
    const { store, holdfast } = place.first;
    const run = await place.openStep("a");
    await run.answer("asking");
    const helped = run.context.child({ sessionId: "child", promptId: "job", text: "help" });
    const child = await place.puppets.next("child");
    const forChild = store.breakDown(["body"]);
    await child.finish("found it");
    await forChild.failed(2);
    forChild.repair();
    assert.equal((await helped).text, "found it");
    const asked = run.context.ask({ askId: "ask1", question: "well?" });
    await place.event((event) => event.type === "ask.opened");
    const forAsk = store.breakDown(["body"]);
    await holdfast.answer({ sessionId: "main", askId: "ask1", verdict: "allow", text: "yes" });
    await forAsk.failed(2);
    forAsk.repair();
    assert.deepEqual(await asked, { verdict: "allow", text: "yes", remember: null });
    await run.finish();
    assert.equal(await place.outcome("a"), "completed");
  },
);

/** The runner may report only the errors of the store. */
function forgiveStoreErrors(node: Node): void {
  const others = node.errors.filter((error) => !(error instanceof StoreError));
  assert.deepEqual(others, []);
  node.errors.length = 0;
}

async function answerAsk(node: Node, sessionId: string): Promise<void> {
  for await (const event of node.holdfast.events({ sessionId })) {
    if (event.type !== "ask.opened") continue;
    await node.holdfast.answer({ sessionId, askId: event.askId, verdict: "allow" });
    return;
  }
}
