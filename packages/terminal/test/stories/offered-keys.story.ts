import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startModelServer } from "../../../../gauntlet/model-server/model-server.ts";
import { key, replying } from "../../../holdfast/test/cli/model-cli.ts";
import { keys } from "../support/pty.ts";
import { openStory } from "../support/story.ts";

test("a key in the environment of a terminal serves each session that the terminal shows, and is kept in memory", async (t) => {
  const model = await startModelServer(
    replying({ mine: [{ parts: [{ text: "From your own model." }] }] }),
  );
  // The Holdfast server has no key. The story is opened first, so that it is closed before the model server.
  const story = await openStory(t);
  t.after(() => model.close());
  const { folder: directory } = story;
  await story.holdfast.sessions.create({ directory, sessionId: "earlier", title: "Earlier" });
  const terminal = story.open({
    environment: {
      HOLDFAST_BASE_URL: model.addresses.openaiChat,
      HOLDFAST_API_KEY: key,
      HOLDFAST_MODEL: "local/test",
    },
  });
  await terminal.shows(/^local\/test · ~ · ●/m);
  terminal.type(`mine in a new session${keys.enter}`);
  await terminal.contains("● From your own model.");
  await terminal.hides("Esc stops");
  terminal.type(`/sessions${keys.enter}`);
  await terminal.shows("Sessions:");
  terminal.type(`earlier${keys.enter}`);
  await terminal.hides("Sessions:");
  terminal.type(`mine in an earlier session${keys.enter}`);
  await terminal.contains(/❯ mine in an earlier session\n[^❯]*● From your own model\./);
  const data = join(story.folder, "data/holdfast");
  for (const name of readdirSync(data).filter((file) => !file.endsWith("-lock"))) {
    const path = join(data, name);
    const text = name.includes(".") ? readFileSync(path, "latin1") : "";
    assert.ok(!text.includes(key), name);
  }
});
