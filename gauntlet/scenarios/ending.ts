import type { Scenario } from "../scenario.ts";
import { aroundEnd } from "./around-end.ts";

// Scenarios with prompts that arrive while a run is active, ends or fails.

export const endingScenarios: readonly Scenario[] = [
  {
    name: "prompt around a run's end",
    about: "A prompt that arrives just as a run ends is acknowledged, but never runs.",
    needs: ["queue", "outcome"],
    play: async (context) => {
      const { stage, submit, ending, expect } = context;
      const times = context.tries(24);
      for (let index = 0; index < times; index += 1) {
        const race = await aroundEnd(context, { index, times });
        const { sessionId, first, firstId, second } = race;
        const secondId = await submit(sessionId, second);
        expect(`the end of ${first}`, await ending(sessionId, firstId), "completed");
        expect(`the end of ${second}`, await ending(sessionId, secondId), "completed");
        const served = stage.served.filter((name) => name === second);
        expect(`the model's calls for ${second}`, served, [second]);
      }
    },
  },
  {
    name: "prompts at once on an idle session",
    about:
      "Two clients find a session idle: both of their prompts run at the same time, or one is lost.",
    needs: ["queue", "outcome"],
    play: async (context) => {
      const { target, offers, stage, submit, ending, withTimeout, expect } = context;
      for (let round = 0; round < context.tries(5); round += 1) {
        const sessionId = await target.createSession();
        const names = Array.from({ length: 4 }, (_, index) => `at-once-${round}-${index}`);
        const calls = new Map(names.map((name) => [name, stage.hold(name)]));
        const submitted = Promise.all(names.map((name) => submit(sessionId, name)));
        const promptIds = await withTimeout("the acknowledgements", submitted);
        const ends = Promise.all(promptIds.map((promptId) => ending(sessionId, promptId)));
        // Answer each model call when it arrives, and check that no two calls overlap.
        const over = ends.then(() => null);
        over.catch(() => {});
        for (;;) {
          const waiting = [...calls].map(async ([name, call]) => {
            await call.arrived;
            return name;
          });
          const next = await Promise.race([...waiting, over]);
          if (next === null) break;
          expect("the model's calls at one time", stage.callsAtWork, 1);
          calls.get(next)?.finish();
          await withTimeout("the end of the call", calls.get(next)?.dropped ?? over);
          calls.delete(next);
        }
        expect(
          "the ends",
          await ends,
          names.map(() => "completed"),
        );
        if (offers.runs !== true) continue;
        const served = stage.served.filter((name) => name.startsWith(`at-once-${round}`));
        expect("what the model was asked", served.toSorted(), names);
      }
    },
  },
  {
    name: "burst on a busy session",
    about: "Prompts sent to a busy session are dropped, merged or answered out of order.",
    needs: ["queue", "runs", "outcome"],
    play: async ({ target, stage, submit, ending, withTimeout, expect }) => {
      const sessionId = await target.createSession();
      const call = stage.hold("busy");
      const busy = await submit(sessionId, "busy");
      await withTimeout("the model's call for busy", call.arrived);
      const names = Array.from({ length: 20 }, (_, index) => `burst-${index}`);
      const promptIds: string[] = [];
      for (const name of names) promptIds.push(await submit(sessionId, name));
      call.finish();
      expect("the end of busy", await ending(sessionId, busy), "completed");
      for (const promptId of promptIds) {
        expect(`the end of ${promptId}`, await ending(sessionId, promptId), "completed");
      }
      expect("what the model was asked, in order", stage.served, ["busy", ...names]);
    },
  },
  {
    name: "provider error with prompts queued",
    about: "One failing model call also fails the queued prompts, or leaves them waiting forever.",
    needs: ["queue", "runs", "outcome"],
    play: async ({ target, stage, submit, ending, withTimeout, expect }) => {
      const sessionId = await target.createSession();
      const call = stage.hold("busy");
      const busy = await submit(sessionId, "busy");
      await withTimeout("the model's call for busy", call.arrived);
      stage.script("bad", { status: 400, message: "this model cannot do that" });
      const bad = await submit(sessionId, "bad");
      const good = await submit(sessionId, "good");
      call.finish();
      expect("the end of busy", await ending(sessionId, busy), "completed");
      expect("the end of bad", await ending(sessionId, bad), "failed");
      expect("the end of good", await ending(sessionId, good), "completed");
    },
  },
  {
    name: "late waiter",
    about: "A client that asks for a prompt's outcome after it has ended waits forever.",
    needs: ["outcome", "lookup"],
    play: async ({ target, submit, ending, expect }) => {
      const sessionId = await target.createSession();
      const promptId = await submit(sessionId, "a");
      expect("the end of a", await ending(sessionId, promptId), "completed");
      expect("the end of a, asked again", await ending(sessionId, promptId), "completed");
      const both = await Promise.all([ending(sessionId, promptId), ending(sessionId, promptId)]);
      expect("the end of a, asked by two", both, ["completed", "completed"]);
    },
  },
  {
    name: "duplicate submit",
    about: "A client that repeats a prompt whose acknowledgement it lost is answered twice.",
    needs: ["outcome", "promptIds"],
    play: async ({ target, stage, submit, ending, expect }) => {
      const sessionId = await target.createSession();
      const again = { promptId: "the-same" };
      await Promise.all([1, 2, 3].map(() => submit(sessionId, "a", again)));
      expect("the end of a", await ending(sessionId, "the-same"), "completed");
      await submit(sessionId, "a", again);
      const other = await submit(sessionId, "b");
      expect("the end of b", await ending(sessionId, other), "completed");
      expect("what the model was asked", stage.served, ["a", "b"]);
    },
  },
];
