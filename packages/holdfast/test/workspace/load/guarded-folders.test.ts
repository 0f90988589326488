import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import { needsSandbox } from "../../support/needs-sandbox.ts";
import { openWorkspaceFixture } from "./workspace-fixture.ts";

test("data folder: a session of an old store in this folder runs nothing", async (t) => {
  const { runtime, data, server, ...fixture } = await openWorkspaceFixture(t, {
    connected: true,
    environment: { HOLDFAST_MODEL: "local/test" },
    files: { "data/token": "hf_0123456789ab_secret" },
    script: inOrder(asks({ name: "read", input: { path: "token" } }), says("Done.")),
  });
  await runtime.createSession({ sessionId: "old", directory: data });
  await runtime.prompt({ sessionId: "old", promptId: "old", text: "Read it" });
  const end = await fixture.ended("old");
  assert.match(
    JSON.stringify(end),
    /"failed: brokenWorkspace".*contains data or config of Holdfast/,
  );
  assert.deepEqual(server.calls, []);
  assert.deepEqual(fixture.errors, []);
});

test("a run in a parent folder reaches neither keys nor the user's config with any file tool", async (t) => {
  const [read, list, grep, glob, write, link, notes] = await results(
    t,
    asks(
      { name: "read", input: { path: "data/credentials.json" } },
      { name: "list", input: { path: "config/holdfast" } },
      { name: "grep", input: { pattern: "version|permissions", everything: true } },
      { name: "glob", input: { pattern: "*.json*", everything: true } },
      { name: "write", input: { path: "config/holdfast/config.jsonc", content: "{}" } },
      { name: "read", input: { path: "innocent" } },
      { name: "write", input: { path: "notes.txt", content: "fine" } },
    ),
  );
  for (const refused of [read, list, write, link]) {
    assert.match(refused ?? "", /belongs to Holdfast's own data or config; no tool may use it/);
  }
  assert.deepEqual([grep, glob], ["(no matches)", "(no file matches)"]);
  assert.match(notes ?? "", /^Created/);
});

test(
  "a command in a parent folder sees no keys and cannot change the config",
  needsSandbox,
  async (t) => {
    const command = "ls -A data; echo {} > config/holdfast/new";
    const [shell] = await results(t, asks({ name: "shell", input: { command } }));
    assert.match(shell ?? "", /^.*config\/holdfast\/new: Read-only file system\n\[exit code 1\]$/);
  },
);

/** Returns the results that the model gets for these calls, in the folder above Holdfast's own folders. */
async function results(
  t: TestContext,
  calls: ReturnType<typeof asks>,
): Promise<readonly (string | undefined)[]> {
  const fixture = await openWorkspaceFixture(t, {
    connected: true,
    environment: { HOLDFAST_MODEL: "local/test" },
    above: true,
    files: {
      "data/credentials.json": '{ "version": 1, "providers": {} }',
      "config/holdfast/config.jsonc": { permissions: allowAll },
    },
    script: inOrder(calls, says("So be it.")),
  });
  symlinkSync(join(fixture.data, "credentials.json"), join(fixture.directory, "innocent"));
  await fixture.send("one", { text: "Go" });
  assert.equal((await fixture.ended("one")).ended, "completed");
  const messages = fixture.server.calls[1]?.messages ?? [];
  return messages.flatMap((message) => message.results).map(({ text }) => text);
}

const allowAll = [
  { action: "read", pattern: "**", effect: "allow" },
  { action: "change", pattern: "**", effect: "allow" },
  { action: "run", pattern: "*", effect: "allow" },
];
