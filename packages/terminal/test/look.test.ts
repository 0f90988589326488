import assert from "node:assert/strict";
import { test } from "node:test";
import { keys } from "./support/pty.ts";
import { openStory } from "./support/story.ts";

test("at 40 columns without colours, no row is wider than the window and no colour is written", async (t) => {
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
