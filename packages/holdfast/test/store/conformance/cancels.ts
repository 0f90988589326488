import assert from "node:assert/strict";
import { storeTest } from "../engine.ts";
import type { Engine } from "../engine.ts";
import { done, verdict } from "../lane-client.ts";

export function testCancels(engine: Engine): void {
  storeTest(
    engine,
    "C3 C4 an idle cancel has no effect, even if it is repeated later",
    async (place) => {
      const lane = await place.newLane("s");
      const nothing = {
        cancelId: "c1",
        mark: null,
        covered: [],
        work: [],
        children: [],
        background: [],
        tree: false,
      };
      const idle = done(await lane.cancel("c1"));
      assert.deepEqual([idle.receipt, idle.events], [nothing, []]);
      await lane.accept("p1");
      assert.deepEqual(done(await lane.cancel("c1")).receipt, nothing);
      await place.reopen();
      const later = place.lane("s");
      assert.deepEqual(done(await later.cancel("c1")).receipt, nothing);
      assert.deepEqual(await later.types(), ["session.created", "prompt.accepted"]);
      assert.equal(verdict(await later.start("run1")), "done");
    },
  );

  storeTest(
    engine,
    "C1 C2 a cancel covers earlier prompts, and settles each at once",
    async (place) => {
      const lane = await place.newLane("s");
      await lane.accept("p1");
      await lane.start("run1");
      await lane.accept("p2");
      await lane.accept("p3", { delivery: "steer" });
      const { receipt, events } = done(await lane.cancel("c1"));
      await lane.accept("p4");
      assert.deepEqual(receipt, {
        cancelId: "c1",
        mark: 5,
        covered: [
          { promptId: "p1", acceptSeq: 2, was: "running", runId: "run1" },
          { promptId: "p2", acceptSeq: 4, was: "queued", runId: null },
          { promptId: "p3", acceptSeq: 5, was: "steering", runId: "run1" },
        ],
        work: [],
        children: [],
        background: [],
        tree: false,
      });
      assert.deepEqual(
        events.map((event) => event.type),
        ["cancel.committed", "prompt.settled", "prompt.settled", "run.stopping"],
      );
      assert.equal((await lane.row("p2")).outcome?.reason, "sessionCancel");
      await lane.end({ status: "completed" });
      assert.equal((await lane.row("p1")).outcome?.status, "cancelled");
      assert.equal((await lane.row("p4")).status, "queued");
    },
  );

  storeTest(
    engine,
    "C4 a repeated cancel returns its receipt and covers nothing more",
    async (place) => {
      const lane = await place.newLane("s");
      await lane.accept("p1");
      const { receipt } = done(await lane.cancel("c1"));
      await lane.accept("p2");
      const again = done(await lane.cancel("c1"));
      assert.deepEqual([again.receipt, again.events], [receipt, []]);
      await place.reopen();
      const later = done(await place.lane("s").cancel("c1"));
      assert.deepEqual([later.receipt, later.events], [receipt, []]);
      assert.equal((await place.lane("s").row("p2")).status, "queued");
    },
  );

  storeTest(
    engine,
    "L2 an interrupting prompt keeps its receipt in its ledger entry",
    async (place) => {
      const lane = await place.newLane("s");
      await lane.accept("p1");
      await lane.accept("p2", { delivery: "interrupt" });
      await place.reopen();
      const { receipt, status } = await place.lane("s").row("p2");
      assert.deepEqual(
        [status, receipt?.covered],
        ["queued", [{ promptId: "p1", acceptSeq: 2, was: "queued", runId: null }]],
      );
    },
  );

  storeTest(engine, "R4 the first commit among an answer and a cancel wins", async (place) => {
    const lane = await place.newLane("s");
    await lane.accept("p1");
    await lane.start("run1");
    await lane.boundary();
    await lane.answer(["call"]);
    await lane.ask("ask1", { callId: "call" });
    const answers = await Promise.all([
      lane.answerAsk("ask1", "allow"),
      lane.cancel("c1"),
      lane.answerAsk("ask1", "deny"),
    ]);
    const row = await place.store.ask("s", "ask1");
    const kind = row?.closed?.resolution.kind;
    const won = answers.filter((answer) => answer.status === "done" && answer.ask !== null);
    assert.equal(won.length, kind === "answered" ? 1 : 0);
    assert.ok(kind === "answered" || kind === "withdrawn");
    const late = await lane.answerAsk("ask1", "deny");
    const given = row?.closed?.resolution;
    const same = given?.kind === "answered" && given.verdict === "deny";
    assert.equal(verdict(late), same ? "done" : "askClosed");
  });
}
