import assert from "node:assert/strict";
import { AgentFailure } from "../../../src/agent/agent.ts";
import type { Race } from "./race.ts";

// Races with prompts that arrive just as a run ends, fails, or has ended.

export const endRaces: readonly Race[] = [
  {
    name: "L4 P2 after a failed run the queued prompts run, in order",
    play: async (place) => {
      const run = await place.openRun("a");
      await place.prompt("b");
      await place.prompt("c");
      run.fail(new Error("out of luck"));
      for (const _ of ["b", "c"]) await (await place.puppets.next()).finish();
      assert.deepEqual(await place.outcomes(["a", "b", "c"]), [
        "failed: agentError",
        "completed",
        "completed",
      ]);
      assert.deepEqual(place.puppets.begun, ["a", "b", "c"]);
      const row = await place.first.holdfast.wait({ sessionId: "main", promptId: "a" });
      assert(row !== null);
      assert.equal(await place.first.holdfast.resultText(row), "out of luck");
    },
  },
  {
    name: "P4 a late waiter is answered at once, by every runtime, even after the session was deleted",
    play: async (place) => {
      await (await place.openRun("a")).finish("it is done");
      await place.outcome("a");
      const { store } = place.first;
      const actor = { kind: "client", id: "person" } as const;
      await store.execute({ command: { type: "session.delete", sessionId: "main", actor } });
      for (const { holdfast } of place.nodes) {
        const row = await holdfast.wait({ sessionId: "main", promptId: "a" });
        assert.equal(row?.outcome?.status, "completed");
        assert.equal(await holdfast.wait({ sessionId: "main", promptId: "unknown" }), null);
      }
    },
  },
  {
    name: "C7 L3 a background child that settles after its parent's run has ended starts a run of the parent",
    play: async (place) => {
      const parent = await place.openStep("a");
      await parent.context.background({ sessionId: "child", promptId: "job", text: "look" });
      await parent.answer("started it");
      const child = await place.puppets.next("child");
      await child.boundary();
      await child.answer("found it");
      parent.end();
      assert.equal(await place.outcome("a"), "completed");
      child.end();
      const woken = await place.puppets.next();
      const [prompt] = woken.context.prompts;
      assert.deepEqual(
        [prompt?.promptId, prompt?.text, prompt?.resultOf?.outcome.status],
        ["result:job", "found it", "completed"],
      );
      await woken.finish();
      assert.equal(await place.outcome("result:job"), "completed");
      assert.equal(await place.outcome("job", "child"), "completed");
    },
  },
  {
    name: "L4 a failure that the next prompt would repeat holds the lane until a new prompt arrives",
    play: async (place) => {
      const run = await place.openRun("a");
      await place.prompt("b");
      run.fail(new AgentFailure("badKey", "the key is wrong", { hold: { retryIn: null } }));
      assert.equal(await place.outcome("a"), "failed: badKey");
      await place.event((event) => event.type === "hold.placed");
      await place.prompt("c");
      for (const _ of ["b", "c"]) await (await place.puppets.next()).finish();
      assert.deepEqual(await place.outcomes(["b", "c"]), ["completed", "completed"]);
      assert.deepEqual(place.puppets.begun, ["a", "b", "c"]);
    },
  },
];
