import assert from "node:assert/strict";
import { call } from "../support/puppets.ts";
import { covered } from "./race.ts";
import type { Race } from "./race.ts";

// Stops, steers, asks and children, each asked for through a runtime that does not own the lane.

export const stopRaces: readonly Race[] = [
  {
    name: "L6 a steer joins once, at the next boundary, and settles with its run",
    play: async (place) => {
      const run = await place.openStep("a");
      await place.far(run).prompt({
        sessionId: "main",
        promptId: "steer",
        text: "rather this",
        delivery: "steer",
      });
      await run.answer("working", [call("one")]);
      await run.startTool("one");
      await run.endTool("one");
      const entered = await run.boundary();
      assert.deepEqual(
        entered.map(({ promptId, text }) => [promptId, text]),
        [["steer", "rather this"]],
      );
      await run.answer("as you like");
      assert.deepEqual(await run.boundary(), []);
      await run.answer("done");
      run.end();
      const rows = await Promise.all(
        ["a", "steer"].map((promptId) =>
          place.first.holdfast.wait({ sessionId: "main", promptId }),
        ),
      );
      const { runId } = run.context;
      assert.deepEqual(
        rows.map((row) => [row?.outcome?.status, row?.outcome?.runId]),
        [
          ["completed", runId],
          ["completed", runId],
        ],
      );
      const types = await place.types();
      assert.equal(types.filter((type) => type === "prompt.takenIn").length, 1);
    },
  },
  {
    name: "L6 a steer during the last step makes the run continue",
    play: async (place) => {
      const run = await place.openStep("a");
      await run.answer("done");
      await place.far(run).prompt({
        sessionId: "main",
        promptId: "steer",
        text: "and this",
        delivery: "steer",
      });
      run.end();
      const again = await place.puppets.next();
      assert.deepEqual(
        [again.context.runId, again.context.attempt, again.context.prompts.map((p) => p.promptId)],
        [run.context.runId, run.context.attempt, ["a", "steer"]],
      );
      await again.finish();
      assert.deepEqual(await place.outcomes(["a", "steer"]), ["completed", "completed"]);
    },
  },
  {
    name: "L2 an interrupt cancels all earlier prompts and runs when the lane is free",
    play: async (place) => {
      const run = await place.openRun("a");
      await place.prompt("b");
      const row = await place.far(run).prompt({
        sessionId: "main",
        promptId: "now",
        text: "now",
        delivery: "interrupt",
      });
      await place.prompt("c");
      assert.deepEqual(row.receipt === null ? null : covered(row.receipt), [
        "a running",
        "b queued",
      ]);
      await run.stopped;
      run.end();
      for (const _ of ["now", "c"]) await (await place.puppets.next()).finish();
      assert.deepEqual(await place.outcomes(["a", "b", "now", "c"]), [
        "cancelled: interrupt",
        "cancelled: interrupt",
        "completed",
        "completed",
      ]);
      assert.deepEqual(place.puppets.begun, ["a", "now", "c"]);
    },
  },
  {
    name: "L2 a promoted prompt runs next, and only the active run is stopped",
    play: async (place) => {
      const run = await place.openRun("a");
      await place.prompt("b");
      await place.prompt("c");
      const actor = { kind: "client", id: "person" } as const;
      await place.far(run).store.execute({
        command: { type: "prompt.promote", sessionId: "main", promptId: "c", actor },
      });
      await run.stopped;
      run.end();
      for (const _ of ["c", "b"]) await (await place.puppets.next()).finish();
      assert.deepEqual(await place.outcomes(["a", "b", "c"]), [
        "cancelled: promoted",
        "completed",
        "completed",
      ]);
      assert.deepEqual(place.puppets.begun, ["a", "c", "b"]);
    },
  },
  {
    name: "R4 an ask is answered through a runtime that does not own the run, and the call starts",
    play: async (place) => {
      const run = await place.openStep("a");
      await run.answer("may I?", [call("one"), call("two")]);
      const asked = run.context.ask({ askId: "ask1", callId: "one", question: "write?" });
      await place.event((event) => event.type === "ask.opened");
      await place
        .far(run)
        .answer({ sessionId: "main", askId: "ask1", verdict: "allow", text: "go on" });
      assert.deepEqual(await asked, { verdict: "allow", text: "go on", remember: null });
      await run.startTool("one");
      await run.endTool("one");
      const denied = run.context.ask({ askId: "ask2", callId: "two", question: "more?" });
      await place.event((event) => event.type === "ask.opened" && event.askId === "ask2");
      await place.far(run).answer({ sessionId: "main", askId: "ask2", verdict: "deny" });
      assert.deepEqual(await denied, { verdict: "deny", text: null, remember: null });
      await run.say({ type: "toolEnd", callId: "two", status: "denied", output: "not allowed" });
      await run.finish();
      assert.equal(await place.outcome("a"), "completed");
    },
  },
  {
    name: "R4 C5 a cancel closes the open asks of its run",
    play: async (place) => {
      const run = await place.openStep("a");
      await run.answer("may I?", [call("one")]);
      const asked = run.context.ask({ askId: "ask1", callId: "one", question: "write?" });
      const stopped = assert.rejects(asked, { name: "RunStopping" });
      await place.event((event) => event.type === "ask.opened");
      await place.far(run).cancel({ sessionId: "main" });
      await stopped;
      run.end();
      assert.equal(await place.outcome("a"), "cancelled: sessionCancel");
      const row = await place.first.store.ask("main", "ask1");
      assert.equal(row?.closed?.resolution.kind, "withdrawn");
      await assert.rejects(
        place.first.holdfast.answer({ sessionId: "main", askId: "ask1", verdict: "allow" }),
        { name: "CommandRefused" },
      );
    },
  },
  {
    name: "C7 one cancel reaches three levels of children, each parent settles after its child",
    play: async (place) => {
      const parent = await place.openRun("a");
      const waits: Promise<unknown>[] = [];
      let above = parent;
      for (const sessionId of ["child", "grandchild"]) {
        await above.boundary();
        await above.answer("asking for help");
        const request = { sessionId, promptId: "job", text: "help" };
        const waiting = above.context.child(request);
        waits.push(assert.rejects(waiting, { name: "RunStopping" }));
        above = await place.puppets.next(sessionId);
      }
      const receipt = await place.far(parent).cancel({ sessionId: "main" });
      assert.deepEqual(receipt.children, [
        { sessionId: "child", promptId: "job" },
        { sessionId: "grandchild", promptId: "job" },
      ]);
      await above.stopped;
      await Promise.all(waits);
      place.puppets.dismiss();
      assert.deepEqual(
        [
          await place.outcome("job", "grandchild"),
          await place.outcome("job", "child"),
          await place.outcome("a"),
        ],
        ["cancelled: parentCancel", "cancelled: parentCancel", "cancelled: sessionCancel"],
      );
      const ended = await Promise.all(
        ["grandchild", "child", "main"].map((sessionId) =>
          place.event((event) => event.type === "run.ended", sessionId),
        ),
      );
      const times = ended.map(({ at }) => at);
      assert.deepEqual(
        times,
        times.toSorted((left, right) => left - right),
      );
    },
  },
  {
    name: "C5 L3 a run that ignores its cancel is ended after the grace time, and the next prompt runs",
    settings: { stopGrace: 150 },
    play: async (place) => {
      const run = await place.openStep("a");
      await place.far(run).cancel({ sessionId: "main" });
      await (await place.openRun("b")).finish();
      assert.deepEqual(await place.outcomes(["a", "b"]), ["cancelled: sessionCancel", "completed"]);
      const stopping = await place.event((event) => event.type === "run.stopping");
      const ended = await place.event((event) => event.type === "run.ended");
      assert.ok(ended.at - stopping.at >= 150, "not before the grace time is over");
      await assert.rejects(run.boundary(), { name: "RunLost" });
    },
  },
];
