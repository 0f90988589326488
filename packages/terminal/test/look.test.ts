import assert from "node:assert/strict";
import { test } from "node:test";
import { keys } from "./support/pty.ts";
import { countOf, openStory } from "./support/story.ts";

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
      new RegExp(`^${border}\n❯[^\n]*\n${border}\nno model[^\n]*●$`, "m"),
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

test("40 columns without colours: nothing is wider than the window, and no colour is written", async (t) => {
  const story = await openStory(t);
  const terminal = story.open({ columns: 40, rows: 20, environment: { NO_COLOR: "1" } });
  await terminal.shows("●", "the connection");
  terminal.type(`print 30; ask to append a-file-with-a-long-name.txt some words${keys.enter}`);
  await terminal.shows("y yes, once · n no");
  terminal.type("n");
  await terminal.contains("denied");
  await terminal.hides("Esc stops");
  const widest = Math.max(
    ...terminal
      .all()
      .split("\n")
      .map((row) => row.length),
  );
  assert.equal(widest, 40);
  // oxlint-disable-next-line no-control-regex -- looks for colours
  assert.doesNotMatch(terminal.raw(), /\u001b\[[0-9;]*(?:3[0-8]|4[0-8]|9[0-7])(?:;[0-9;]*)?m/);
});
