import assert from "node:assert/strict";
import { test } from "node:test";
import { keys } from "./support/pty.ts";
import { countOf, openStory } from "./support/story.ts";

test("three prompts wait in the panel: one is edited, one moved, one withdrawn; a stop keeps the rest", async (t) => {
  const story = await openStory(t);
  const terminal = story.open();
  await terminal.shows("●", "the connection");
  terminal.type(`words 500 every 20ms${keys.enter}`);
  await terminal.shows("word-3");
  for (const name of ["first", "second", "third"]) terminal.type(`say ${name}${keys.enter}`);
  await terminal.shows("Queue 3");
  await terminal.shows(/1 say first .*after this run\n.*2 say second .*after 1/);

  terminal.type(keys.altUp);
  await terminal.shows("❯ 1 say first");
  terminal.type(keys.shiftDown);
  await terminal.shows(/1 say second.*\n❯ 2 say first/);
  terminal.type("x");
  await terminal.shows("Queue 2");
  terminal.type(keys.altUp + keys.down);
  await terminal.shows("❯ 2 say third");
  terminal.type("e");
  await terminal.shows("Edit the queued prompt");
  terminal.type(` time${keys.enter}`);
  await terminal.shows("2 say third time");

  terminal.type(keys.escape);
  await terminal.contains("■ You cancelled 1 running prompt");
  await terminal.contains("● [demo agent] third time");
  await terminal.hides("Esc stops");
  const all = terminal.all();
  assert.equal(countOf(all, "● [demo agent] second"), 1);
  assert.equal(countOf(all, "● [demo agent] first"), 0);
  assert.match(all, /❯ say first\n\s+not run: withdrawn/);
});

test("a steered prompt joins the run in progress (L6)", async (t) => {
  const story = await openStory(t);
  const terminal = story.open();
  await terminal.shows("●", "the connection");
  // The run waits for an answer, so it cannot end before the steered prompt arrives.
  terminal.type(`ask to append a.txt x; say the end${keys.enter}`);
  await terminal.shows("Allow it?");
  terminal.type(`say steered${keys.ctrlS}`);
  await terminal.shows("joins the run at its next step");
  terminal.type(keys.tab);
  await terminal.shows("y yes, once · n no");
  terminal.type("n");
  await terminal.contains("steered: joined the run in progress");
  await terminal.hides("Esc stops");
});
