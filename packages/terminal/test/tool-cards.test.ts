import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { replying } from "../../holdfast/test/cli/model-cli.ts";
import { keys } from "./support/pty.ts";
import { openModelStory } from "./support/story.ts";

const edit = { path: "a.txt", edits: [{ old: "two", new: "2" }] };
const command = "echo begin; sleep 0.5; echo end; exit 3";

const facts = { context: 60_000, output: 8_000, price: { input: 1, output: 2 } };
const config = { providers: { local: { models: { test: facts } } } };

test("an edit is asked with its diff, a command shows live output and its exit code; the status line shows context and cost", async (t) => {
  const story = await openModelStory(
    t,
    replying({
      go: [
        {
          parts: [
            { text: "First I **look**.\n\n```ts\nconst a = 1;\n```\n" },
            { call: { id: "1", name: "read", input: { path: "a.txt" } } },
          ],
        },
        { parts: [{ call: { id: "2", name: "edit", input: edit } }] },
        { parts: [{ call: { id: "3", name: "shell", input: { command } } }] },
        { parts: [{ text: "All is done." }], usage: { input: 11_990, cached: 0, output: 10 } },
      ],
    }),
  );
  await writeFile(join(story.folder, "a.txt"), "one\ntwo\nthree\n");
  const folder = join(story.folder, "data/holdfast/.config/holdfast");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "config.jsonc"), JSON.stringify(config));
  const terminal = story.open();
  await terminal.shows("local/test");
  terminal.type(`go${keys.enter}`);
  await terminal.shows("y yes, once · a always allow changes to a.txt · n no");
  assert.match(
    terminal.screen(),
    /\? May the agent change a\.txt\?\n {2}\+1 −1\n {2}1 {3}one\n {2}2 - two\n {2}2 \+ 2/,
  );
  terminal.type("a");
  await terminal.shows("Always allow changes to a.txt?");
  terminal.type(keys.escape);
  await terminal.shows("y yes, once");
  terminal.type("y");
  await terminal.shows(/May the agent run[\s\S]*y yes, once/);
  terminal.type("y");
  await terminal.shows(/○ shell echo begin[\s\S]*begin/);
  await terminal.contains("All is done.");
  await terminal.hides("Esc stops");
  const all = terminal.all();
  assert.match(
    all,
    /● First I look\.\n\n {4}const a = 1;\n\n● read a\.txt\n\n● edit a\.txt\n {2}\+1 −1\n {2}1 {3}one\n/,
  );
  assert.match(
    all,
    /● shell echo begin.*\n {2}begin\n {2}end\n( {2}\[ran without a sandbox.*\n)? {2}exit code 3/,
  );
  await terminal.shows(/^local\/test · ~ · context 20 % \(12k of 60k\) · \$0\.012 · ●$/m);
});
