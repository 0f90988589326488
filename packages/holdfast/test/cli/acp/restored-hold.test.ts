import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { waitFor } from "../../support/wait-for.ts";
import { backUp, openServedEditor, restore } from "./backup.ts";

test("T2 after a restored backup, the editor is told that a waiting prompt is paused in it", async (t) => {
  const { cli, serving, holdfast, editor } = await openServedEditor(t);
  const { folder } = cli;
  const [known, fresh] = [await editor.newSession(folder), await editor.newSession(folder)];
  const paused = (sessionId: string): number =>
    editor.words(sessionId).join("").split("The session is paused").length - 1;
  // The backup contains a hold that the editor has reported, and that is released later.
  const holdId = await holdfast.session(known).hold();
  const kept = editor.prompt(known, "say begun; stall");
  await waitFor(() => paused(known) === 1, { describe: "the note about the hold" });
  // In the other session, a person adds a hold before the editor reconnects.
  await holdfast.session(fresh).prompt("stall");
  const queued = editor.prompt(fresh, "say queued");
  await waitFor(async () => (await holdfast.session(fresh).get()).queued, { describe: "a queue" });
  await backUp(cli);
  await holdfast.session(known).release(holdId);
  await editor.until(known, ({ content }) => content?.text?.includes("begun") === true);
  await holdfast.session(fresh).setMode("plan");
  await editor.until(fresh, ({ currentModeId }) => currentModeId === "plan");
  const beforeStart = async (): Promise<void> => {
    const { end, err } = await cli.run("queue", "--embedded", "--session", fresh, "hold");
    assert.equal(end, 0, err);
  };
  await restore(cli, serving, { beforeStart });
  await waitFor(() => [paused(known), paused(fresh)], {
    describe: "the notes about the holds",
    until: (counts) => isDeepStrictEqual(counts, [2, 1]),
  });
  for (const sessionId of [known, fresh]) editor.notify("session/cancel", { sessionId });
  const ends = await waitFor(() => Promise.all([kept, queued]), { describe: "the ends" });
  assert.deepEqual(ends, [{ stopReason: "cancelled" }, { stopReason: "cancelled" }]);
});
