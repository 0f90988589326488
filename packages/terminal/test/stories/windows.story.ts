import assert from "node:assert/strict";
import { test } from "node:test";
import { keys } from "../support/pty.ts";
import { countOf, openStory } from "../support/story.ts";

for (const [columns, rows] of [
  [20, 24],
  [80, 1],
  [10, 2],
] as const) {
  test(`a window of ${columns} columns and ${rows} rows takes a prompt and shows its answer`, async (t) => {
    const story = await openStory(t);
    const terminal = story.open({ columns, rows });
    terminal.type(`say it works${keys.enter}`);
    await terminal.until("the answer", () =>
      terminal.all().replaceAll(/\s+/g, " ").includes("] it works"),
    );
    await terminal.resize(80, 24);
    await terminal.shows(/❯\n─+\nno model/);
    assert.equal(countOf(terminal.raw(), "\u001b[3J"), 0);
    terminal.type(keys.ctrlD);
    assert.equal(await terminal.ended, 0);
  });
}
