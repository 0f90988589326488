import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { waitFor } from "../../support/wait-for.ts";
import { backUp, openServedEditor, restore } from "./backup.ts";
import type { Asked, Editor, Update } from "./editor.ts";

test("R4 T2 after a restored backup, the editor shows the asks that are open in it, and no others", async (t) => {
  const { cli, serving, editor } = await openServedEditor(t);
  const { folder } = cli;
  const [own, ofChild, missing] = [
    await editor.newSession(folder),
    await editor.newSession(folder),
    await editor.newSession(folder),
  ];
  const prompts = [
    editor.prompt(own, "ask one; say answered; stall"),
    editor.prompt(ofChild, "child { ask two }; say answered; stall"),
  ];
  const before = [await nextAsk(editor), await nextAsk(editor)];
  await backUp(cli);
  for (const asked of before) asked.choose("decide");
  for (const sessionId of [own, ofChild]) await editor.until(sessionId, isAnswered);
  const lost = assert.rejects(editor.prompt(missing, "ask three"), /is not in the backup/);
  await nextAsk(editor);
  await restore(cli, serving);
  const after = [await nextAsk(editor), await nextAsk(editor)];
  assert.deepEqual(titlesOf(after), titlesOf(before));
  await waitFor(() => lost.then(() => true), { describe: "the end of the missing prompt" });
  await waitFor(() => editor.takenBack.length === 1, { describe: "the removed ask" });
  for (const asked of after) asked.choose("decide");
  for (const sessionId of [own, ofChild]) editor.notify("session/cancel", { sessionId });
  await waitFor(() => Promise.all(prompts), { describe: "the ends of the prompts" });
});

test("R4 after a restored backup, the asks of children that are not open in it are removed from the editor", async (t) => {
  const { cli, serving, editor } = await openServedEditor(t);
  const { folder } = cli;
  const [later, withChild, withGrandchild] = [
    await editor.newSession(folder),
    await editor.newSession(folder),
    await editor.newSession(folder),
  ];
  const prompts = [
    editor.prompt(withChild, "child { ask one; ask later one }"),
    editor.prompt(withGrandchild, "child { ask two; child { ask later two } }"),
  ];
  const before = [await nextAsk(editor), await nextAsk(editor)];
  await backUp(cli);
  const lost = assert.rejects(
    editor.prompt(later, "child { ask later three }"),
    /is not in the backup/,
  );
  for (const asked of before) asked.choose("decide");
  for (const _ of [later, withChild, withGrandchild]) await nextAsk(editor);
  await restore(cli, serving);
  const after = [await nextAsk(editor), await nextAsk(editor)];
  assert.deepEqual(titlesOf(after), titlesOf(before));
  await waitFor(() => editor.takenBack.length, {
    describe: "the removal of the later asks",
    until: (count) => count === 3,
  });
  await waitFor(() => lost.then(() => true), { describe: "the end of the missing prompt" });
  for (const sessionId of [withChild, withGrandchild]) {
    editor.notify("session/cancel", { sessionId });
  }
  await waitFor(() => Promise.all(prompts), { describe: "the ends of the prompts" });
});

test("T2 after a restored backup, the editor shows the permission mode and the agent of the backup", async (t) => {
  const agents = { planner: { description: "Plans", prompt: "Only make plans." } };
  const { cli, serving, holdfast, editor } = await openServedEditor(t, { config: { agents } });
  const sessionId = await editor.newSession(cli.folder);
  const session = holdfast.session(sessionId);
  await session.setMode("plan");
  await session.setAgent("planner");
  await waitFor(() => shown(), {
    describe: "the values of the backup",
    until: isShown("plan", "planner"),
  });
  await backUp(cli);
  await session.setMode("acceptEdits");
  await session.setAgent("default");
  await waitFor(() => shown(), {
    describe: "later values",
    until: isShown("acceptEdits", "default"),
  });
  await restore(cli, serving);
  await waitFor(() => shown(), {
    describe: "the values of the backup",
    until: isShown("plan", "planner"),
  });

  function shown(): readonly unknown[] {
    const updates = editor.updatesOf(sessionId);
    const options = updates.findLast(({ configOptions }) => configOptions)?.configOptions ?? [];
    const valueOf = (name: string): string | undefined =>
      options.find(({ id }) => id === name)?.currentValue;
    const mode = updates.findLast(({ currentModeId }) => currentModeId)?.currentModeId;
    return [mode, valueOf("mode"), valueOf("agent")];
  }
});

const isAnswered = ({ content }: Update): boolean => content?.text?.includes("answered") === true;

async function nextAsk(editor: Editor): Promise<Asked> {
  return waitFor(() => editor.asked(), { describe: "the next ask" });
}

function titlesOf(asks: readonly Asked[]): ReadonlySet<unknown> {
  return new Set(asks.map(({ params }) => params.toolCall?.title));
}

function isShown(mode: string, agent: string): (values: readonly unknown[]) => boolean {
  return (values) => isDeepStrictEqual(values, [mode, mode, agent]);
}
