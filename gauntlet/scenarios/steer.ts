import { setTimeout as delay } from "node:timers/promises";
import type { Scenario } from "../scenario.ts";
import { Refused } from "../target.ts";

// Prompts that are sent into a run, which may be over before they arrive.

export const steerScenarios: readonly Scenario[] = [
  {
    name: "steer around a run's end",
    about:
      "A prompt that is sent into a run just as that ends is taken, and never shown to a model.",
    needs: ["steer", "outcome"],
    play: async ({ target, stage, submit, steer, ending, within, expect, note }) => {
      for (let index = 0; index < 16; index += 1) {
        const sessionId = await target.createSession();
        const [first, second] = [`first-${index}`, `second-${index}`];
        const call = stage.hold(first);
        const firstId = await submit(sessionId, first);
        await within(`the model's call for ${first}`, call.arrived);
        call.finish();
        // From before the answer is whole until well after the run has ended.
        await delay(index);
        const steered = await steer(sessionId, second).catch((error: unknown) => {
          if (!(error instanceof Refused)) throw error;
          // A run that is over takes nothing in, and says so.
          note(`refuses ${second}: ${error.message}`, "target");
          return null;
        });
        expect(`the end of ${first}`, await ending(sessionId, firstId), "completed");
        if (steered === null) continue;
        expect(`the end of ${second}`, await ending(sessionId, steered), "completed");
        const shown = stage.served.filter((name) => name === second).length;
        expect(`the model's calls for ${second}`, shown, 1);
      }
    },
  },
];
