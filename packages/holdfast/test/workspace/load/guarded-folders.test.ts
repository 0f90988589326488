import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import { decidePermission, defaultRules } from "../../../src/agent/permissions/rules.ts";
import type { PermissionRule } from "../../../src/agent/permissions/rule.ts";
import { guardRules } from "../../../src/workspace/load/guarded-folders.ts";
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

test("a run in the folder above them reaches neither keys nor the user's config, by no tool", async (t) => {
  const house = await openHouse(t, {
    connected: true,
    environment: { HOLDFAST_MODEL: "local/test" },
    above: true,
    files: {
      "data/credentials.json": '{ "version": 1, "providers": {} }',
      "config/holdfast/config.jsonc": { permissions: allowAll },
    },
    script: inOrder(
      asks(
        { name: "read", input: { path: "data/credentials.json" } },
        { name: "grep", input: { pattern: "version" } },
        { name: "write", input: { path: "config/holdfast/config.jsonc", content: "{}" } },
        { name: "write", input: { path: "notes.txt", content: "fine" } },
        { name: "shell", input: { command: "cat data/*.json; echo {} > config/holdfast/new" } },
      ),
      says("So be it."),
    ),
  });
  await house.send("one", { text: "Go" });
  assert.equal((await house.ended("one")).ended, "completed");
  const results = house.server.calls[1]?.messages.flatMap((message) => message.results) ?? [];
  const [read, grep, write, notes, shell] = results.map(({ text }) => text);
  assert.match(read ?? "", /^A rule does not allow to read data\/credentials\.json/);
  assert.doesNotMatch(grep ?? "", /"version"/);
  assert.match(write ?? "", /^A rule does not allow to change config\/holdfast\/config\.jsonc/);
  assert.match(notes ?? "", /^Created/);
  if (/without a sandbox/.test(shell ?? "")) return;
  assert.doesNotMatch(shell ?? "", /"version"/);
  assert.equal(existsSync(join(house.directory, "config/holdfast/new")), false);
  assert.match(readFileSync(join(house.directory, "data/credentials.json"), "utf8"), /"version"/);
});

const allowAll = [
  { action: "read", pattern: "**", effect: "allow" },
  { action: "change", pattern: "**", effect: "allow" },
  { action: "run", pattern: "*", effect: "allow" },
];
