import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readEnvironment, readGitState } from "../../../src/agent/coding/environment.ts";
import { temporaryFolder } from "../tools/workbench.ts";

function git(directory: string, ...words: readonly string[]): void {
  const who = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
  execFileSync("git", [...who, ...words], { cwd: directory, stdio: "ignore" });
}

test("branch and unfinished operations are read from git's files, in subfolders and worktrees too", async (t) => {
  const folder = temporaryFolder(t);
  const root = join(folder, "app");
  mkdirSync(join(root, "src"), { recursive: true });
  assert.equal(await readGitState(root), null);
  git(root, "init", "-q", "-b", "main");
  git(root, "commit", "-q", "--allow-empty", "-m", "first");
  git(root, "worktree", "add", "-q", "-b", "feature/one", join(folder, "tree"));
  const main = { branch: "main", unfinished: null };
  assert.deepEqual(await readGitState(join(root, "src")), main);
  assert.deepEqual(await readGitState(join(folder, "tree")), { ...main, branch: "feature/one" });
  writeFileSync(join(root, ".git/MERGE_HEAD"), "0".repeat(40));
  assert.deepEqual(await readGitState(root), { ...main, unfinished: "merge" });
  git(join(folder, "tree"), "checkout", "-q", "--detach");
  assert.deepEqual(await readGitState(join(folder, "tree")), { branch: null, unfinished: null });
});

test("no program of a repository's config runs, and odd files of a repository do no harm", async (t) => {
  const root = temporaryFolder(t);
  git(root, "init", "-q", "-b", "main");
  const trap = join(root, "trap.sh");
  writeFileSync(trap, "#!/bin/sh\ntouch trapped\n", { mode: 0o755 });
  git(root, "config", "core.fsmonitor", trap);
  assert.deepEqual(await readGitState(root), { branch: "main", unfinished: null });
  assert.throws(() => execFileSync("ls", [join(root, "trapped")], { stdio: "ignore" }));
  const odd = join(root, "odd");
  mkdirSync(join(odd, ".git"), { recursive: true });
  execFileSync("mkfifo", [join(odd, ".git/HEAD")]);
  assert.deepEqual(await readGitState(odd), { branch: null, unfinished: null });
  writeFileSync(join(root, ".git/HEAD"), `ref: refs/heads/${"x".repeat(1_000)}\n`);
  assert.deepEqual(await readGitState(root), { branch: null, unfinished: null });
});

test("the environment contains the date without the time of day", async (t) => {
  const { date } = await readEnvironment(temporaryFolder(t), Date.UTC(2026, 0, 2, 12));
  assert.equal(date, "2026-01-02");
});
