import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import { decidePermission, defaultRules } from "../../../src/agent/permissions/rules.ts";
import type { PermissionRule } from "../../../src/agent/permissions/rule.ts";
import { guardRules } from "../../../src/workspace/load/guarded-folders.ts";
import { needsSandbox } from "../../support/needs-sandbox.ts";
import { openHouse } from "./house.ts";

const everything: readonly PermissionRule[] = [
  ...defaultRules(),
  { action: "*", pattern: "**", effect: "allow" },
  { action: "*", pattern: "/code/**", effect: "allow" },
];

test("no rule lets a run read the program's own folders or change the user's config", () => {
  const guarded = { hidden: ["/code/me/[data]"], readOnly: ["/code/me/config"] };
  const decide = (directory: string, action: "read" | "change", subject: string): string =>
    decidePermission([...everything, ...guardRules(directory, guarded)], { action, subject });
  const inHome = (action: "read" | "change", subject: string): string =>
    decide("/code/me", action, subject);
  assert.deepEqual(
    [
      inHome("read", "[data]/credentials.json"),
      inHome("change", "[data]/trust.json"),
      inHome("change", "[data]"),
      inHome("read", "config/config.jsonc"),
      inHome("change", "config/agents/a.md"),
      inHome("change", "config-other/a"),
      decide("/code/project", "read", "/code/me/[data]/token"),
      decide("/code/project", "change", "/code/me/config/config.jsonc"),
      decide("/code/project", "change", "config/a"),
      // Somebody who works in the folder itself is not shut out of all of it.
      decide("/code/me/[data]", "change", "a.txt"),
    ],
    ["deny", "deny", "deny", "allow", "deny", "allow", "deny", "deny", "allow", "allow"],
  );
});

test("a run in the folder above them reaches neither keys nor the user's config, by no file tool", async (t) => {
  const [read, grep, write, notes] = await results(
    t,
    asks(
      { name: "read", input: { path: "data/credentials.json" } },
      { name: "grep", input: { pattern: "version" } },
      { name: "write", input: { path: "config/holdfast/config.jsonc", content: "{}" } },
      { name: "write", input: { path: "notes.txt", content: "fine" } },
    ),
  );
  assert.match(read ?? "", /^A rule does not allow to read data\/credentials\.json/);
  assert.doesNotMatch(grep ?? "", /"version"/);
  assert.match(write ?? "", /^A rule does not allow to change config\/holdfast\/config\.jsonc/);
  assert.match(notes ?? "", /^Created/);
});

test(
  "a command in the folder above them sees no keys and cannot change config",
  needsSandbox,
  async (t) => {
    const command = "ls -A data; echo {} > config/holdfast/new";
    const [shell] = await results(t, asks({ name: "shell", input: { command } }));
    assert.match(shell ?? "", /^.*config\/holdfast\/new: Read-only file system\n\[exit code 1\]$/);
  },
);

/** What the model reads of these calls, made in the folder above the program's own folders. */
async function results(
  t: TestContext,
  calls: ReturnType<typeof asks>,
): Promise<readonly (string | undefined)[]> {
  const house = await openHouse(t, {
    connected: true,
    environment: { HOLDFAST_MODEL: "local/test" },
    above: true,
    files: {
      "data/credentials.json": '{ "version": 1, "providers": {} }',
      "config/holdfast/config.jsonc": { permissions: allowAll },
    },
    script: inOrder(calls, says("So be it.")),
  });
  await house.send("one", { text: "Go" });
  assert.equal((await house.ended("one")).ended, "completed");
  const messages = house.server.calls[1]?.messages ?? [];
  return messages.flatMap((message) => message.results).map(({ text }) => text);
}

const allowAll = [
  { action: "read", pattern: "**", effect: "allow" },
  { action: "change", pattern: "**", effect: "allow" },
  { action: "run", pattern: "*", effect: "allow" },
];
