import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { keys } from "./support/pty.ts";
import { openStory } from "./support/story.ts";

test("keys typed while an ask appears do not answer it; after a pause one key does", async (t) => {
  const story = await openStory(t);
  const terminal = story.open();
  await terminal.shows("●", "the connection");
  terminal.type(`wait 300ms; ask to append notes.txt hello${keys.enter}`);
  // Every key of the type-ahead is an answer in the dialog.
  const typing = setInterval(() => terminal.type("y"), 50);
  await terminal.shows("Tab to answer");
  await terminal.until("more keys", () => /❯ y{12}/.test(terminal.screen()));
  clearInterval(typing);
  const [session] = (await story.holdfast.sessions.list()).items;
  assert.equal(session?.status, "asking");

  terminal.type(keys.ctrlC);
  await terminal.shows("y yes, once");
  terminal.type("y");
  await terminal.hides("Needs you");
  await terminal.hides("Esc stops");
  assert.match(await readFile(join(story.folder, "notes.txt"), "utf8"), /hello/);
});

test("n denies, and a question is answered in the editor", async (t) => {
  const story = await openStory(t);
  const terminal = story.open();
  await terminal.shows("●", "the connection");
  terminal.type(`ask to append notes.txt never${keys.enter}`);
  await terminal.shows("y yes, once");
  terminal.type("n");
  await terminal.contains("denied");
  terminal.type(`ask which colour?${keys.enter}`);
  await terminal.shows("type an answer");
  terminal.type(`blue${keys.enter}`);
  await terminal.contains("blue");
  await terminal.hides("Esc stops");
  const asks = (await story.holdfast.sessions.list()).items;
  assert.equal(asks[0]?.openAsks, 0);
});
