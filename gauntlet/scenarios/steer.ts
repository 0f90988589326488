import type { Scenario } from "../scenario.ts";
import { Refused } from "../target.ts";
import { aroundEnd } from "./around-end.ts";

// Scenarios with prompts that are sent into a run that may end before they arrive.

export const steerScenarios: readonly Scenario[] = [
  {
    name: "steer around a run's end",
    about:
      "A prompt that is steered into a run just as it ends is accepted, but never reaches the model.",
    needs: ["steer", "outcome"],
    play: async (context) => {
      const { stage, steer, ending, expect, note } = context;
      // Many tries are needed: a product that loses prompts at the end of a run loses only a few of a hundred.
      const times = context.tries(72);
      for (let index = 0; index < times; index += 1) {
        const race = await aroundEnd(context, { index, times });
        const { sessionId, first, firstId, second } = race;
        const steered = await steer(sessionId, second).catch((error: unknown) => {
          if (!(error instanceof Refused)) throw error;
          // A target may refuse the prompt if the run has ended.
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
