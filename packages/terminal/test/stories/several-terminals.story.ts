import assert from "node:assert/strict";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { keys } from "../support/pty.ts";
import { countOf, openStory } from "../support/story.ts";

test("two terminals share a session, its queue and its history; pickers and completion work", async (t) => {
  const story = await openStory(t);
  await writeFile(join(story.folder, "notes-of-today.md"), "");
  const one = story.open();
  await one.shows("●", "the connection");
  one.type(`words 300 every 20ms${keys.enter}`);
  await one.shows("word-5");

  // The second terminal joins the session, because it is running.
  const two = story.open();
  await two.shows("❯ words 300 every 20ms");
  await two.shows(/word-\d+/);
  two.type(`say from two${keys.enter}`);
  await one.shows("1 say from two");
  one.type(`say from one${keys.enter}`);
  await two.shows(/1 say from two[^\n]*\n[^\n]*2 say from one/);
  two.type(keys.escape);
  await Promise.all([one, two].map((terminal) => terminal.contains("cancelled 1 running prompt")));
  await Promise.all([one, two].map((terminal) => terminal.contains("● [demo agent] from one")));
  await Promise.all([one, two].map((terminal) => terminal.hides("Esc stops")));
  for (const terminal of [one, two]) {
    assert.equal(countOf(terminal.all(), "● [demo agent] from two"), 1);
  }

  // A new session, and back to the first with the picker.
  two.type(`/new${keys.enter}`);
  await two.contains("New session");
  two.type(`say in the second session${keys.enter}`);
  await two.contains("● [demo agent] in the second session");
  await two.hides("Esc stops");
  two.type(`/sessions${keys.enter}`);
  await two.shows(
    /Sessions:[\s\S]*❯ say in the second session .*idle[\s\S]*words 300 every 20ms .*idle/,
  );
  two.type("words 300");
  await two.shows(/Sessions: words 300▏\n❯ words 300/);
  two.type(keys.enter);
  await two.until("the first session again", () => countOf(two.all(), "❯ say from one") === 2);

  // Completion of files and commands, and the history of both terminals.
  two.type("say @today");
  await two.shows("→ notes-of-today.md");
  two.type(`${keys.tab}ok${keys.enter}`);
  await two.contains("● [demo agent] @notes-of-today.md ok");
  two.type("/timel");
  await two.shows("→ timeline");
  two.type(keys.enter);
  await two.shows("░ waits");
  two.type("q");
  await two.hides("░ waits");
  two.type(keys.ctrlR);
  await two.shows("History:");
  two.type("from one");
  await two.shows("❯ say from one");
  two.type(keys.enter);
  await two.shows(/─\n❯ say from one\n─/);
  const history = await stat(join(story.folder, "data/holdfast/terminal-history.jsonl"));
  assert.equal(history.mode & 0o777, 0o600);
});
