import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { replying } from "../../holdfast/test/cli/model-cli.ts";
import { keys } from "./support/pty.ts";
import { countOf, openModelStory, openStory } from "./support/story.ts";

test("for a screen reader, the client prints plain lines: answers, an ask, the queue and a list, each once", async (t) => {
  const story = await openStory(t);
  const terminal = story.open({ words: ["--screen-reader"] });
  await terminal.shows("Connected.");
  terminal.type("say hallo");
  await terminal.shows("say hallo");
  terminal.type(`\u007f${keys.enter}`);
  // While the prompt waits, the model and the queue may be announced.
  await terminal.shows(/You: say hall\n(?:.*\n){0,4}Agent: \[demo agent\] hall/);
  await terminal.contains("Ready for a prompt.");

  terminal.type(`ask to append notes.txt a line${keys.enter}`);
  await terminal.contains("Question: The demo agent wants to append notes.txt a line. Allow it?");
  // Another client queues this prompt: on a busy machine, keys typed here could answer the question.
  const [session] = (await story.holdfast.sessions.list()).items;
  await story.holdfast.session(session?.sessionId ?? "").prompt("say later");
  await terminal.contains("1 say later, after this run");
  await terminal.contains("y yes, once, n no");
  terminal.type("n");
  await terminal.contains("denied");
  await terminal.contains("Agent: [demo agent] later");

  terminal.type(`/sessions${keys.enter}`);
  await terminal.contains(/Sessions: say hall, idle.*Enter chooses/);
  terminal.type(keys.ctrlC + keys.ctrlL);
  await terminal.contains("no model: demo agent, ~, connected");
  terminal.type(keys.ctrlD);
  assert.equal(await terminal.ended, 0);
  const raw = terminal.raw();
  assert.equal(countOf(terminal.all(), "Agent: [demo agent] later"), 1);
  assert.doesNotMatch(terminal.all(), /[─✶✸✹✺✷▏]/, "no boxes and no spinner");
  // oxlint-disable-next-line no-control-regex -- looks for control sequences
  assert.doesNotMatch(raw, /\u001b\[\d*[AHJ]|\u001b\[\?(?:1049|2026|25)[hl]/, "no redraws");
});

test("for a screen reader, the first Ctrl-L announces the context use with the size of the window", async (t) => {
  const usage = { input: 11_990, cached: 0, output: 10 };
  const working = Promise.withResolvers<void>();
  const parts = [{ wait: working.promise }, { text: "Done." }];
  const story = await openModelStory(t, replying({ go: [{ parts, usage }] }));
  const folder = join(story.folder, "data/holdfast/.config/holdfast");
  await mkdir(folder, { recursive: true });
  const config = { providers: { local: { models: { test: { context: 60_000, output: 8_000 } } } } };
  await writeFile(join(folder, "config.jsonc"), JSON.stringify(config));
  const terminal = story.open({ words: ["--screen-reader"] });
  await terminal.contains("Model: local/test");
  terminal.type(`go${keys.enter}`);
  await terminal.contains("Working.");
  working.resolve();
  await terminal.contains(/Agent: Done\.[\s\S]*Ready for a prompt\./);
  terminal.type(keys.ctrlL);
  await terminal.contains(/context .*12k/);
  assert.match(terminal.all(), /local\/test, ~, context 20 % \(12k of 60k\), connected/);
});
