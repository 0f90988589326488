import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { replying } from "../../../holdfast/test/cli/model-cli.ts";
import { keys } from "../support/pty.ts";
import { openModelStory } from "../support/story.ts";

test("model and agent are chosen in pickers, an edit is undone, and a prompt is rewound", async (t) => {
  const edit = { path: "a.txt", edits: [{ old: "one", new: "two" }] };
  const story = await openModelStory(
    t,
    replying({
      change: [
        { parts: [{ call: { id: "1", name: "read", input: { path: "a.txt" } } }] },
        { parts: [{ call: { id: "2", name: "edit", input: edit } }] },
        { parts: [{ text: "It is changed." }] },
      ],
      question: [{ parts: [{ text: "An answer." }] }],
    }),
  );
  await writeFile(join(story.folder, "a.txt"), "one\n");
  const agents = { looker: { description: "Only looks", prompt: "Only look.", tools: ["read"] } };
  await writeFile(join(story.folder, "holdfast.jsonc"), JSON.stringify({ agents }));
  const terminal = story.open();
  await terminal.shows("local/test");
  terminal.type(`/model${keys.enter}`);
  await terminal.shows(/Model: ▏\n❯ Default of the directory +local\/test/);
  terminal.type(`local${keys.enter}`);
  await terminal.hides("Model: local");
  terminal.type(`/agent${keys.enter}`);
  await terminal.shows(/looker +Only looks/);
  terminal.type(`looker${keys.enter}`);
  await terminal.shows(/^local\/test · looker · ~/m);
  terminal.type(`/agent default${keys.enter}`);
  await terminal.shows("Agent: default");

  terminal.type(`${keys.shiftTab}change it${keys.enter}`);
  await terminal.contains("It is changed.");
  await terminal.hides("Esc stops");
  // The session has the chosen agent. Another client sets it, and this one shows it.
  const [session] = (await story.holdfast.sessions.list()).items;
  assert.equal(session?.agent, "default");
  await story.holdfast.session(session.sessionId).setAgent("looker");
  await terminal.shows(/ · looker · ~/m);
  terminal.type(`/agent default${keys.enter}`);
  await terminal.shows("Agent: default");
  assert.equal(await readFile(join(story.folder, "a.txt"), "utf8"), "two\n");
  terminal.type(`/undo${keys.enter}`);
  await terminal.shows(/Undo the file changes of: ▏\n❯ change it/);
  terminal.type(keys.enter);
  await terminal.shows("Undo 1 file?");
  terminal.type(keys.enter);
  await terminal.contains("■ Undone: a.txt");
  assert.equal(await readFile(join(story.folder, "a.txt"), "utf8"), "one\n");

  terminal.type(`question${keys.enter}`);
  await terminal.contains("An answer.");
  await terminal.hides("Esc stops");
  terminal.type(keys.escape);
  terminal.type(keys.escape);
  await terminal.shows(/Rewind to before: ▏\n❯ question/);
  terminal.type(keys.escape);
  await terminal.hides("Rewind to before");
  terminal.type(`/rewind${keys.enter}`);
  await terminal.shows(/Rewind to before: ▏\n❯ question/);
  terminal.type(keys.enter);
  await terminal.shows(/❯ question\n─/);
  const { items } = await story.holdfast.sessions.list();
  assert.equal(items.length, 2);
  assert.equal(items[0]?.mode, "acceptEdits", "a copy keeps the mode");

  for (const [theme, colour] of [
    ["light", "38;5;24"],
    ["dark", "38;5;80"],
  ] as const) {
    terminal.type(keys.ctrlC);
    terminal.type(`/theme ${theme}${keys.enter}`);
    await terminal.shows(`Theme: ${theme}`);
    await terminal.until(`colour ${colour}`, () => terminal.raw().includes(`\u001b[${colour}m`));
  }
});

test("--agent sets the agent of the opened session, HOLDFAST_AGENT only that of a new one", async (t) => {
  const story = await openModelStory(t, replying({ hello: [{ parts: [{ text: "Hi." }] }] }));
  const agents = { looker: { prompt: "Only look." }, lead: { prompt: "You lead." } };
  await writeFile(join(story.folder, "holdfast.jsonc"), JSON.stringify({ agents }));
  const environment = { HOLDFAST_AGENT: "lead" };
  const first = story.open({ environment });
  await first.shows(/ · lead · ~/);
  first.type(`hello${keys.enter}`);
  await first.contains("Hi.");
  const agent = async (): Promise<string | null | undefined> =>
    (await story.holdfast.sessions.list()).items[0]?.agent;
  assert.equal(await agent(), "lead");
  const second = story.open({ words: ["-c", "--agent", "looker"] });
  await second.shows(/ · looker · ~/);
  await first.shows(/ · looker · ~/);
  assert.equal(await agent(), "looker");
  const third = story.open({ words: ["-c"], environment });
  await third.shows(/ · looker · ~/);
  assert.equal(await agent(), "looker");
});

test("a run that ends or asks while the window has no focus rings and notifies", async (t) => {
  const story = await openModelStory(
    t,
    replying({
      quick: [{ parts: [{ text: "Here." }] }],
      command: [
        { parts: [{ call: { id: "1", name: "shell", input: { command: "make" } } }] },
        { parts: [{ text: "I see." }] },
      ],
    }),
  );
  const terminal = story.open();
  await terminal.shows("local/test");
  terminal.type(`quick${keys.enter}`);
  await terminal.contains("Here.");
  await terminal.hides("Esc stops");
  assert.doesNotMatch(terminal.raw(), /\]777;/);
  terminal.type("\u001b[O");
  terminal.type(`command${keys.enter}`);
  await terminal.until("a notification", () =>
    terminal.raw().includes("\u001b]777;notify;Holdfast;Needs you"),
  );
  assert.ok(terminal.raw().includes("\u0007\u001b]9;Needs you: May the agent run make?"));
  const [session] = (await story.holdfast.sessions.list()).items;
  const handle = story.holdfast.session(session?.sessionId ?? "");
  for await (const { askId } of handle.eachAsk({ open: true }))
    await handle.answer(askId, { verdict: "deny" });
  await terminal.until("a notification of the end", () =>
    terminal.raw().includes("\u001b]777;notify;Holdfast;Finished"),
  );
  terminal.type("\u001b[I");
});
