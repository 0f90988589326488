import assert from "node:assert/strict";
import { test } from "node:test";
import { keys } from "./support/pty.ts";
import { openStory } from "./support/story.ts";

test("a paste of 500 lines is one prompt, and one of 1 MB keeps the screen alive", async (t) => {
  const story = await openStory(t);
  const terminal = story.open();
  await terminal.shows("●", "the connection");
  const pasted = Array.from({ length: 500 }, (_, index) => `at line ${index + 1}`).join("\n");
  terminal.paste(pasted);
  await terminal.shows("[paste #1 +500 lines]");
  terminal.type(keys.enter);
  await terminal.contains("… 488 more lines");
  await terminal.hides("Esc stops");
  const [session] = (await story.holdfast.sessions.list()).items;
  const { items } = await story.holdfast.session(session?.sessionId ?? "").prompts();
  assert.deepEqual(
    items.map(({ text }) => text),
    [pasted],
  );

  terminal.paste("x".repeat(1_000_000));
  await terminal.shows("[paste #1 1000000 chars]");
  terminal.type(keys.ctrlC);
  await terminal.hides("[paste");
});
