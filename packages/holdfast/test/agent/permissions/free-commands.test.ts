import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { limitSettings } from "../../../src/agent/coding/limit-settings.ts";
import type { PermissionRule } from "../../../src/agent/permissions/rule.ts";
import { defaultRules } from "../../../src/agent/permissions/default-rules.ts";
import { decidePermission } from "../../../src/agent/permissions/rules.ts";
import { commandReads } from "../../../src/agent/tools/command-reads.ts";
import { defaultToolSettings } from "../../../src/agent/tools/tool.ts";
import { temporaryFolder, workbench } from "../tools/workbench.ts";

interface Options {
  readonly own?: readonly PermissionRule[];
  readonly path?: string;
  readonly inSandbox?: boolean;
}

type Decide = (command: string, options?: Options) => Promise<string>;

/** Decides about command lines in a repository with a secret file and links that lead elsewhere. */
function project(t: TestContext): Decide {
  const { directory, context, path } = workbench(t);
  mkdirSync(path("src"));
  for (const name of ["a.txt", ".env", "src/b.ts"]) writeFileSync(path(name), "x\n");
  symlinkSync("/etc/passwd", path("link"));
  symlinkSync(".env", path("secret-link"));
  symlinkSync("/etc", path("folder-link"));
  execFileSync("git", ["init", "-q", directory]);
  return async (command, { own = [], path: folder = ".", inSandbox = false } = {}) => {
    const reads = await commandReads({ command, path: folder, inSandbox }, context);
    const request = { action: "run", subject: command, path: folder, reads } as const;
    return decidePermission([...defaultRules(), ...own], request, { directory });
  };
}

test("a command that only reads files of the directory needs no permission", async (t) => {
  const decide = project(t);
  for (const command of [
    "ls -la",
    "ls *.txt src/*",
    "cat a.txt",
    "cat ./a.txt src/b.ts | head -5",
    "head -n 20 a.txt && tail -5 a.txt",
    "grep -n /api/v1 a.txt 2>/dev/null",
    "sed -n '1,20p' src/b.ts",
    "wc -l src/*.ts",
    "find . -name '*.ts' -type f",
    "sort -k2,2 -n a.txt | uniq -c",
    "cut -d: -f1 a.txt",
    "echo /etc/passwd",
    "git status",
    "git --no-pager log --oneline -5",
    "git diff HEAD~1 -- src",
    "pwd; whoami",
  ]) {
    assert.equal(await decide(command), "allow", command);
  }
  assert.equal(await decide("cat b.ts", { path: "src" }), "allow");
  assert.equal(await decide("cd src && cat b.ts"), "allow");
});

test("a command needs permission if it could read a secret, a file outside of the directory, or files that its words do not name", async (t) => {
  const decide = project(t);
  for (const command of [
    "cat .env",
    "cat < .env",
    "cat /etc/passwd",
    "cat ../other",
    "cat src/../../other",
    "cat link",
    "cat secret-link",
    "cat folder-link/passwd",
    "cat *",
    "cat ~/.ssh/id_rsa",
    "grep -e x .env",
    "grep -f.env a.txt",
    "grep --file=.env a.txt",
    "grep x .env",
    "grep -rn x .",
    "grep -R x",
    "rg x",
    "git show HEAD:.env",
    "git grep --no-index x",
    "git grep --untr x",
    "awk 'BEGIN { ARGV[1] = \"/etc/passwd\"; ARGC = 2 } 1'",
    "sort --files0-from=list",
    "strings @list",
    "diff -r src /tmp",
    "cd /etc && cat passwd",
    "ls /root",
    "ps -ef",
    "echo x > a.txt",
    "cat a.txt; touch b",
  ]) {
    assert.equal(await decide(command), "ask", command);
  }
  assert.equal(await decide("cat passwd", { path: "/etc" }), "ask");
});

test("a command that reads an allowed path needs permission if the run is limited to other directories", async (t) => {
  const shared = temporaryFolder(t);
  const { directory, context } = workbench(t);
  const whole = { ...defaultToolSettings, allowedPaths: [shared] };
  const decide = async (command: string, limit: readonly string[] | null): Promise<string> => {
    const settings = limitSettings(whole, limit);
    const line = { command, path: ".", inSandbox: true };
    const reads = await commandReads(line, { ...context, settings });
    return decidePermission(defaultRules(whole), { action: "run", subject: command, reads });
  };
  for (const command of [`cat ${shared}/a.txt`, `ls ${shared}`, `cd ${shared} && cat a.txt`]) {
    assert.equal(await decide(command, null), "allow", command);
    assert.equal(await decide(command, [directory, shared]), "allow", command);
    assert.equal(await decide(command, [directory]), "ask", command);
  }
  assert.equal(await decide("ls", [directory]), "allow");
});

test("a rule that asks about a reading command or denies reading a file wins", async (t) => {
  const decide = project(t);
  const ask: PermissionRule = { action: "run", pattern: "git *", effect: "ask" };
  assert.equal(await decide("git status", { own: [ask] }), "ask");
  const all: PermissionRule = { action: "run", pattern: "*", effect: "ask" };
  assert.equal(await decide("cat a.txt", { own: [all] }), "ask");
  const deny: PermissionRule = { action: "read", pattern: "a.txt", effect: "deny" };
  assert.equal(await decide("cat a.txt", { own: [deny] }), "ask");
});

test("without a sandbox, git needs permission in a repository whose config could run a program", async (t) => {
  const { directory, context } = workbench(t);
  execFileSync("git", ["init", "-q", directory]);
  const decide = async (inSandbox: boolean): Promise<string> => {
    const reads = await commandReads({ command: "git status", path: ".", inSandbox }, context);
    return decidePermission(defaultRules(), { action: "run", subject: "git status", reads });
  };
  assert.deepEqual([await decide(false), await decide(true)], ["allow", "allow"]);
  execFileSync("git", ["-C", directory, "config", "core.fsmonitor", "touch PWNED"]);
  assert.deepEqual([await decide(false), await decide(true)], ["ask", "allow"]);
});

test("a reading command after an allowed one needs no rule of its own", async (t) => {
  const decide = project(t);
  const own: PermissionRule[] = [{ action: "run", pattern: "npm test *", effect: "allow" }];
  assert.equal(await decide("npm test 2>&1 | tail -20", { own }), "allow");
  assert.equal(await decide("npm test | tee log", { own }), "ask");
});
