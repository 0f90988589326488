import type { Scenario } from "../scenario.ts";

// Scenarios in which a cancel arrives while prompts run or wait, or just before new prompts.

export const cancelScenarios: readonly Scenario[] = [
  {
    name: "cancel in mid-answer",
    about: "The model call continues, the outcome is wrong, or the session is unusable afterwards.",
    needs: ["cancel", "outcome"],
    play: async ({ target, stage, submit, cancel, ending, withTimeout, expect, tries }) => {
      for (let index = 0; index < tries(3); index += 1) {
        const sessionId = await target.createSession();
        const call = stage.hold(`a-${index}`);
        const promptId = await submit(sessionId, `a-${index}`);
        await withTimeout("the model's call", call.arrived);
        await cancel(sessionId);
        expect("the end of the cancelled one", await ending(sessionId, promptId), "cancelled");
        await withTimeout("the end of the model's call", call.dropped);
        const next = await submit(sessionId, `b-${index}`);
        expect("the end of the next one", await ending(sessionId, next), "completed");
      }
    },
  },
  {
    name: "cancel with prompts queued",
    about: "A cancel ends the run, but the queued prompts still run or hang.",
    needs: ["queue", "cancel", "withdraw", "outcome"],
    play: async ({ target, stage, submit, cancel, ending, withTimeout, expect }) => {
      const sessionId = await target.createSession();
      const call = stage.hold("running");
      const promptIds = [await submit(sessionId, "running")];
      await withTimeout("the model's call for running", call.arrived);
      for (const name of ["left", "right"]) promptIds.push(await submit(sessionId, name));
      await cancel(sessionId);
      for (const promptId of promptIds) {
        expect(`the end of ${promptId}`, await ending(sessionId, promptId), "cancelled");
      }
      await withTimeout("the end of the model's call", call.dropped);
      const after = await submit(sessionId, "after");
      expect("the end of after", await ending(sessionId, after), "completed");
      expect("what the model was asked", stage.served, ["running", "after"]);
      expect("prompts that never ran, shown to the model", stage.sawPrompt("left"), false);
    },
  },
  {
    name: "prompt while the cancelled run unwinds",
    about: "A prompt that is sent right after a cancel is cancelled too.",
    needs: ["queue", "cancel", "outcome"],
    play: async ({ target, stage, submit, cancel, ending, withTimeout, expect, tries }) => {
      for (let index = 0; index < tries(5); index += 1) {
        const sessionId = await target.createSession();
        const call = stage.hold(`running-${index}`);
        const running = await submit(sessionId, `running-${index}`);
        await withTimeout("the model's call", call.arrived);
        await cancel(sessionId);
        const behind = await submit(sessionId, `behind-${index}`);
        expect("the end of the running one", await ending(sessionId, running), "cancelled");
        expect("the end of the one behind", await ending(sessionId, behind), "completed");
      }
    },
  },
  {
    name: "cancel right after the acknowledgement",
    about: "A cancel between acknowledgement and start is lost, or kills the next prompt instead.",
    needs: ["cancel", "outcome"],
    play: async ({ target, stage, submit, cancel, ending, expect, tries }) => {
      for (let index = 0; index < tries(10); index += 1) {
        const sessionId = await target.createSession();
        // Hold the model call, so that the run cannot complete before the cancel.
        const call = stage.hold(`a-${index}`);
        const cancelled = await submit(sessionId, `a-${index}`);
        await cancel(sessionId);
        expect("the end of the cancelled one", await ending(sessionId, cancelled), "cancelled");
        const next = await submit(sessionId, `b-${index}`);
        expect("the end of the next one", await ending(sessionId, next), "completed");
        call.finish();
      }
    },
  },
  {
    name: "cancel between prompts",
    about: "One cancel after two prompts ends only one of them, or kills the next prompt.",
    needs: ["queue", "runs", "cancel", "withdraw", "outcome"],
    play: async ({ target, stage, submit, cancel, ending, expect, tries }) => {
      for (let index = 0; index < tries(5); index += 1) {
        const sessionId = await target.createSession();
        const call = stage.hold(`a-${index}`);
        const before = [
          await submit(sessionId, `a-${index}`),
          await submit(sessionId, `b-${index}`),
        ];
        await cancel(sessionId);
        const after = await submit(sessionId, `c-${index}`);
        expect("the end of the one after", await ending(sessionId, after), "completed");
        for (const promptId of before) {
          expect("the end of one before", await ending(sessionId, promptId), "cancelled");
        }
        call.finish();
        expect("whether the second one ran", stage.callsFor(`b-${index}`).length, 0);
      }
    },
  },
  {
    name: "cancel before the next try",
    about: "While a run waits to retry a busy provider, a cancel waits too or is lost.",
    needs: ["cancel", "outcome"],
    play: async ({ target, stage, submit, cancel, ending, withTimeout, expect, note }) => {
      const sessionId = await target.createSession();
      // A retry delay that is longer than any client waits.
      const headers = { "retry-after": "600" };
      stage.scriptAlways("a", { status: 503, headers, message: "overloaded, try again later" });
      const cancelled = await submit(sessionId, "a");
      await withTimeout("the model's call", stage.firstCall("a"));
      await cancel(sessionId);
      const end = await ending(sessionId, cancelled);
      // Accept `failed` too: a target that does not retry model calls may end the prompt before the cancel arrives.
      expect("the end of the cancelled one", end === "failed" ? "cancelled" : end, "cancelled");
      const calls = stage.callsFor("a").length;
      note(`the model was asked ${calls} times`);
      const next = await submit(sessionId, "b");
      expect("the end of the next one", await ending(sessionId, next), "completed");
      expect("how often the model was asked for it", stage.callsFor("a").length, calls);
    },
  },
  {
    name: "cancel of an idle session",
    about: "A cancel on an idle session kills the next prompt.",
    needs: ["cancel", "outcome"],
    play: async ({ target, submit, cancel, ending, expect, tries }) => {
      for (let index = 0; index < tries(10); index += 1) {
        const sessionId = await target.createSession();
        const before = await submit(sessionId, `before-${index}`);
        expect("the end of the one before", await ending(sessionId, before), "completed");
        await cancel(sessionId);
        const after = await submit(sessionId, `after-${index}`);
        expect("the end of the one after", await ending(sessionId, after), "completed");
      }
    },
  },
];
