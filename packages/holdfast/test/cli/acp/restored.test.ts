import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { backUp, openServedEditor, restore } from "./backup.ts";
import type { Update } from "./editor.ts";

const note =
  "\n\n*The sessions were restored from a backup, which may not contain the last messages. Open the session again to see its messages.*\n\n";
const isNote = ({ content }: Update): boolean => content?.text === note;
const isPlan = ({ currentModeId }: Update): boolean => currentModeId === "plan";
const notes = /\n\n\*The (?:server|sessions) .*?\*\n\n/g;

test("T2 after a restored backup, prompts in it continue, others fail, and later prompts work", async (t) => {
  const { cli, serving, holdfast, editor, openAnother } = await openServedEditor(t);
  const { folder } = cli;
  const sessionId = await editor.newSession(folder);
  const session = holdfast.session(sessionId);
  const holdId = await session.hold();
  const kept = editor.prompt(sessionId, "say kept");
  await waitForQueue(1);
  await backUp(cli);
  const missing = assert.rejects(
    editor.prompt(sessionId, "say missing"),
    /the prompt is not in the backup .*; send it again/,
  );
  await waitForQueue(2);
  // Opens the session at an event that the backup does not contain.
  const other = await openAnother();
  await other.request("session/load", { sessionId, cwd: folder, mcpServers: [] });
  await restore(cli, serving);
  for (const each of [editor, other]) {
    await waitFor(() => each.until(sessionId, isNote), { describe: "the note in both editors" });
  }
  await session.setMode("plan");
  await waitFor(() => other.until(sessionId, isPlan), { describe: "the mode" });
  await waitFor(() => missing.then(() => true), { describe: "the end of the missing prompt" });
  await session.release(holdId);
  const end = await waitFor(() => kept, { describe: "the end of the kept prompt" });
  assert.deepEqual(end, { stopReason: "end_turn" });
  assert.deepEqual(await editor.prompt(sessionId, "say later"), { stopReason: "end_turn" });
  const text = editor.words(sessionId).join("");
  assert.equal(text.split(note).length, 2, text);
  assert.match(text.split(note)[1] ?? "", /\[demo agent\] kept.*\[demo agent\] later/s);

  async function waitForQueue(length: number): Promise<void> {
    await waitFor(async () => (await session.get()).queued, {
      describe: `${length} queued prompts`,
      until: (queued) => queued === length,
    });
  }
});

test("T2 a prompt after a lost server and a restored backup is answered, after a note", async (t) => {
  const words = ["--patience", "200ms"];
  const { cli, serving, editor } = await openServedEditor(t, { words });
  const sessionId = await editor.newSession(cli.folder);
  assert.deepEqual(await editor.prompt(sessionId, "say one"), { stopReason: "end_turn" });
  await backUp(cli);
  const lost = assert.rejects(editor.prompt(sessionId, "say two; stall"), /outcome .* is unknown/);
  await editor.until(sessionId, ({ content }) => content?.text?.includes("two") === true);
  const before = editor.updatesOf(sessionId).length;
  const restored = await restore(cli, serving, { whileAway: () => lost });
  // Each message follows the session again. The second loss shows that the editor gets the note once.
  const steer = (): Promise<unknown> =>
    editor.request("_session/steering", {
      sessionId,
      prompt: [{ type: "text", text: "say never" }],
      _meta: { steering: { idleBehavior: "promptRequired" } },
    });
  assert.deepEqual(await steer(), { outcome: "promptRequired", reason: "noRunningTurn" });
  restored.running.process.kill("SIGKILL");
  await restored.running.ended;
  await assert.rejects(steer(), /does not answer/);
  await cli.serve(serving.port);
  for (const word of ["three", "four"]) {
    const end = await editor.prompt(sessionId, `say ${word}`);
    assert.deepEqual(end, { stopReason: "end_turn" });
  }
  const updates = editor.updatesOf(sessionId).slice(before);
  const shown = updates.flatMap(({ content }) => content?.text ?? []).join("");
  assert.deepEqual(
    shown.match(notes)?.filter((text) => text.includes("sessions")),
    [note],
  );
  assert.equal(shown.replaceAll(notes, ""), "[demo agent] three[demo agent] four");
});
