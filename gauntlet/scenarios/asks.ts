import { setTimeout as delay } from "node:timers/promises";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import { NotOffered, Refused } from "../target.ts";
import { commandOf, timesRun } from "./commands.ts";
import { killAndRestart } from "./crash.ts";

// Scenarios in which a run waits for a person's answer while several people act.

type Verdict = "allow" | "deny";

export const askScenarios: readonly Scenario[] = [
  {
    name: "two answers to one ask",
    about: "A command that two people answer runs twice, runs although it was denied, or hangs.",
    needs: ["outcome", "commands", "asks"],
    asks: true,
    play: async (context) => {
      const { target, stage, submit, ending, withTimeout, expect } = context;
      for (const verdicts of [
        ["allow", "allow"],
        ["deny", "allow"],
        ["deny", "deny"],
      ] as const) {
        const name = verdicts.join("-");
        const sessionId = await target.createSession();
        stage.want(name, commandOf(context, name));
        const promptId = await submit(sessionId, name);
        const askId = await withTimeout("an ask", openAsk(context, { sessionId, name }));
        const answers = verdicts.map((verdict) => answer(context, { sessionId, askId, verdict }));
        const taken = (await withTimeout("the answers", Promise.all(answers))).flat();
        const end = await ending(sessionId, promptId);
        // A denied command may end the run, so require a completed run only if no answer was deny.
        const isDenied = verdicts.some((verdict) => verdict === "deny");
        expect(`whether ${name} ended well`, isDenied || end === "completed", true);
        const next = await submit(sessionId, `next-${name}`);
        expect("the end of the next one", await ending(sessionId, next), "completed");
        // If both answers were accepted, either of them may have arrived first.
        const isOpen = new Set(taken).size > 1;
        const times = timesRun(context, name);
        const wanted = isOpen ? Math.min(times, 1) : taken.includes("allow") ? 1 : 0;
        expect(`how often the command of ${name} ran`, times, wanted);
      }
    },
  },
  {
    name: "answer against a cancel",
    about: "A run that is allowed to go on just as it is cancelled does both, or neither.",
    needs: ["cancel", "outcome", "commands", "asks"],
    asks: true,
    play: async (context) => {
      const { target, stage, submit, cancel, ending, withTimeout, expect } = context;
      for (let index = 0; index < context.tries(5); index += 1) {
        const name = `a-${index}`;
        const sessionId = await target.createSession();
        stage.want(name, commandOf(context, name));
        const promptId = await submit(sessionId, name);
        const askId = await withTimeout("an ask", openAsk(context, { sessionId, name }));
        // Hold the model call that follows the command, so that the run cannot end before the cancel.
        const call = stage.hold(name);
        const allowed = answer(context, { sessionId, askId, verdict: "allow" });
        await withTimeout("both", Promise.all([allowed, cancel(sessionId)]));
        expect(`the end of ${name}`, await ending(sessionId, promptId), "cancelled");
        call.finish();
        const next = await submit(sessionId, `next-${index}`);
        expect("the end of the next one", await ending(sessionId, next), "completed");
        expect("what people are still asked", await target.openAsks(sessionId), []);
      }
    },
  },
  {
    name: "kill -9 with an ask open",
    about:
      "After a crash, an open ask is gone or can no longer be answered, and the session is stuck.",
    needs: ["outcome", "lookup", "restart", "commands", "asks"],
    asks: true,
    play: async (context) => {
      const { target, offers, stage, submit, ending, withTimeout, expect } = context;
      const sessionId = await target.createSession();
      stage.want("asking", commandOf(context, "asking"));
      const asking = await submit(sessionId, "asking");
      const asked = { sessionId, name: "asking" };
      await withTimeout("an ask", openAsk(context, asked));
      // After the crash, a hosted agent learns that its tool was interrupted, and the test model calls the tool again.
      if (context.isForeign) stage.want("asking", commandOf(context, "asking"));
      await killAndRestart(context);
      const [askId] =
        offers.recover === true
          ? [await withTimeout("the ask, once more", openAsk(context, { ...asked, isAgain: true }))]
          : await target.openAsks(sessionId);
      if (askId !== undefined) {
        const taken = await answer(context, { sessionId, askId, verdict: "allow" });
        expect("answers that were taken", taken, ["allow"]);
        expect("the end of asking", await ending(sessionId, asking), "completed");
      }
      const after = await submit(sessionId, "after");
      expect("the end of after", await ending(sessionId, after), "completed");
      expect("how often the command ran", timesRun(context, "asking"), askId === undefined ? 0 : 1);
      expect("what people are still asked", await target.openAsks(sessionId), []);
    },
  },
];

/**
 * Waits until the target asks for permission. If the tool call already has a result, the target did not ask, so it does
 * not offer permission requests.
 */
async function openAsk(
  { target, stage, over }: ScenarioContext,
  { sessionId, name, isAgain = false }: { sessionId: string; name: string; isAgain?: boolean },
): Promise<string> {
  for (;;) {
    const [first] = await target.openAsks(sessionId);
    if (first !== undefined) return first;
    const { messages = [] } = stage.callsFor(name).at(-1) ?? {};
    const [result] = messages.flatMap(({ results }) => results);
    if (result !== undefined && !isAgain) {
      const why = `nobody was asked: ${result.text.trim().slice(0, 200)}`;
      throw new NotOffered({ offer: "asks", why });
    }
    await delay(20, undefined, { signal: over });
  }
}

/**
 * Answers a permission request. Returns a list with the given verdict; an empty list if the tested program refused it.
 */
async function answer(
  { target, note }: ScenarioContext,
  said: { sessionId: string; askId: string; verdict: Verdict },
): Promise<Verdict[]> {
  note(`answers: ${said.verdict}`);
  try {
    await target.answer(said);
    return [said.verdict];
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    note(`refuses ${said.verdict}: ${error.message}`, "target");
    return [];
  }
}
