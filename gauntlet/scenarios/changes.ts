import type { Scenario, Scene } from "../scenario.ts";
import type { ModelCall } from "../model-server/script.ts";
import type { Change } from "../target.ts";

// Something changes while a run is in progress.

export const changeScenarios: readonly Scenario[] = [
  {
    name: "config change during a run",
    about:
      "A new config restarts or kills the run, changes it half-way, or waits for a quiet moment.",
    needs: ["queue", "outcome", "commands", "config"],
    play: (scene) =>
      playChange(scene, {
        change: () => scene.target.configure({ words: "Speak like a sailor." }),
        seenBy: ({ system }) => system.includes("Speak like a sailor."),
      }),
  },
  {
    name: "provider change during a run",
    about: "A new key kills the run, or does not reach the next one.",
    needs: ["queue", "outcome", "commands", "providers"],
    play: (scene) =>
      playChange(scene, {
        change: () => scene.target.connect("key-of-tomorrow"),
        seenBy: ({ headers }) => headers.authorization === "Bearer key-of-tomorrow",
        // An invalid key may be replaced at once.
        mayReachRuns: true,
      }),
  },
  {
    name: "close during a run",
    about: "Closing a project takes the ground from under its run, or never comes to an end.",
    needs: ["queue", "outcome", "commands", "close"],
    play: (scene) => playChange(scene, { change: () => scene.target.close(), seenBy: null }),
  },
  {
    name: "changes in a row during a run",
    about: "Of several changes that wait for one run, one is lost, or never comes to its end.",
    needs: ["outcome", "config"],
    play: async ({ target, stage, submit, ending, within, expect }) => {
      const sessionId = await target.createSession();
      const call = stage.hold("running");
      const running = await submit(sessionId, "running");
      await within("the model's call for running", call.arrived);
      const ends: Promise<void>[] = [];
      for (const words of ["Speak like a sailor.", "Speak like a baker.", "Speak like a king."]) {
        const { ended } = await within("the answer to a change", target.configure({ words }));
        if (ended !== null) ends.push(ended);
      }
      call.finish();
      expect("the end of running", await ending(sessionId, running), "completed");
      await within("the end of every change", Promise.all(ends));
      const after = await submit(sessionId, "after");
      expect("the end of after", await ending(sessionId, after), "completed");
      const heard = stage.callsFor("after")[0]?.system.match(/Speak like a \w+/g) ?? [];
      expect("what after was told", heard, ["Speak like a king"]);
    },
  },
  {
    name: "cancel while a change waits",
    about: "A change that waits for a run waits for ever when the run is cancelled.",
    needs: ["queue", "cancel", "outcome", "config"],
    play: async ({ target, stage, submit, cancel, ending, within, expect }) => {
      const sessionId = await target.createSession();
      const call = stage.hold("running");
      const running = await submit(sessionId, "running");
      await within("the model's call for running", call.arrived);
      const change = target.configure({ words: "Speak like a sailor." });
      const { ended } = await within("the answer to the change", change);
      await cancel(sessionId);
      expect("the end of running", await ending(sessionId, running), "cancelled");
      if (ended !== null) await within("the end of the change", ended);
      const after = await submit(sessionId, "after");
      expect("the end of after", await ending(sessionId, after), "completed");
      const sees = stage.callsFor("after")[0]?.system.includes("Speak like a sailor.");
      expect("whether after has the change", sees, true);
    },
  },
];

/**
 * The change comes while the model is answering. The run continues with its old state, also in its
 * next step, and so do parallel runs. The next prompt uses the new state, and only then is the old
 * state released.
 */
async function playChange(
  { target, offers, stage, submit, ending, within, expect, note }: Scene,
  options: {
    change: () => Promise<Change>;
    /** Whether a call uses the new state; null if this is not visible. */
    seenBy: ((call: ModelCall) => boolean) | null;
    /** Whether the change may affect an active run. */
    mayReachRuns?: boolean;
  },
): Promise<void> {
  const { change, seenBy, mayReachRuns = false } = options;
  const [sessionId, other] = [await target.createSession(), await target.createSession()];
  const call = stage.hold("running");
  const beside = stage.hold("beside");
  const running = await submit(sessionId, "running");
  const besideId = await submit(other, "beside");
  await within("the model's call for running", call.arrived);
  await within("the model's call for beside", beside.arrived);
  // If a prompt joins the active run, there is no run after it.
  const queued = offers.runs === true ? await submit(sessionId, "queued") : null;
  const { ended } = await within("the answer to the change", change());
  note("changed");
  let isOver = false;
  const over = ended?.then(() => (isOver = true)) ?? null;
  call.finish(target.calls.command("true"));
  expect("the end of running", await ending(sessionId, running), "completed");
  if (queued !== null) expect("the end of queued", await ending(sessionId, queued), "completed");
  expect("whether the old state is gone while a run has it", isOver, false);
  beside.finish();
  expect("the end of beside", await ending(other, besideId), "completed");
  if (over !== null) await within("the end of the change", over);
  const after = await submit(other, "after");
  expect("the end of after", await ending(other, after), "completed");
  if (seenBy === null) return;
  const seen = (name: string): boolean[] => stage.callsFor(name).map(seenBy);
  if (!mayReachRuns) {
    expect("calls with the new state: running", seen("running"), [false, false]);
    expect("calls with the new state: beside", seen("beside"), [false]);
  }
  if (queued !== null) expect("calls with the new state: queued", seen("queued"), [true]);
  expect("calls with the new state: after", seen("after"), [true]);
}
