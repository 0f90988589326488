import assert from "node:assert/strict";
import { test } from "node:test";
import { keys } from "./support/pty.ts";
import { countOf, openStory } from "./support/story.ts";

test("a person opens the client, sends a prompt and reads the answer; the shell's lines stay", async (t) => {
  const story = await openStory(t);
  const terminal = story.open({ shell: "echo line of the shell; eval $HOLDFAST" });
  await terminal.shows("Holdfast");
  await terminal.shows("●", "the mark of the connection");
  terminal.type(`say # Title${keys.ctrlJ}Some **bold** words and \`code\`.`);
  terminal.type(keys.enter);
  await terminal.shows("Some bold words and code.");
  await terminal.until("the end of the run", () => !terminal.screen().includes("Esc stops"));
  const all = terminal.all();
  assert.equal(countOf(all, "line of the shell"), 1);
  assert.equal(countOf(all, "Some bold words and code."), 1);
  assert.equal(countOf(terminal.raw(), "\u001b[3J"), 0);
  terminal.type(keys.ctrlC);
  await terminal.shows("Press Ctrl-C again to leave");
  terminal.type(keys.ctrlC);
  assert.equal(await terminal.ended, 0);
});
