import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { replying } from "../../../holdfast/test/cli/model-cli.ts";
import { keys } from "../support/pty.ts";
import { openModelStory, openStory } from "../support/story.ts";

test("a paste of 1 MB is one prompt", async (t) => {
  const story = await openStory(t);
  const terminal = story.open();
  await terminal.shows("●", "the connection");
  const text = `say begin ${"0123456789 lines\n".repeat(60_000)}end`;
  terminal.paste(text);
  await terminal.shows(/\[paste #1/);
  terminal.type(keys.enter);
  await terminal.hides(/\[paste #1 [^\n]*\n─/);
  await terminal.contains("● [demo agent]");
  const [session] = (await story.holdfast.sessions.list()).items;
  const { items } = await story.holdfast.session(session?.sessionId ?? "").prompts();
  assert.deepEqual(
    items.map(({ text: sent }) => sent?.length),
    [text.length],
  );
});

test("Ctrl-G edits the draft in the editor of the environment", async (t) => {
  const story = await openStory(t);
  const editor = join(story.folder, "editor.sh");
  await writeFile(editor, '#!/bin/sh\nsed "s/draft/text/" "$1" > "$1.new" && mv "$1.new" "$1"\n');
  await chmod(editor, 0o700);
  const terminal = story.open({ environment: { EDITOR: editor, VISUAL: editor } });
  await terminal.shows("●", "the connection");
  terminal.type("say my draft\u0007");
  await terminal.shows(/❯ say my text\n─/);
  terminal.type(keys.enter);
  await terminal.contains("● [demo agent] my text");
});

test("a line of 1 MB and right-to-left text neither block the client nor reorder a row", async (t) => {
  const rtl = "שלום \u202Eelif.exe\u202C عالم";
  const story = await openModelStory(
    t,
    replying({
      other: [{ parts: [{ text: `It says ${rtl} here.` }] }],
    }),
  );
  const terminal = story.open();
  await terminal.shows("local/test");
  terminal.type(`! head -c 1000000 /dev/zero | tr '\\0' x${keys.enter}`);
  await terminal.contains(/ {2}x{70,}…/);
  terminal.type(`other${keys.enter}`);
  await terminal.contains("⟨U+202E⟩");
  assert.ok(!terminal.raw().includes("\u202E"));
});

test("Shift-Enter, Alt-Enter and a backslash before Enter add a line, and Enter sends all of them", async (t) => {
  const story = await openStory(t);
  const terminal = story.open();
  await terminal.shows("●", "the connection");
  terminal.type("say one");
  terminal.type("\u001b[13;2u");
  await terminal.shows(/❯ say one\n[^\n]*\n─/);
  terminal.type("two");
  terminal.type(keys.altEnter);
  await terminal.shows(/two\n[^\n]*\n─/);
  terminal.type("three\\");
  terminal.type(keys.enter);
  await terminal.shows(/three\n[^\n]*\n─/);
  terminal.type("four");
  await terminal.shows("four");
  terminal.type(keys.enter);
  await terminal.contains("● [demo agent]");
  const [session] = (await story.holdfast.sessions.list()).items;
  const { items } = await story.holdfast.session(session?.sessionId ?? "").prompts();
  assert.deepEqual(
    items.map(({ text }) => text),
    ["say one\ntwo\nthree\nfour"],
  );
});
