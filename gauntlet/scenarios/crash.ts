import { setTimeout as delay } from "node:timers/promises";
import type { Scenario } from "../scenario.ts";

// The process dies without a word, and is started again.

export const crashScenarios: readonly Scenario[] = [
  {
    name: "kill -9 in mid-run",
    about: "After a crash the run that was cut off, or the prompts behind it, are never answered.",
    needs: ["queue", "outcome", "lookup", "restart"],
    play: async ({ target, stage, submit, ending, within, expect, note }) => {
      const sessionId = await target.createSession();
      const call = stage.hold("running");
      const running = await submit(sessionId, "running");
      await within("the model's call for running", call.arrived);
      const queued = await submit(sessionId, "queued");
      await target.kill();
      note("killed");
      await within("the restart", target.restart());
      note("restarted");
      expect("the end of running", await ending(sessionId, running), "completed");
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
    play: async ({ target, submit, ending, within, expect, note }) => {
      for (let index = 0; index < 5; index += 1) {
        const sessionId = await target.createSession();
        const promptId = await submit(sessionId, `a-${index}`);
        await target.kill();
        note("killed");
        await within("the restart", target.restart());
        expect("the end of the prompt", await ending(sessionId, promptId), "completed");
      }
    },
  },
  {
    name: "prompts during shutdown",
    about: "A server that is asked to end takes prompts to the last moment, and loses them.",
    needs: ["queue", "outcome", "lookup", "restart"],
    play: async ({ target, stage, submit, ending, within, expect, note }) => {
      const sessionId = await target.createSession();
      const call = stage.hold("running");
      const promptIds = [await submit(sessionId, "running")];
      await within("the model's call for running", call.arrived);
      note("asks it to end");
      const stopped = target.stop();
      for (let index = 0; index < 10; index += 1) {
        try {
          promptIds.push(await submit(sessionId, `late-${index}`));
        } catch {
          // What is refused, or finds nobody there, is not owed.
          note(`late-${index} is not taken`, "target");
          break;
        }
        await delay(20);
      }
      call.finish();
      await within("its end", stopped);
      await within("the restart", target.restart());
      note("restarted");
      for (const promptId of promptIds) {
        expect("the end of a prompt that it took", await ending(sessionId, promptId), "completed");
      }
    },
  },
];
