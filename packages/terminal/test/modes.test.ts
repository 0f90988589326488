import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { replying } from "../../holdfast/test/cli/model-cli.ts";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import { keys } from "./support/pty.ts";
import { openModelStory, openStory } from "./support/story.ts";

test("/rules removes a remembered permission after a confirmation", async (t) => {
  const story = await openModelStory(
    t,
    replying({
      go: [
        { parts: [{ call: { id: "1", name: "shell", input: { command: "make a && ./b" } } }] },
        { parts: [{ text: "All is done." }] },
      ],
    }),
  );
  await writeFile(join(story.folder, "Makefile"), "a:\n\t@true\n");
  const terminal = story.open();
  await terminal.shows("local/test");
  terminal.type(`go${keys.enter}`);
  await terminal.shows("a always allow “make a …” commands and “./b”");
  terminal.type("a");
  await terminal.shows("Always allow “make a …” commands and “./b”?");
  terminal.type(keys.enter);
  await terminal.contains("All is done.");
  terminal.type(`/rules${keys.enter}`);
  await terminal.shows(/❯ allow run make a \* .*in this project\n {2}allow run \.\/b/);
  terminal.type(keys.enter);
  await terminal.shows('Remove "allow run make a *"?');
  terminal.type(keys.enter);
  await terminal.shows("Removed: allow run make a *");
  const { items } = await story.holdfast.rules.list({ directory: story.folder });
  assert.deepEqual(
    items.map(({ pattern }) => pattern),
    ["./b"],
  );
});

test("/model and /mode list what a hosted agent offers, / completes its commands, prompts name the choice", async (t) => {
  const story = await openStory(t, { PATH: process.env["PATH"] ?? "" });
  const stub = join(import.meta.dirname, "../../holdfast/test/support/stub-agent.ts");
  const home = `STUB_HOME=${join(story.folder, "stub")}`;
  const acp = { command: ["env", home, "STUB_MODE=offers", process.execPath, stub] };
  const config = join(story.folder, "data/holdfast/.config/holdfast/config.jsonc");
  await mkdir(dirname(config), { recursive: true });
  await writeFile(config, JSON.stringify({ agent: "stub", agents: { stub: { acp } } }));
  const terminal = story.open();
  await terminal.shows("stub");
  terminal.type(`say the first${keys.enter}`);
  const session = await waitFor(
    async () => (await story.holdfast.sessions.list()).items.find(({ runId }) => runId === null),
    { describe: "a session without a run" },
  );
  const handle = story.holdfast.session(session?.sessionId ?? "");
  const first = await waitFor(async () => (await handle.prompts()).items.at(0), {
    describe: "the first prompt",
  });
  await handle.promptById(first?.promptId ?? "").settled();
  terminal.type(`/model${keys.enter}`);
  await terminal.shows("Model large");
  terminal.type(`large${keys.enter}`);
  await terminal.shows(/large · stub/);
  terminal.type(`/mode yolo${keys.enter}`);
  await terminal.shows("Mode of stub from the next prompt on: yolo");
  terminal.type("/rev");
  await terminal.shows("Review the changes");
  terminal.type("iew it");
  await terminal.shows("/review it");
  terminal.type(keys.enter);
  const prompt = await waitFor(async () => (await handle.prompts()).items.at(1) ?? null, {
    describe: "the second prompt",
  });
  const { text, model, agentMode } = prompt ?? {};
  assert.deepEqual([text, model, agentMode], ["/review it", "large", "yolo"]);
});
