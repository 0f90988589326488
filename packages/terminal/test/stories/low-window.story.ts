import assert from "node:assert/strict";
import { test } from "node:test";
import { replying } from "../../../holdfast/test/cli/model-cli.ts";
import { keys } from "../support/pty.ts";
import { openModelStory } from "../support/story.ts";

const command = Array.from({ length: 60 }, (_, index) => `touch part-${index}`).join(" &&\n");

test("a long command cannot be allowed in a low window, and a higher one shows it whole first", async (t) => {
  const story = await openModelStory(
    t,
    replying({
      go: [
        { parts: [{ call: { id: "1", name: "shell", input: { command } } }] },
        { parts: [{ text: "All is done." }] },
      ],
    }),
  );
  const terminal = story.open({ columns: 60, rows: 20 });
  await terminal.shows("local/test");
  terminal.type(`go${keys.enter}`);
  await terminal.shows(
    /\? May the agent run touch part-0[^]*more rows, Ctrl-O shows all[^]*y yes, once/,
  );
  await terminal.resize(60, 4);
  await terminal.shows("Needs you: make the window taller");
  terminal.type("y");
  await terminal.shows(/❯ y/);
  terminal.type("\u007f");
  await terminal.resize(60, 20);
  await terminal.shows("y yes, once");
  terminal.type("y");
  await terminal.shows(/part-10[^]*q closes/);
  const [session] = (await story.holdfast.sessions.list()).items;
  assert.equal(session?.status, "asking");
  terminal.type("q");
  await terminal.shows("y yes, once");
  terminal.type("y");
  // The end of the request was not shown yet.
  await terminal.shows("q closes");
  terminal.type("G");
  await terminal.shows(/touch part-59\?/);
  terminal.type("q");
  await terminal.shows("y yes, once");
  terminal.type("y");
  await terminal.contains("All is done.");
});
