import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
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

test("a prompt after the config was broken runs with the previous config", async (t) => {
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
  await terminal.contains("● [demo agent] after");
  await writeFile(file, "{}");
  await story.holdfast.maintenance.refresh([story.folder]);
  terminal.type(`say mended${keys.enter}`);
  await terminal.contains("● [demo agent] mended");
});

test("SIGTERM and SIGINT while a view is open restore the terminal", async (t) => {
  const story = await openStory(t);
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const shell = "echo line of the shell; eval $HOLDFAST; stty -a | grep -o ' icanon'";
    const terminal = story.open({ shell: `trap '' ${signal.slice(3)}; ${shell}` });
    await terminal.shows("●", "the connection");
    terminal.type(`/help${keys.enter}`);
    await terminal.shows("q closes");
    const [client] = await waitFor(() => childrenOf(terminal.pid), { describe: "the client" });
    process.kill(client ?? 0, signal);
    await terminal.shows(/line of the shell[^]*icanon/);
    const raw = terminal.raw();
    // The alternate screen, the cursor, pastes, focus reports and the keyboard protocol.
    for (const [on, off] of [
      ["?1049h", "?1049l"],
      ["?25l", "?25h"],
      ["?2004h", "?2004l"],
      ["?1004h", "?1004l"],
    ]) {
      assert.ok(
        raw.lastIndexOf(`\u001b[${off}`) > raw.lastIndexOf(`\u001b[${on}`),
        `${signal} ${off}`,
      );
    }
    await terminal.ended;
  }
});

/** Returns the ids of the processes that a process has started. */
function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return text === "" ? [] : text.split(" ").map(Number);
}
