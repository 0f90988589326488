import { setTimeout as delay } from "node:timers/promises";
import type { Scenario } from "../scenario.ts";
import { Refused } from "../target.ts";

// Scenarios with two processes on the same data, such as a server and a forgotten terminal.

export const processScenarios: readonly Scenario[] = [
  {
    name: "two processes on one session",
    about: "Two processes run one session at the same time, and it diverges or loses a prompt.",
    needs: ["queue", "outcome", "lookup", "processes"],
    play: async ({ target, stage, submit, ending, withTimeout, expect, note }) => {
      // A refused request is acceptable: its sender knows that nothing was accepted.
      const unlessRefused = async <T>(what: string, promise: Promise<T>): Promise<T | null> =>
        promise.catch((error: unknown) => {
          if (!(error instanceof Refused)) throw error;
          note(`refuses ${what}: ${error.message}`, "target");
          return null;
        });
      const second = await withTimeout(
        "the second process",
        unlessRefused("a second process", target.another()),
      );
      try {
        const sessionId = await target.createSession();
        const call = stage.hold("first");
        const first = await submit(sessionId, "first");
        await withTimeout("the model's call for first", call.arrived);
        const behind = await unlessRefused(
          "behind",
          submit(sessionId, "behind", { through: second ?? target }),
        );
        // Wait: if the second process ignored the first one, it would call the model during this time.
        await delay(2_000);
        expect("what the model was asked during the first run", stage.served, ["first"]);
        call.finish();
        expect("the end of first", await ending(sessionId, first), "completed");
        if (behind === null) return;
        expect("the end of behind", await ending(sessionId, behind), "completed");
        expect("what the model was asked", stage.served, ["first", "behind"]);
        const told = stage.callsFor("behind")[0]?.messages.map(({ text }) => text) ?? [];
        const answered = told.some((text) => text.includes("done with first"));
        expect("whether behind was asked with the answer before it", answered, true);
      } finally {
        await second?.stop();
      }
    },
  },
];
