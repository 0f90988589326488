import { setTimeout as delay } from "node:timers/promises";
import type { Scenario, Scene } from "../scenario.ts";
import { commandOf, hasRun, timesRun } from "./commands.ts";

// The process is killed and started again.

export const crashScenarios: readonly Scenario[] = [
  {
    name: "kill -9 in mid-run",
    about: "After a crash nobody says what became of the run, or the prompts behind it are lost.",
    needs: ["queue", "outcome", "lookup", "restart"],
    play: async (scene) => {
      const { target, stage, submit, ending, within, expect } = scene;
      const sessionId = await target.createSession();
      const call = stage.hold("running");
      const running = await submit(sessionId, "running");
      await within("the model's call for running", call.arrived);
      const queued = await submit(sessionId, "queued");
      await killAndRestart(scene);
      await endingOfCutOff(scene, { sessionId, promptId: running, name: "running" });
      expect("the end of queued", await ending(sessionId, queued), "completed");
      const after = await submit(sessionId, "after");
      expect("the end of after", await ending(sessionId, after), "completed");
      const order = stage.served.filter((name, index) => stage.served.indexOf(name) === index);
      expect("the order of the runs", order, ["running", "queued", "after"]);
    },
  },
  {
    name: "kill -9 right after the acknowledgement",
    about: "A prompt is acknowledged before it is on disk, and gone with the process.",
    needs: ["outcome", "lookup", "restart"],
    play: async (scene) => {
      const { target, submit } = scene;
      for (let index = 0; index < 5; index += 1) {
        const sessionId = await target.createSession();
        const name = `a-${index}`;
        const promptId = await submit(sessionId, name);
        await killAndRestart(scene);
        await endingOfCutOff(scene, { sessionId, promptId, name });
      }
    },
  },
  {
    name: "kill -9 between two steps",
    about: "A run that goes on after a crash begins anew, and does everything a second time.",
    needs: ["outcome", "lookup", "restart", "recover", "commands"],
    play: async (scene) => {
      const { target, stage, submit, ending, within, expect } = scene;
      const sessionId = await target.createSession();
      const first = stage.hold("work");
      const work = await submit(sessionId, "work");
      await within("the model's call for work", first.arrived);
      // Before the first call ends: a fast target sends the second one at once.
      const second = stage.hold("work");
      first.finish(commandOf(scene, "work"));
      await within("the command", hasRun(scene, "work"));
      await within("the model's second call for work", second.arrived);
      await killAndRestart(scene);
      expect("the end of work", await ending(sessionId, work), "completed");
      expect("how often the command ran", timesRun(scene, "work"), 1);
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
    play: async (scene) => {
      const { target, stage, submit, ending, within, expect } = scene;
      const sessionId = await target.createSession();
      const before = await submit(sessionId, "before");
      expect("the end of before", await ending(sessionId, before), "completed");
      stage.want("tool", commandOf(scene, "tool", { isEndless: true }));
      await submit(sessionId, "tool");
      await within("the start of the command", hasRun(scene, "tool"));
      await killAndRestart(scene);
      const after = await submit(sessionId, "after");
      expect("the end of after", await ending(sessionId, after), "completed");
      expect("how often the command ran", timesRun(scene, "tool"), 1);
    },
  },
  {
    name: "prompts during shutdown",
    about: "A server that is asked to end takes prompts to the last moment, and loses them.",
    needs: ["queue", "outcome", "lookup", "restart"],
    play: async (scene) => {
      const { target, stage, submit, ending, within, expect, note } = scene;
      const sessionId = await target.createSession();
      const call = stage.hold("running");
      const running = await submit(sessionId, "running");
      await within("the model's call for running", call.arrived);
      note("asks it to end");
      const stopped = target.stop();
      const late: string[] = [];
      for (let index = 0; index < 10; index += 1) {
        try {
          late.push(await submit(sessionId, `late-${index}`));
        } catch {
          // A refused or unsent prompt does not have to run.
          note(`late-${index} is not taken`, "target");
          break;
        }
        await delay(20);
      }
      call.finish();
      await within("its end", stopped);
      await within("the restart", target.restart());
      note("restarted");
      await endingOfCutOff(scene, { sessionId, promptId: running, name: "running" });
      for (const promptId of late) {
        expect("the end of a prompt that it took", await ending(sessionId, promptId), "completed");
      }
    },
  },
];

export async function killAndRestart({ target, within, note }: Scene): Promise<void> {
  await target.kill();
  note("killed");
  await within("the restart", target.restart());
  note("restarted");
}

/**
 * Checks the end of an interrupted prompt. A target that recovers runs must complete it; any other
 * must report that it was interrupted or failed. A prompt without any end keeps its sender waiting.
 */
async function endingOfCutOff(
  { offers, ending, expect }: Scene,
  { sessionId, promptId, name }: { sessionId: string; promptId: string; name: string },
): Promise<void> {
  const end = await ending(sessionId, promptId);
  if (offers.recover === true) expect(`the end of ${name}`, end, "completed");
  else expect(`the end of ${name}`, end === "unanswered" ? end : "told", "told");
}
