import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { rememberProblem, ruleFor } from "../../../src/agent/permissions/remember.ts";
import type { PermissionEffect, PermissionRule } from "../../../src/agent/permissions/rule.ts";
import { decidePermission } from "../../../src/agent/permissions/rules.ts";
import { createShellTool } from "../../../src/agent/tools/shell.ts";
import { workbench } from "../tools/workbench.ts";

const directory = "/code/project";

function decide(pattern: string, subject: string, path?: string): PermissionEffect {
  const rules: PermissionRule[] = [{ action: "run", pattern, effect: "allow" }];
  const request = { action: "run", subject, ...(path === undefined ? {} : { path }) } as const;
  return decidePermission(rules, request, { directory });
}

test("a rule without a folder covers the directory, and no other path of the shell tool", () => {
  assert.equal(decide("npm test *", "npm test"), "allow");
  assert.equal(decide("npm test *", "npm test", "packages/evil"), "ask");
  assert.equal(decide("npm test *", "npm test", "/shared/evil"), "ask");
  assert.equal(decide("npm test", "npm test", "packages/evil"), "ask");
  assert.equal(decide("*", "npm test", "packages/evil"), "allow");
});

test("cd FOLDER && is the same as the path of the shell tool", () => {
  const cases: [pattern: string, subject: string, path: string | undefined, PermissionEffect][] = [
    ["npm test *", "cd packages/evil && npm test", undefined, "ask"],
    ["npm test *", "cd /code/project && npm test", undefined, "allow"],
    ["npm test *", "cd . && npm test | npm test", undefined, "allow"],
    ["npm test *", "cd ..", undefined, "ask"],
    ["npm test *", "cd web && npm test", "packages", "ask"],
    ["npm test *", "cd .. && npm test", "packages", "allow"],
    ["cd packages/web && npm test *", "npm test -s", "packages/web", "allow"],
    ["cd packages/web && npm test *", "cd packages/web && npm test", undefined, "allow"],
    ["cd packages/web && npm test *", "cd ./packages/web/ && npm test", undefined, "allow"],
    [
      "cd packages/web && npm test *",
      "cd /code/project/packages/web && npm test",
      undefined,
      "allow",
    ],
    ["cd packages/* && npm test *", "npm test", "packages/web", "allow"],
    ["cd packages/* && npm test *", "npm test", "packages/web/evil", "ask"],
    ["cd packages/** && npm test *", "cd packages/../../evil && npm test", undefined, "ask"],
    ["cd packages/web && npm test *", "npm test", undefined, "ask"],
    ["cd ** && npm test *", "npm test", "/tmp/evil", "ask"],
    ["cd /shared/** && npm test *", "npm test", "/shared/web", "allow"],
    ["cd packages/web && npm test *", "cd packages/web; npm test", undefined, "ask"],
    ["cd packages/web && npm test *", "cd packages/web && npm test || npm test", undefined, "ask"],
    ["cd packages/web && npm test *", "cd packages/web || npm test", undefined, "ask"],
    ["cd ~ && ls *", "cd ~ && ls", undefined, "ask"],
  ];
  assert.deepEqual(
    cases.map(([pattern, subject, path]) => [
      pattern,
      subject,
      path,
      decide(pattern, subject, path),
    ]),
    cases,
  );
});

test("an answer for a command in another folder is remembered with its folder", () => {
  const similar = { effect: "allow", reach: "similar", directory } as const;
  const patternFor = (subject: string, path: string): string =>
    ruleFor({ action: "run", subject, path }, similar).pattern;
  assert.equal(patternFor("npm test -s", "packages/web"), "cd packages/web && npm test *");
  assert.equal(patternFor("cd packages/web && npm test", "."), "cd packages/web && npm test *");
  assert.equal(patternFor("mytool x", "packages/web"), "cd packages/web && mytool x");
  for (const subject of ["npm test -s", "mytool x", "npm test; mytool x"]) {
    const pattern = patternFor(subject, "packages/web");
    assert.equal(decide(pattern, subject, "packages/web"), "allow");
    assert.equal(decide(pattern, subject), "ask");
  }
});

test('the answer "never" to a command in another folder denies the command in that folder', () => {
  const never = { effect: "deny", reach: "similar", directory } as const;
  const allowed: PermissionRule = { action: "run", pattern: "*", effect: "allow" };
  for (const subject of ["npm test", "mytool x", "mytool > $X"]) {
    const request = { action: "run", subject, path: "packages/web" } as const;
    const rules = [allowed, ruleFor(request, never)];
    assert.equal(decidePermission(rules, request, { directory }), "deny", subject);
    assert.notEqual(decidePermission(rules, { ...request, path: "." }, { directory }), "deny");
  }
});

test("no rule is stored for a folder whose name looks like a command", () => {
  const request = { action: "run", subject: "mytool", path: "x && rm y" } as const;
  assert.equal(
    rememberProblem(request, directory),
    "the name of the folder has unusual characters",
  );
  const { pattern } = ruleFor(request, { effect: "allow", reach: "exact", directory });
  assert.equal(decide(pattern, "cd x && rm y && mytool"), "ask");
});

test("the permission request of the shell tool names the real folder, even if a link leads there", async (t) => {
  const { context } = workbench(t);
  mkdirSync(join(context.directory, "real"));
  symlinkSync("real", join(context.directory, "link"));
  symlinkSync(".", join(context.directory, "here"));
  const shell = createShellTool({ findSandbox: async () => null });
  const ask = (path?: string): unknown =>
    shell.permission({ command: "ls", ...(path === undefined ? {} : { path }) }, context);
  const warning =
    "This machine has no sandbox: the command can read, change and send everything that your user account can.";
  const plain = { action: "run", subject: "ls", preview: "ls", reads: [["."]], warning };
  assert.deepEqual(
    [await ask(), await ask("."), await ask("here"), await ask("link")],
    [plain, plain, plain, { ...plain, path: "real", preview: "ls\n(in real)", reads: [["real"]] }],
  );
});
