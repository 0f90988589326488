import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { asks, says } from "../../../../gauntlet/model-server/script.ts";
import { keys, openPty } from "../../../terminal/test/support/pty.ts";
import type { Pty } from "../../../terminal/test/support/pty.ts";
import { openModelStory, openStory } from "../../../terminal/test/support/story.ts";
import { endServers } from "../support/end-servers.ts";
import { scratchFolder } from "../support/scratch-folder.ts";
import { waitFor } from "../support/wait-for.ts";

const spinner = "[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]";

test("run streams the output of a command, and shows a spinner with the time after an ask", async (t) => {
  const command = "echo begun; while [ ! -e go ]; do sleep 0.05; done; echo over";
  const story = await openModelStory(t, (call) =>
    call.messages.at(-1)?.role === "user"
      ? asks({ name: "shell", input: { command } })
      : says("The end."),
  );
  const own = story.open({ words: ["run", "first"], columns: 100 });
  await own.shows("y or n:");
  assert.doesNotMatch(own.screen(), new RegExp(`${spinner} `));
  own.type(`y${keys.enter}`);
  await own.shows("begun");
  await own.shows(new RegExp(`${spinner} working [1-9]\\d* s`));
  writeFileSync(join(story.folder, "go"), "");
  await own.contains("The end.");
  assert.equal(await own.ended, 0);

  // Another client answers the ask.
  rmSync(join(story.folder, "go"));
  const other = story.open({ words: ["run", "second"], columns: 100 });
  await other.shows("y or n:");
  const ask = await waitFor(async () => (await story.holdfast.asks()).items[0], {
    describe: "the open ask",
  });
  await story.holdfast.session(ask?.sessionId ?? "").answer(ask?.askId ?? "", { verdict: "allow" });
  await other.contains("the question was withdrawn");
  await other.shows(new RegExp(`${spinner} working [1-9]\\d* s`));
  writeFileSync(join(story.folder, "go"), "");
  await other.contains("The end.");
  assert.equal(await other.ended, 0);
});

test("without a model, the demo agent answers a person at a terminal, but not a script", async (t) => {
  const folder = scratchFolder(t, "demo-at-terminal");
  t.after(() => endServers(folder));
  const script = [
    `text=$(eval "$HOLDFAST run 'say hello'"); echo "assigned: $? [$text]"`,
    `eval "$HOLDFAST run --json 'say hello'"; echo "json: $?"`,
    `eval "$HOLDFAST run 'say hello'"; echo "plain: $?"`,
  ];
  const terminal = openPty({ folder, columns: 300, shell: script.join("\n") });
  t.after(() => terminal.close());
  assert.equal(await terminal.ended, 0);
  const shown = terminal.all();
  assert.match(shown, /noModel: no model is connected[^]*assigned: 2 \[\]\n/);
  assert.match(shown, /noModel: no model is connected[^\n]*\njson: 2\n/);
  assert.match(shown, /\[demo agent\] hello\n[^]*plain: 0/);
});

test("if an older Node starts the command and stdin is a pipe, the first Ctrl-C still asks", async (t) => {
  const folder = scratchFolder(t, "older-node");
  t.after(() => endServers(folder));
  const elsewhere = JSON.stringify(join(import.meta.dirname, "../../bin/run-elsewhere.js"));
  const code = `import(${elsewhere}).then((old) => old.runElsewhere(["run", "--agent", "demo"]))`;
  writeFileSync(join(folder, "old-node.mjs"), code);
  const script = `echo 'words 400 every 50ms' | '${process.execPath}' old-node.mjs`;
  const terminal = openPty({ folder, columns: 100, shell: script });
  t.after(() => terminal.close());
  await terminal.contains("[demo agent]");
  terminal.type(keys.ctrlC);
  await terminal.contains("Stop the prompt (s), leave it to the server (d), or continue (Enter)?");
  terminal.type(`d${keys.enter}`);
  await terminal.contains("the server continues");
  assert.doesNotMatch(terminal.all(), /cancelling/);
});

/** At a terminal, starts a run whose command waits for the file `go`, and presses Ctrl-C. */
async function interruptRun(t: TestContext): Promise<{ terminal: Pty; letGo: () => void }> {
  const command = "echo be''gun; while [ ! -e go ]; do sleep 0.05; done; echo over";
  const story = await openModelStory(t, (call) =>
    call.messages.at(-1)?.role === "user"
      ? asks({ name: "shell", input: { command } })
      : says("The end."),
  );
  const terminal = story.open({ words: ["run", "--yes", "first"], columns: 120 });
  await terminal.contains("begun");
  terminal.type(keys.ctrlC);
  await terminal.shows(/ or continue \(Enter\)\?$/);
  return { terminal, letGo: () => writeFileSync(join(story.folder, "go"), "") };
}

test("if nobody answers the question after Ctrl-C, it ends before the outcome is printed", async (t) => {
  const { terminal, letGo } = await interruptRun(t);
  letGo();
  assert.equal(await terminal.ended, 0);
  assert.match(terminal.all(), /The end\.\n[^]*\ncompleted[^\n]*\ncontinue with: [^\n]*$/);
  assert.doesNotMatch(terminal.all(), /The end\.[^]*continue \(Enter\)/);
});

test("the second Ctrl-C stops the prompt, and the question is not printed again", async (t) => {
  const { terminal } = await interruptRun(t);
  terminal.type(keys.ctrlC);
  assert.equal(await terminal.ended, 130);
  assert.match(terminal.all(), /\ncancelling; press Ctrl-C again to quit at once\n/);
  assert.doesNotMatch(terminal.all(), /cancelling;[^]*continue \(Enter\)/);
});

test("the first Ctrl-C asks at once while several permission requests are open, and the second stops the prompt", async (t) => {
  const story = await openStory(t);
  const prompt =
    "background { ask to append a.txt x }; background { ask to append b.txt x }; stall";
  const terminal = story.open({ words: ["run", "--agent", "demo", prompt], columns: 120 });
  await terminal.shows("y or n, with a comment if you like:");
  await waitFor(async () => (await story.holdfast.asks()).items.length === 2, {
    describe: "both requests",
  });
  terminal.type(keys.ctrlC);
  await terminal.shows(/ or continue \(Enter\)\?$/);
  terminal.type(keys.ctrlC);
  assert.equal(await terminal.ended, 130);
  const end = terminal.all().split("stopped 1 running")[1] ?? "";
  assert.match(end, /\ncancelled[^\n]*\n/);
  assert.doesNotMatch(end, /y or n|withdrawn/);
});

test("undo lists the latest prompts, and undoes the one that the user chooses", async (t) => {
  const story = await openModelStory(t, (call) => {
    const text = call.messages.findLast(({ role }) => role === "user")?.text ?? "";
    const [, file = ""] = /write (\w)/.exec(text) ?? [];
    if (call.messages.at(-1)?.role !== "user") return says("Written.");
    return asks({ name: "write", input: { path: `${file}.txt`, content: `${file}\n` } });
  });
  const session = await story.holdfast.sessions.create({ directory: story.folder });
  await session.setMode("acceptEdits");
  for (const file of ["a", "b", "c"]) await (await session.prompt(`write ${file}`)).settled();
  const terminal = story.open({ words: ["undo"], columns: 100 });
  await terminal.shows(
    /1 {2}.* {2}write c\n +2 {2}.* {2}write b\n +3 {2}.* {2}write a\nUndo the changes of which prompt\? \(1 to 3, Enter for 1, q to quit\):$/,
  );
  terminal.type(`9${keys.enter}`);
  await terminal.shows(/q to quit\): 9\nUndo the changes of which prompt\?/);
  terminal.type(`2${keys.enter}`);
  await terminal.shows("Undo these changes? y or n:");
  terminal.type(`y${keys.enter}`);
  await terminal.contains("Undone: b.txt.");
  assert.equal(await terminal.ended, 0);
  const kept = ["a", "c"].map((file) => readFileSync(join(story.folder, `${file}.txt`), "utf8"));
  assert.deepEqual(kept, ["a\n", "c\n"]);
  assert.throws(() => readFileSync(join(story.folder, "b.txt")), { code: "ENOENT" });
});

test("holdfast --model chooses the model of the conversation", async (t) => {
  const story = await openStory(t);
  const terminal = story.open({ words: ["-m", "local/other"] });
  await terminal.shows(/^local\/other · .*●/m);
  terminal.type(`say hello${keys.enter}`);
  const named = await waitFor(
    async () => {
      const { items } = await story.holdfast.sessions.list();
      const handle = story.holdfast.session(items[0]?.sessionId ?? "none");
      return items.length === 0 ? null : (await handle.prompts()).items[0]?.model;
    },
    { describe: "the prompt with its model" },
  );
  assert.equal(named, "local/other");
});
