import assert from "node:assert/strict";
import { test } from "node:test";
import type { PermissionRule } from "../../../src/agent/permissions/rule.ts";
import { defaultRules } from "../../../src/agent/permissions/default-rules.ts";
import { decidePermission } from "../../../src/agent/permissions/rules.ts";
import type { SessionMode } from "../../../src/kernel/state.ts";

function change(subject: string, mode: SessionMode, own: readonly PermissionRule[] = []): string {
  const rules = [...defaultRules({ allowedPaths: ["/other"] }), ...own];
  return decidePermission(rules, { action: "change", subject }, { mode });
}

test("accept-edits mode allows changes in the directory, and only there", () => {
  assert.deepEqual(
    ["src/a.ts", "new/file.md", "/other/a.ts", "/etc/passwd"].map((path) => [
      change(path, "ask"),
      change(path, "acceptEdits"),
    ]),
    [
      ["ask", "allow"],
      ["ask", "allow"],
      ["ask", "ask"],
      ["deny", "deny"],
    ],
  );
});

test("accept-edits mode still asks about files that run programs, instruct agents or hold secrets", () => {
  const paths = [
    ".git/config",
    "sub/.git/hooks/pre-commit",
    ".vscode/tasks.json",
    "AGENTS.md",
    "packages/a/CLAUDE.md",
    ".holdfast/config.jsonc",
    ".mcp.json",
    ".env",
    "certs/server.pem",
  ];
  for (const path of paths) assert.equal(change(path, "acceptEdits"), "ask", path);
});

test("accept-edits mode does not override a rule that asks or denies", () => {
  const own: PermissionRule[] = [
    { action: "change", pattern: "migrations/**", effect: "ask" },
    { action: "change", pattern: "vendor/**", effect: "deny" },
  ];
  assert.equal(change("migrations/1.sql", "acceptEdits", own), "ask");
  assert.equal(change("vendor/a.js", "acceptEdits", own), "deny");
});

test("accept-edits mode does not allow commands", () => {
  const touch = { action: "run", subject: "touch a" } as const;
  assert.equal(decidePermission(defaultRules(), touch, { mode: "acceptEdits" }), "ask");
});
