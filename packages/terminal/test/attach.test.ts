import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import { keys } from "./support/pty.ts";
import { openStory } from "./support/story.ts";

test("C7 in an attached session /stop-all stops background work, and /search, /rename, /mute, /fork and /rewind work", async (t) => {
  const story = await openStory(t);
  const session = await story.holdfast.sessions.create({
    directory: story.folder,
    sessionId: "watched",
  });
  await (await session.prompt("say an earlier answer")).settled();
  const terminal = story.open({ words: ["attach", "watch"] });
  await terminal.contains("an earlier answer");
  await terminal.shows("●", "the connection");
  let ended = 0;
  for await (const item of session.events({ follow: false })) {
    if (item.type === "run.ended") ended = item.seq;
  }
  await waitFor(() => session.notice(ended), {
    describe: "the mark that the person has seen the end of the run",
    until: ({ quiet }) => quiet === "seen",
  });
  terminal.paste("background { stall }; stall");
  terminal.type(keys.enter);
  await terminal.shows("Esc stops");
  let isLinked = false;
  for await (const item of session.events()) {
    if (item.type === "child.linked") isLinked = true;
    if (item.type === "step.opened" && isLinked) break;
  }
  terminal.type("/stop-all");
  terminal.type(keys.enter);
  await terminal.hides("Esc stops");
  for await (const { sessionId } of session.eachChild()) {
    const child = story.holdfast.session(sessionId);
    for await (const { promptId } of child.eachPrompt()) {
      assert.equal((await child.promptById(promptId).settled()).reason, "parentCancel");
    }
  }
  terminal.type(`/search earlier${keys.enter}`);
  await terminal.shows(/Search all sessions: earlier▏/);
  await terminal.shows(/an earlier answer +(answer|prompt) · /);
  terminal.type(" zebra");
  await terminal.shows("No message contains these words");
  terminal.type("\u0015earlier --kind answer");
  await terminal.shows(/❯ .*an earlier answer +answer · /);
  terminal.type(keys.enter);
  await terminal.shows(/an earlier answer[^]*q closes/);
  terminal.type("q");
  await terminal.hides("q closes");
  const texts: (string | null)[] = [];
  for await (const { text } of session.eachPrompt()) texts.push(text);
  assert.deepEqual(texts, ["say an earlier answer", "background { stall }; stall"]);

  terminal.type(`/rename Watched work${keys.enter}`);
  await terminal.shows("Title: Watched work");
  terminal.type(`/mute${keys.enter}`);
  await terminal.shows("Notifications of this session are off");
  assert.deepEqual((await story.holdfast.notifications.settings()).muted, ["watched"]);
  terminal.type(`/mute${keys.enter}`);
  await terminal.shows("Notifications of this session are on again");
  terminal.type(`/fork${keys.enter}`);
  await terminal.contains("another session");
  terminal.type(`/search earlier --kind answer${keys.enter}`);
  await terminal.shows(/❯ .*an earlier answer +answer · Watched work \(fork\) · /);
  terminal.type(keys.enter);
  await terminal.shows(/an earlier answer[^]*Watched work \(fork\) · .* q closes/);
  terminal.type("q");
  await terminal.hides("q closes");
  terminal.type(`/rewind${keys.enter}`);
  await terminal.shows(/Rewind to before: ▏\n❯ background \{ stall \}; stall/);
  terminal.type(`earlier${keys.enter}`);
  await terminal.shows(/❯ say an earlier answer\n─/);
  const { items } = await story.holdfast.sessions.list({ search: "Watched" });
  assert.deepEqual(
    new Set(items.map(({ title }) => title)),
    new Set(["Watched work", "Watched work (fork)", "Watched work (fork) (fork)"]),
  );
});
