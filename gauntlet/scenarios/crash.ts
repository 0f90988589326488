import { setTimeout as delay } from "node:timers/promises";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import { commandOf, hasRun, timesRun } from "./commands.ts";

// Scenarios in which the target's process is killed and started again.

export const crashScenarios: readonly Scenario[] = [
  {
    name: "kill -9 in mid-run",
    about: "After a crash, the run has no outcome, or the queued prompts are lost.",
    needs: ["queue", "outcome", "lookup", "restart"],
    play: async (context) => {
      const { target, stage, submit, ending, withTimeout, expect } = context;
      const sessionId = await target.createSession();
      const call = stage.hold("running");
      const running = await submit(sessionId, "running");
      await withTimeout("the model's call for running", call.arrived);
      const queued = await submit(sessionId, "queued");
      await killAndRestart(context);
      await endingOfCutOff(context, { sessionId, promptId: running, name: "running" });
      expect("the end of queued", await ending(sessionId, queued), "completed");
      const after = await submit(sessionId, "after");
      expect("the end of after", await ending(sessionId, after), "completed");
      const order = stage.served.filter((name, index) => stage.served.indexOf(name) === index);
      expect("the order of the runs", order, ["running", "queued", "after"]);
    },
  },
  {
    name: "kill -9 right after the acknowledgement",
    about: "A prompt is acknowledged before it is on disk, and is lost with the process.",
    needs: ["outcome", "lookup", "restart"],
    play: async (context) => {
      const { target, submit, tries } = context;
      for (let index = 0; index < tries(5); index += 1) {
        const sessionId = await target.createSession();
        const name = `a-${index}`;
        const promptId = await submit(sessionId, name);
        await killAndRestart(context);
        await endingOfCutOff(context, { sessionId, promptId, name });
      }
    },
  },
  {
    name: "kill -9 between two steps",
    about: "A run that continues after a crash starts over and does everything twice.",
    needs: ["outcome", "lookup", "restart", "recover", "commands"],
    play: async (context) => {
      const { target, stage, submit, ending, withTimeout, expect } = context;
      const sessionId = await target.createSession();
      const first = stage.hold("work");
      const work = await submit(sessionId, "work");
      await withTimeout("the model's call for work", first.arrived);
      // Pause the second model request of "work" when it arrives. Set up this pause before the first request is
      // answered: a fast agent sends the second request immediately after the answer.
      const second = stage.hold("work");
      first.finish(commandOf(context, "work"));
      await withTimeout("the command", hasRun(context, "work"));
      await withTimeout("the model's second call for work", second.arrived);
      await killAndRestart(context);
      expect("the end of work", await ending(sessionId, work), "completed");
      expect("how often the command ran", timesRun(context, "work"), 1);
      const results = stage
        .callsFor("work")
        .at(-1)
        ?.messages.flatMap((heard) => heard.results);
      expect("results that the model was shown after the crash", results?.length, 1);
    },
  },
  {
    name: "kill -9 in mid-tool",
    about: "A tool call without a result makes every later request invalid, or is made twice.",
    needs: ["outcome", "restart", "commands"],
    play: async (context) => {
      const { target, stage, submit, ending, withTimeout, expect } = context;
      const sessionId = await target.createSession();
      const before = await submit(sessionId, "before");
      expect("the end of before", await ending(sessionId, before), "completed");
      stage.want("tool", commandOf(context, "tool", { isEndless: true }));
      await submit(sessionId, "tool");
      await withTimeout("the start of the command", hasRun(context, "tool"));
      await killAndRestart(context);
      const after = await submit(sessionId, "after");
      expect("the end of after", await ending(sessionId, after), "completed");
      expect("how often the command ran", timesRun(context, "tool"), 1);
    },
  },
  {
    name: "prompts during shutdown",
    about: "A server that is shutting down accepts prompts to the last moment and loses them.",
    needs: ["queue", "outcome", "lookup", "restart"],
    play: async (context) => {
      const { target, stage, submit, ending, withTimeout, expect, note } = context;
      const sessionId = await target.createSession();
      const call = stage.hold("running");
      const running = await submit(sessionId, "running");
      await withTimeout("the model's call for running", call.arrived);
      note("asks the target to stop");
      const stopped = target.stop();
      const late: string[] = [];
      for (let index = 0; index < 10; index += 1) {
        try {
          late.push(await submit(sessionId, `late-${index}`));
        } catch {
          // The target need not run a prompt that it refused or never received.
          note(`late-${index} is not accepted`, "target");
          break;
        }
        await delay(20);
      }
      call.finish();
      await withTimeout("its end", stopped);
      await withTimeout("the restart", target.restart());
      note("restarted");
      await endingOfCutOff(context, { sessionId, promptId: running, name: "running" });
      for (const promptId of late) {
        expect("the end of a prompt that it took", await ending(sessionId, promptId), "completed");
      }
    },
  },
];

export async function killAndRestart({
  target,
  withTimeout,
  note,
}: ScenarioContext): Promise<void> {
  await target.kill();
  note("killed");
  await withTimeout("the restart", target.restart());
  note("restarted");
}

/**
 * Checks the end of an interrupted prompt. A target that recovers runs must complete it; any other
 * must report that it was interrupted or failed. A prompt without any end keeps its sender waiting.
 */
async function endingOfCutOff(
  { offers, ending, expect }: ScenarioContext,
  { sessionId, promptId, name }: { sessionId: string; promptId: string; name: string },
): Promise<void> {
  const end = await ending(sessionId, promptId);
  if (offers.recover === true) expect(`the end of ${name}`, end, "completed");
  else expect(`the end of ${name}`, end === "unanswered" ? end : "told", "told");
}
