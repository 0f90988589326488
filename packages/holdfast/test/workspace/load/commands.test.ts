import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { says } from "../../../../../gauntlet/model-server/script.ts";
import { CommandRefused } from "../../../src/runner/command-refused.ts";
import { openWorkspaceFixture } from "./workspace-fixture.ts";
import type { WorkspaceFixture } from "./workspace-fixture.ts";
import { expandTemplate } from "../../../src/workspace/load/setup.ts";

test("P3 a command is identified as it was sent: sending it again is the same prompt, even if its text changed", async (t) => {
  const fixture = await openWorkspaceFixture(t, {
    script: () => says(""),
    files: { "project/.holdfast/commands/greet.md": "say hello $1" },
  });
  const command = { name: "greet", arguments: "world" };
  await fixture.send("one", { command });
  const [known] =
    (
      await fixture.setup.host.load(fixture.directory)
    ).current?.workspace.setup?.commands.values() ?? [];
  assert.equal(known?.source, join(fixture.directory, ".holdfast/commands/greet.md"));
  assert.equal((await fixture.ended("one")).text, "[demo agent] hello world");
  const refreshed = fixture.nextEnd("config");
  fixture.write("project/.holdfast/commands/greet.md", "say goodbye $1");
  await refreshed;
  const prompt = { sessionId: "one", promptId: "one", text: "" };
  const again = await fixture.runtime.prompt({ ...prompt, command });
  assert.equal(again.status, "settled");
  await refused(() =>
    fixture.runtime.prompt({ ...prompt, command: { ...command, arguments: "you" } }),
  ).then((code) => assert.equal(code, "conflict"));
  await fixture.send("two", { command });
  assert.equal((await fixture.ended("two")).text, "[demo agent] goodbye world");
});

test("P3 C6 agent and model are part of a prompt, and stay when its text is edited", async (t) => {
  const fixture = await openWorkspaceFixture(t, {
    script: () => says(""),
    files: { "config/holdfast/commands/greet.md": "---\nmodel: local/own\n---\nsay hello" },
  });
  const { runtime, directory } = fixture;
  await runtime.createSession({ sessionId: "held", directory });
  await runtime.placeHold({ sessionId: "held", reason: "for now" });
  const prompt = { sessionId: "held", promptId: "one", text: "", agent: "default" };
  const command = { name: "greet", arguments: "" };
  const accepted = await runtime.prompt({ ...prompt, command });
  assert.deepEqual(await bodyOf(fixture, accepted.body), {
    text: "say hello",
    agent: "default",
    model: "local/own",
    command,
  });
  const { agent: _, ...without } = prompt;
  assert.equal(await refused(() => runtime.prompt({ ...without, command })), "conflict");
  assert.equal((await runtime.prompt({ ...prompt, command })).revision, accepted.revision);
  const { revision } = accepted;
  const edited = await runtime.editPrompt({ ...without, text: "say goodbye", revision });
  assert.deepEqual(await bodyOf(fixture, edited.body), {
    text: "say goodbye",
    agent: "default",
    model: "local/own",
  });
});

test("an unknown command is refused with the list of commands, and nothing is stored", async (t) => {
  const fixture = await openWorkspaceFixture(t, {
    script: () => says(""),
    files: { "project/.holdfast/commands/greet.md": "say hello" },
  });
  await assert.rejects(
    fixture.send("one", { command: { name: "gret", arguments: "" } }),
    (error) =>
      error instanceof CommandRefused &&
      error.refusal.code === "invalid" &&
      error.message === "there is no command /gret (there are: /greet, /compact)",
  );
  assert.equal(await fixture.runtime.store.prompt("one", "one"), null);
});

test("P3 a directory's command overrides the built-in one of the same name, as of the time of the accept", async (t) => {
  const fixture = await openWorkspaceFixture(t, { script: () => says("") });
  const { runtime, directory } = fixture;
  await runtime.createSession({ sessionId: "held", directory });
  await runtime.placeHold({ sessionId: "held", holdId: "hold", reason: "for now" });
  const command = { name: "compact", arguments: "the names" };
  const send = (promptId: string): ReturnType<typeof runtime.prompt> =>
    runtime.prompt({ sessionId: "held", promptId, text: "", command });
  const builtIn = await send("built-in");
  const refreshed = fixture.nextEnd("config");
  fixture.write("project/.holdfast/commands/compact.md", "say $ARGUMENTS");
  await refreshed;
  const own = await send("own");
  assert.deepEqual(
    [await bodyOf(fixture, builtIn.body), await bodyOf(fixture, own.body)],
    [
      {
        text: "Summarize the conversation so far. Keep above all: the names",
        command: { ...command, builtIn: true },
      },
      { text: "say the names", command },
    ],
  );
  assert.equal((await send("built-in")).body, builtIn.body, "sent again it is the same");
  await runtime.releaseHold({ sessionId: "held", holdId: "hold" });
  const results = ["built-in", "own"].map(async (promptId) => {
    const row = await runtime.wait({ sessionId: "held", promptId });
    return row === null ? null : runtime.resultText(row);
  });
  assert.deepEqual(await Promise.all(results), [
    "[demo agent] no model is connected, so there is no conversation to summarize.",
    "[demo agent] the names",
  ]);
  const pieces = await Array.fromAsync(runtime.exportSession("held"));
  await runtime.importSession({ document: [Buffer.from(pieces.join(""))], sessionId: "copy" });
  const copy = await runtime.messages({ sessionId: "copy", after: null, limit: 100 });
  assert.deepEqual(
    copy?.messages.flatMap((message) => (message.role === "user" ? [message.command] : [])),
    [{ ...command, builtIn: true }, command],
  );
});

test("arguments are inserted once, by name and number, and appended if there is no placeholder", () => {
  for (const [text, given, expected] of [
    ["fix $1 in $2", "it 'the file'", "fix it in the file"],
    ["fix $ARGUMENTS.", ' a  "b c" ', 'fix a  "b c".'],
    ["$1", "$ARGUMENTS $2", "$ARGUMENTS"],
    ["only $1 of $9", "one", "only one of "],
    ["costs $10 and $0", "", "costs $10 and $0"],
    ["look", "here", "look\n\nhere"],
    ["look", " ", "look"],
  ] as const) {
    assert.equal(expandTemplate(text, given), expected);
  }
});

async function bodyOf({ runtime }: WorkspaceFixture, hash: string | null): Promise<unknown> {
  const bytes = hash === null ? null : await runtime.store.body(hash);
  return bytes === null ? null : JSON.parse(new TextDecoder().decode(bytes));
}

async function refused(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof CommandRefused) return error.refusal.code;
    throw error;
  }
  return "done";
}
