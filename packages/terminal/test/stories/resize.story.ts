import assert from "node:assert/strict";
import { test } from "node:test";
import { keys } from "../support/pty.ts";
import { countOf, openStory } from "../support/story.ts";

test("a resize while an answer streams keeps the scrollback, and every word is there once", async (t) => {
  const story = await openStory(t);
  const terminal = story.open({ shell: "echo line of the shell; eval $HOLDFAST" });
  await terminal.shows("●", "the connection");
  terminal.type(`words 120 every 20ms; say 你好世界 😀 شكرا${keys.enter}`);
  await terminal.shows("word-10");
  for (const [columns, rows] of [
    [60, 24],
    [40, 24],
    [100, 30],
    [72, 24],
  ] as const) {
    await terminal.resize(columns, rows);
    const border = `─{${columns}}`;
    await terminal.shows(
      new RegExp(`^${border}\n❯[^\n]*\n─+\nno model[^\n]*●$`, "m"),
      `an editor of ${columns} columns`,
    );
  }
  await terminal.contains("● [demo agent] 你好世界 😀 شكرا");
  await terminal.hides("Esc stops");
  const all = terminal.all();
  assert.equal(countOf(all, "line of the shell"), 1);
  assert.equal(countOf(all, "no model: demo agent"), 1, "one status line");
  for (let word = 1; word <= 120; word += 1) {
    const found = all.match(new RegExp(`\\bword-${word}\\b`, "g")) ?? [];
    assert.equal(found.length, 1, `word-${word}`);
  }
  assert.equal(countOf(terminal.raw(), "\u001b[3J"), 0);
});
