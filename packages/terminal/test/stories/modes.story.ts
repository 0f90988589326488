import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Reply } from "../../../../gauntlet/model-server/script.ts";
import { replying } from "../../../holdfast/test/cli/model-cli.ts";
import { keys } from "../support/pty.ts";
import { openModelStory } from "../support/story.ts";

function write(content: string): Reply {
  const input = { path: "new.txt", content };
  return { parts: [{ call: { id: content, name: "write", input } }] };
}

test("Shift-Tab cycles the modes: plan changes nothing, accept edits does not ask, other clients see the mode", async (t) => {
  const story = await openModelStory(
    t,
    replying({
      plan: [write("planned"), { parts: [{ text: "Here is the plan." }] }],
      edit: [write("edited"), { parts: [{ text: "It is done." }] }],
    }),
  );
  const terminal = story.open();
  await terminal.shows("local/test");
  terminal.type(keys.shiftTab);
  await terminal.shows("Mode accept edits");
  terminal.type(keys.shiftTab);
  await terminal.shows("Mode plan: the agent reads and plans");
  terminal.type(`plan it${keys.enter}`);
  await terminal.contains("Here is the plan.");
  await terminal.shows(/^plan · local\/test/m);
  const [session] = (await story.holdfast.sessions.list()).items;
  assert.equal(session?.mode, "plan");
  await assert.rejects(readFile(join(story.folder, "new.txt")));
  assert.match(terminal.all(), /write new\.txt.*\n.*plan mode/);

  // Another client sets the mode, and this one shows it.
  await story.holdfast.session(session.sessionId).setMode("acceptEdits");
  await terminal.shows(/^accept edits · local\/test/m);
  terminal.type(`edit it${keys.enter}`);
  await terminal.contains("It is done.");
  assert.equal(await readFile(join(story.folder, "new.txt"), "utf8"), "edited");
  terminal.type(`/mode ask${keys.enter}`);
  await terminal.shows("Mode ask: changes and commands need your permission");
  await terminal.shows(/^local\/test/m);
});
