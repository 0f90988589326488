import assert from "node:assert/strict";
import { covered, holdBack } from "./race.ts";
import type { Race } from "./race.ts";

// A cancel meets prompts that are accepted, waiting, running, or only on their way.

export const cancelRaces: readonly Race[] = [
  {
    name: "C1 C2 a cancel between accept and start covers the prompt, which no agent ever sees",
    play: async (place) => {
      const starts = await holdBack(place, "run.start");
      await place.prompt("a");
      await starts.arrived;
      const receipt = await place.first.holdfast.cancel({ sessionId: "main" });
      starts.release();
      assert.deepEqual(covered(receipt), ["a queued"]);
      assert.equal(await place.outcome("a"), "cancelled: sessionCancel");
      await (await place.openRun("b")).finish();
      assert.equal(await place.outcome("b"), "completed");
      assert.deepEqual(place.puppets.begun, ["b"]);
    },
  },
  {
    name: "C1 L2 a cancel covers two waiting prompts, and a third one, accepted later, runs first",
    play: async (place) => {
      const starts = await holdBack(place, "run.start");
      await place.prompt("a");
      await place.prompt("b");
      await starts.arrived;
      const receipt = await place.first.holdfast.cancel({ sessionId: "main" });
      await place.prompt("c");
      starts.release();
      await (await place.puppets.next()).finish();
      assert.deepEqual(covered(receipt), ["a queued", "b queued"]);
      assert.deepEqual(await place.outcomes(["a", "b", "c"]), [
        "cancelled: sessionCancel",
        "cancelled: sessionCancel",
        "completed",
      ]);
      assert.deepEqual(place.puppets.begun, ["c"]);
    },
  },
  {
    name: "C3 an idle cancel writes no event and does not affect the next prompt",
    play: async (place) => {
      const receipt = await place.first.holdfast.cancel({ sessionId: "main", cancelId: "stop" });
      assert.deepEqual(receipt, {
        cancelId: "stop",
        mark: null,
        covered: [],
        work: [],
        children: [],
        background: [],
        tree: false,
      });
      assert.deepEqual(await place.types(), ["session.created"]);
      await (await place.openRun("a")).finish();
      assert.equal(await place.outcome("a"), "completed");
    },
  },
  {
    name: "C2 P4 all waiters of a prompt learn that it was cancelled before it ran",
    play: async (place) => {
      const run = await place.openRun("busy");
      await place.prompt("a");
      const waiters = place.nodes.flatMap(({ holdfast }) => [
        holdfast.wait({ sessionId: "main", promptId: "a" }),
        holdfast.wait({ sessionId: "main", promptId: "a" }),
      ]);
      const receipt = await place.far(run).cancel({
        sessionId: "main",
        scope: { kind: "prompt", promptId: "a" },
      });
      assert.deepEqual(covered(receipt), ["a queued"]);
      const rows = await Promise.all(waiters);
      const outcome = { status: "cancelled", reason: "promptCancel", runId: null, result: null };
      assert.deepEqual(
        rows.map((row) => row?.outcome),
        rows.map(() => outcome),
      );
      await run.finish();
      assert.equal(await place.outcome("busy"), "completed");
    },
  },
  {
    name: "C1 C5 a prompt sent while a cancelled run is stopping is not affected and runs next",
    play: async (place) => {
      const run = await place.openStep("a");
      await place.prompt("before");
      const receipt = await place.far(run).cancel({ sessionId: "main" });
      await run.stopped;
      await place.prompt("after");
      assert.deepEqual(covered(receipt), ["a running", "before queued"]);
      run.end();
      const next = await place.puppets.next();
      await next.finish();
      assert.deepEqual(await place.outcomes(["a", "before", "after"]), [
        "cancelled: sessionCancel",
        "cancelled: sessionCancel",
        "completed",
      ]);
      assert.deepEqual(place.puppets.begun, ["a", "after"]);
    },
  },
  {
    name: "C5 a run that had just finished when the cancel was committed ends cancelled, and its text is kept",
    play: async (place) => {
      const run = await place.openStep("a");
      await run.answer("all done");
      const ends = await holdBack(place, "run.end");
      run.end();
      await ends.arrived;
      await place.far(run).cancel({ sessionId: "main" });
      ends.release();
      const row = await place.far(run).wait({ sessionId: "main", promptId: "a" });
      assert(row !== null);
      assert.equal(row.outcome?.reason, "sessionCancel");
      assert.equal(await place.far(run).resultText(row), "all done");
    },
  },
  {
    name: "C4 a repeated cancel covers nothing more",
    play: async (place) => {
      const run = await place.openRun("a");
      const cancel = { sessionId: "main", cancelId: "stop" };
      const receipt = await place.far(run).cancel(cancel);
      await place.prompt("b");
      assert.deepEqual(await place.first.holdfast.cancel(cancel), receipt);
      run.end();
      await (await place.puppets.next()).finish();
      assert.deepEqual(await place.outcomes(["a", "b"]), ["cancelled: sessionCancel", "completed"]);
    },
  },
  {
    name: "C5 a cancel reaches a run at the next lease renewal if every signal is lost",
    settings: { pollEvery: 60_000 },
    play: async (place) => {
      const run = await place.openRun("a");
      for (const node of place.nodes) await node.dropSignals();
      await place.far(run).cancel({ sessionId: "main" });
      await run.stopped;
      run.end();
      assert.equal(await place.outcome("a"), "cancelled: sessionCancel");
    },
  },
];
