import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { decidePermission } from "../../../src/agent/permissions/rules.ts";
import { temporaryFolder } from "../tools/workbench.ts";

/** Creates a repository with a commit and a program `evil`. Returns a function that tells if a line runs the program. */
function repository(t: TestContext): { shell: (line: string) => void; runsEvil: Runs } {
  const directory = temporaryFolder(t);
  const trace = join(directory, "PWNED");
  const shell = (line: string): void => {
    const env = { PATH: process.env["PATH"], HOME: directory };
    spawnSync("bash", ["-c", line], { cwd: directory, stdio: "ignore", env });
  };
  writeFileSync(join(directory, "evil"), `#!/bin/sh\ntouch '${trace}'\n`);
  chmodSync(join(directory, "evil"), 0o755);
  shell("git init -q && git config user.name a && git config user.email a@example.com");
  shell("touch a && git add a && git commit -qm a");
  const runsEvil = (line: string): boolean => {
    rmSync(trace, { force: true });
    shell(line);
    return existsSync(trace);
  };
  return { shell, runsEvil };
}

type Runs = (line: string) => boolean;

function decide(subject: string, pattern = "git *"): string {
  return decidePermission([{ action: "run", pattern, effect: "allow" }], {
    action: "run",
    subject,
  });
}

test("the rule git * does not allow a subcommand that runs a program of its arguments or of an alias", (t) => {
  const { shell, runsEvil } = repository(t);
  shell("git config alias.st '!./evil' && cp evil .git/hooks/x");
  shell("git checkout -qb b && echo 1 > a && git commit -qam b && git checkout -q -");
  shell("echo 2 > a && git commit -qam c && git merge -q b");
  for (const line of [
    "git ls-remote --upload-pack=./evil .",
    "git ls-remote --exec=./evil .",
    "git archive --remote=. --exec=./evil HEAD",
    "git fetch-pack --exec=./evil . HEAD",
    "git merge-index ./evil -a",
    "git hook run x",
    "git st",
  ]) {
    assert.equal(runsEvil(line), true, line);
    assert.equal(decide(line), "ask", line);
  }
  assert.equal(decide("git shell -c x"), "ask");
  assert.equal(decide("git lfs pull"), "ask");
});

test("a rule that names a subcommand does not allow its options that run a program or write elsewhere", () => {
  for (const [pattern, subject] of [
    ["git ls-remote *", "git ls-remote --upl=./evil ."],
    ["git archive *", "git archive --remote=. --exec=./evil HEAD"],
    ["git archive *", "git archive -o ../x.tar HEAD"],
    ["git apply *", "git apply --unsafe-paths a.patch"],
    ["git init *", "git init --template=/tmp/evil"],
    ["git format-patch *", "git format-patch -o /tmp HEAD~1"],
    ["git stash *", "git stash show -p --output=/tmp/x"],
    ["git gc *", "git gc --cruft --expire-to=/tmp/x"],
  ] as const) {
    assert.equal(decide(subject, pattern), "ask", subject);
  }
});

test("the rule git * allows usual subcommands, and a rule that names another subcommand allows that one", () => {
  for (const line of [
    "git add -A",
    "git am a.mbox",
    "git apply --check a.patch",
    "git archive HEAD",
    "git clean -fd",
    "git commit -m x",
    "git fetch origin",
    "git gc --prune=now",
    "git init -q",
    "git ls-remote --exit-code origin",
    "git notes list",
    "git stash push -m x",
    "git worktree add ../other",
  ]) {
    assert.equal(decide(line), "allow", line);
  }
  assert.equal(decide("git lfs pull", "git lfs *"), "allow");
  assert.equal(decide("git bisect good", "git bisect *"), "allow");
});
