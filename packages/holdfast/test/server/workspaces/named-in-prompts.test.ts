import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openWorkspaceServer } from "./workspace-server.ts";

test("T2 events and messages contain the agent, model and command that a prompt names", async (t) => {
  const fixture = await openWorkspaceServer(t);
  const directory = fixture.folder("shop");
  for (const [file, text] of [
    ["agents/critic.md", "Find fault."],
    ["commands/greet.md", "---\nagent: critic\n---\nhello $1"],
  ] as const) {
    mkdirSync(join(directory, ".holdfast", file, ".."), { recursive: true });
    writeFileSync(join(directory, ".holdfast", file), text);
  }
  const session = await fixture.session("shop", directory);
  const command = { name: "greet", arguments: "world" };
  await session.prompt("hello");
  await (await session.prompt("", { command, model: "local/test" })).settled();
  const usual = { text: "hello", attachments: [] };
  const other = {
    text: "hello world",
    attachments: [],
    agent: "critic",
    model: "local/test",
    command,
  };
  const contents: unknown[] = [];
  for await (const item of session.events({ follow: false, deltas: false })) {
    if (item.type === "prompt.accepted") contents.push(item.content);
  }
  assert.deepEqual(contents, [usual, other]);
  const said: unknown[] = [];
  for await (const message of session.eachMessage()) {
    if (message.role !== "user") continue;
    const { text, attachments, agent, model, command: used } = message;
    const named = { agent, model, command: used };
    said.push({ text, attachments, ...(agent === undefined ? {} : named) });
  }
  assert.deepEqual(said, [usual, other]);
});
