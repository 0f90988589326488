import type { Scenario, ScenarioContext } from "../scenario.ts";
import type { ModelCall } from "../model-server/script.ts";
import type { Change } from "../target.ts";

// Scenarios in which a config, a key or an open project changes while a run is in progress.

export const changeScenarios: readonly Scenario[] = [
  {
    name: "config change during a run",
    about:
      "A new config restarts or kills the run, changes it midway, or waits until the target is idle.",
    needs: ["queue", "outcome", "commands", "config"],
    play: (context) =>
      playChange(context, {
        change: () => context.target.configure({ words: "Speak like a sailor." }),
        seenBy: ({ system }) => system.includes("Speak like a sailor."),
      }),
  },
  {
    name: "provider change during a run",
    about: "A new key kills the run, or does not reach the next one.",
    needs: ["queue", "outcome", "commands", "providers"],
    play: (context) =>
      playChange(context, {
        change: () => context.target.connect("key-of-tomorrow"),
        seenBy: ({ headers }) => keysIn(headers).includes("key-of-tomorrow"),
        // A target may use the new key in active runs, because the old key may be invalid.
        mayReachRuns: true,
      }),
  },
  {
    name: "close during a run",
    about: "Closing a project breaks its run, or never ends.",
    needs: ["queue", "outcome", "commands", "close"],
    play: (context) => playChange(context, { change: () => context.target.close(), seenBy: null }),
  },
  {
    name: "changes in a row during a run",
    about: "Of several changes that wait for one run, one is lost or never ends.",
    needs: ["outcome", "config"],
    play: async ({ target, stage, submit, ending, withTimeout, expect }) => {
      const sessionId = await target.createSession();
      const call = stage.hold("running");
      const running = await submit(sessionId, "running");
      await withTimeout("the model's call for running", call.arrived);
      const ends: Promise<void>[] = [];
      for (const words of ["Speak like a sailor.", "Speak like a baker.", "Speak like a king."]) {
        const { ended } = await withTimeout("the answer to a change", target.configure({ words }));
        if (ended !== null) ends.push(ended);
      }
      call.finish();
      expect("the end of running", await ending(sessionId, running), "completed");
      await withTimeout("the end of every change", Promise.all(ends));
      const after = await submit(sessionId, "after");
      expect("the end of after", await ending(sessionId, after), "completed");
      const heard = stage.callsFor("after")[0]?.system.match(/Speak like a \w+/g) ?? [];
      expect("what after was told", heard, ["Speak like a king"]);
    },
  },
  {
    name: "cancel while a change waits",
    about: "A change that waits for a run waits forever if the run is cancelled.",
    needs: ["queue", "cancel", "outcome", "config"],
    play: async ({ target, stage, submit, cancel, ending, withTimeout, expect }) => {
      const sessionId = await target.createSession();
      const call = stage.hold("running");
      const running = await submit(sessionId, "running");
      await withTimeout("the model's call for running", call.arrived);
      const change = target.configure({ words: "Speak like a sailor." });
      const { ended } = await withTimeout("the answer to the change", change);
      await cancel(sessionId);
      expect("the end of running", await ending(sessionId, running), "cancelled");
      if (ended !== null) await withTimeout("the end of the change", ended);
      const after = await submit(sessionId, "after");
      expect("the end of after", await ending(sessionId, after), "completed");
      const sees = stage.callsFor("after")[0]?.system.includes("Speak like a sailor.");
      expect("whether after has the change", sees, true);
    },
  },
];

/** Keys of a request, in the headers of OpenAI, Anthropic and Google. */
function keysIn(headers: ModelCall["headers"]): readonly unknown[] {
  const bearer = headers.authorization?.replace(/^Bearer /, "");
  return [bearer, headers["x-api-key"], headers["x-goog-api-key"]];
}

/**
 * Calls `change` while the model is answering: it changes the config or the API key, or closes the project. Checks that
 * the active run and a parallel run use the old config or key to their end, that these are released only after both
 * runs have ended, and that later prompts use the new ones.
 */
async function playChange(
  { target, offers, stage, submit, ending, withTimeout, expect, note }: ScenarioContext,
  options: {
    change: () => Promise<Change>;
    /**
     * Returns whether a model call was made with the new config or API key. Null if a model call does not show this.
     */
    seenBy: ((call: ModelCall) => boolean) | null;
    /** True if the change may affect an active run. */
    mayReachRuns?: boolean;
  },
): Promise<void> {
  const { change, seenBy, mayReachRuns = false } = options;
  const [sessionId, other] = [await target.createSession(), await target.createSession()];
  const call = stage.hold("running");
  const beside = stage.hold("beside");
  const running = await submit(sessionId, "running");
  const besideId = await submit(other, "beside");
  await withTimeout("the model's call for running", call.arrived);
  await withTimeout("the model's call for beside", beside.arrived);
  // Queue a prompt only if the target runs each prompt separately. Otherwise it would join the active run.
  const queued = offers.runs === true ? await submit(sessionId, "queued") : null;
  const { ended } = await withTimeout("the answer to the change", change());
  note("changed");
  let isOver = false;
  const over = ended?.then(() => (isOver = true)) ?? null;
  call.finish(target.calls.command("true"));
  expect("the end of running", await ending(sessionId, running), "completed");
  if (queued !== null) expect("the end of queued", await ending(sessionId, queued), "completed");
  expect("whether the old state is gone while a run has it", isOver, false);
  beside.finish();
  expect("the end of beside", await ending(other, besideId), "completed");
  if (over !== null) await withTimeout("the end of the change", over);
  const after = await submit(other, "after");
  expect("the end of after", await ending(other, after), "completed");
  if (seenBy === null) return;
  // A hosted agent may make more calls than one for a step, for example for a title.
  const seen = (name: string): boolean[] => [...new Set(stage.callsFor(name).map(seenBy))];
  if (!mayReachRuns) {
    expect("calls with the new state: running", seen("running"), [false]);
    expect("calls with the new state: beside", seen("beside"), [false]);
  }
  if (queued !== null) expect("calls with the new state: queued", seen("queued"), [true]);
  expect("calls with the new state: after", seen("after"), [true]);
}
