import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { waitFor } from "../../../holdfast/test/support/wait-for.ts";
import { keys } from "../support/pty.ts";
import { openStory } from "../support/story.ts";

test("Ctrl-Z gives the terminal back to the shell, and fg continues with the draft", async (t) => {
  const story = await openStory(t);
  const shell = "set -m; eval $HOLDFAST; echo the shell again; stty -a | grep -o ' icanon'; fg";
  const terminal = story.open({ shell });
  await terminal.shows("●", "the connection");
  terminal.type("say a draft\u001a");
  await terminal.contains(/the shell again\s+icanon/);
  await terminal.shows(/❯ say a draft\n─/);
  terminal.type(keys.enter);
  await terminal.contains("● [demo agent] a draft");
});

test("a terminal that is closed in mid-run leaves the run alone, and the next one joins it", async (t) => {
  const story = await openStory(t);
  const first = story.open();
  await first.shows("●", "the connection");
  // The run waits for an answer, so it cannot end before the second terminal is open.
  first.type(`words 5; ask to append notes.txt a line; say the end${keys.enter}`);
  await first.shows("Allow it?");
  process.kill(first.pid, "SIGHUP");
  assert.equal(await first.ended, 0);
  const second = story.open();
  await second.contains("word-5");
  await second.shows("y yes, once");
  second.type("n");
  await second.contains("● [demo agent] the end");
  const [session] = (await story.holdfast.sessions.list()).items;
  await waitFor(async () => (await story.holdfast.session(session?.sessionId ?? "").get()).status, {
    describe: "the end of the run",
    until: (status) => status === "idle",
  });
});

test("a config that is broken while the client runs fails the next prompt with the place of the error", async (t) => {
  const story = await openStory(t);
  const terminal = story.open();
  await terminal.shows("●", "the connection");
  terminal.type(`say before${keys.enter}`);
  await terminal.contains("● [demo agent] before");
  await terminal.hides("Esc stops");
  const file = join(story.folder, "holdfast.jsonc");
  await writeFile(file, '{ "agents": ');
  await story.holdfast.maintenance.refresh([story.folder]).catch(() => {});
  terminal.type(`say after${keys.enter}`);
  await terminal.contains(/holdfast\.jsonc|● \[demo agent\] after/);
  await writeFile(file, "{}");
  await story.holdfast.maintenance.refresh([story.folder]);
  terminal.type(`/resume${keys.enter}`);
  terminal.type(`say mended${keys.enter}`);
  await terminal.contains("● [demo agent] mended");
});
