import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { defaultRules } from "../../../src/agent/permissions/default-rules.ts";
import { decidePermission } from "../../../src/agent/permissions/rules.ts";
import { commandReads } from "../../../src/agent/tools/command-reads.ts";
import { temporaryFolder, workbench } from "../tools/workbench.ts";

interface Project {
  readonly directory: string;
  /** Decides about a command line with the default rules. */
  readonly decide: (command: string, inSandbox?: boolean) => Promise<string>;
  /** Runs a command line and returns its output. */
  readonly run: (command: string) => string;
}

/** A directory with a secret file, in a folder with another secret file. */
function project(t: TestContext): Project {
  const folder = temporaryFolder(t);
  const directory = join(folder, "project");
  mkdirSync(join(directory, "docs"), { recursive: true });
  writeFileSync(join(folder, "outside.txt"), "SECRET\n");
  writeFileSync(join(directory, ".env"), "SECRET\n");
  writeFileSync(join(directory, "a.txt"), "a\n");
  writeFileSync(join(directory, "docs/a.txt"), "b\n");
  const { context } = workbench(t, { directory });
  return {
    directory,
    decide: async (command, inSandbox = true) => {
      const reads = await commandReads({ command, path: ".", inSandbox }, context);
      const request = { action: "run", subject: command, reads } as const;
      return decidePermission(defaultRules(), request, { directory });
    },
    run: (command) => {
      // Outside of the project's repository, git must not find the repository of another directory.
      const env = { PATH: process.env["PATH"], GIT_CEILING_DIRECTORIES: folder };
      const options = { cwd: directory, encoding: "utf8", env } as const;
      return spawnSync("bash", ["-c", command], options).stdout;
    },
  };
}

function git(directory: string, ...words: readonly string[]): void {
  const person = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
  execFileSync("git", [...person, ...words], { cwd: directory, stdio: "ignore" });
}

test("a command needs permission if .. follows a link, because the path then leads elsewhere", async (t) => {
  const { directory, decide, run } = project(t);
  mkdirSync(join(directory, "node_modules/@s"), { recursive: true });
  mkdirSync(join(directory, "packages/pkg"), { recursive: true });
  symlinkSync("../../packages/pkg", join(directory, "node_modules/@s/pkg"));
  for (const command of [
    "cat node_modules/@s/pkg/../../../outside.txt",
    "cat ./node_modules/@s/pkg/.././/../../outside.txt",
    "cd node_modules/@s/pkg && cat ../../../outside.txt",
    "cd node_modules && cat @s/pkg/../../../outside.txt",
    "cd node_modules/../node_modules/@s/pkg && cat ../../../outside.txt",
  ]) {
    assert.equal(run(command), "SECRET\n", command);
    assert.equal(await decide(command), "ask", command);
  }
  assert.equal(await decide("cd node_modules/@s/pkg && cat ../../a.txt"), "allow");
  assert.equal(await decide("cd docs && cat ../a.txt"), "allow");
});

test("a word after -- is a file even if it begins with a dash", async (t) => {
  const { directory, decide, run } = project(t);
  symlinkSync(".env", join(directory, "-x"));
  symlinkSync("../outside.txt", join(directory, "--y"));
  for (const command of [
    "cat -- -x",
    "cat -- --y",
    "head -n 1 -- -x",
    "grep -h -- S -x",
    "grep -h -- -*S -x",
    "sed -n -- p -x",
  ]) {
    assert.equal(run(command), "SECRET\n", command);
    assert.equal(await decide(command), "ask", command);
  }
  for (const command of ["cat -- a.txt", "grep -n -- -y a.txt", "ls -la -- docs"]) {
    assert.equal(await decide(command), "allow", command);
  }
  assert.equal(await decide("grep --include -- -r S"), "ask");
});

test("printf needs permission with %n, because bash then assigns a number to a variable such as PATH", async (t) => {
  const { directory, decide, run } = project(t);
  mkdirSync(join(directory, "4"));
  writeFileSync(join(directory, "4/ls"), "#!/bin/sh\necho PWNED\n", { mode: 0o755 });
  for (const format of ["1234%n", "1234%5n", "1%%34%ln", "%s34%-*n", "%(12)T%3$n", "%%%n", "-%n"]) {
    assert.equal(await decide(`printf -- '${format}' PATH; ls`), "ask", format);
  }
  assert.equal(await decide("printf '1234%n' PATH; ls"), "ask");
  assert.match(run("printf '1234%n' PATH; ls"), /PWNED/);
  for (const text of [
    "%s\\n' a",
    "%-10s|%5.2f %%n\\n' a 1",
    "%d %ld %x %q %b' 1 2 3 4 5",
    "%(%F)T'",
  ]) {
    assert.equal(await decide(`printf '${text}`), "allow", text);
  }
});

test("a wildcard needs permission if it may match a file whose name is an option", async (t) => {
  const { directory, decide, run } = project(t);
  const globs = ["wc -*", "wc *0-from*", "wc ?-files0*", "du -*", "cd docs && wc *"];
  assert.equal(await decide("wc -l *"), "allow");
  writeFileSync(join(directory, "--files0-from=.env"), "");
  writeFileSync(join(directory, "docs/--files0-from=a.txt"), "");
  assert.match(run("wc -* 2>&1"), /SECRET/);
  for (const command of globs) assert.equal(await decide(command), "ask", command);
  for (const command of ["wc docs/*", "wc ./*", "wc a*", "wc a.txt"]) {
    assert.equal(await decide(command), "allow", command);
  }
});

test("a comparison of folders needs permission, because it prints files that it does not name", async (t) => {
  const { directory, decide, run } = project(t);
  writeFileSync(join(directory, "docs/.env"), "x\n");
  const plain = ["diff docs .", "diff -N docs .", "diff --unidirectional-new-file docs ."];
  const ofGit = ["git diff docs .", "git diff -- docs .", "git diff --no-index docs ."];
  for (const command of [...plain, ...ofGit]) {
    assert.match(run(command), /SECRET/, command);
    assert.equal(await decide(command), "ask", command);
  }
  git(directory, "init", "-q");
  for (const command of ["git diff --no-index docs .", "git diff --no-i -- docs ."]) {
    assert.equal(await decide(command), "ask", command);
  }
  assert.equal(await decide("diff a.txt docs"), "ask");
  assert.equal(await decide("diff -u a.txt docs/a.txt"), "allow");
  assert.equal(await decide("git diff HEAD~1 -- docs"), "allow");
  assert.equal(await decide("git diff a.txt docs/a.txt"), "allow");
});

test("without a sandbox, git needs permission if a nested repository could run a program", async (t) => {
  const { directory, decide, run } = project(t);
  const nested = join(directory, "docs/sub");
  const evil = join(directory, "../evil.sh");
  const trace = join(directory, "../PWNED");
  git(directory, "init", "-q");
  assert.equal(await decide("git status", false), "allow");
  git(directory, "init", "-q", nested);
  git(nested, "commit", "-q", "--allow-empty", "-m", "a");
  git(directory, "add", "docs/sub");
  writeFileSync(evil, `#!/bin/sh\ntouch '${trace}'\n`);
  chmodSync(evil, 0o755);
  git(nested, "config", "core.fsmonitor", evil);
  for (const command of ["git status", "git diff", "cd docs && git status"]) {
    assert.equal(await decide(command, false), "ask", command);
    assert.equal(await decide(command, true), "allow", command);
  }
  run("git status");
  assert.equal(existsSync(trace), true);
});

test("without a sandbox, git needs permission in a bare repository", async (t) => {
  const { directory, decide, run } = project(t);
  const bare = join(directory, "docs/bare");
  const evil = join(directory, "../evil.sh");
  const trace = join(directory, "../PWNED");
  git(directory, "init", "-q");
  git(directory, "init", "-q", "--bare", bare);
  writeFileSync(evil, `#!/bin/sh\ntouch '${trace}'\n`);
  chmodSync(evil, 0o755);
  git(bare, "config", "core.bare", "false");
  git(bare, "config", "core.worktree", directory);
  git(bare, "config", "core.fsmonitor", evil);
  for (const command of ["cd docs/bare && git status", "cd docs/bare/refs && git status"]) {
    assert.equal(await decide(command, false), "ask", command);
  }
  run("cd docs/bare && git status");
  assert.equal(existsSync(trace), true);
});

test("without a sandbox, git needs permission if the config names another working tree", async (t) => {
  const { directory, decide } = project(t);
  git(directory, "init", "-q");
  git(directory, "config", "core.worktree", temporaryFolder(t));
  assert.equal(await decide("git status", false), "ask");
});

test("without a sandbox, git needs permission in a tree that is too large to search for nested repositories", async (t) => {
  const { directory, decide } = project(t);
  git(directory, "init", "-q");
  for (let at = 0; at < 20_000; at += 1) mkdirSync(join(directory, `docs/${at}`));
  assert.equal(await decide("git status", false), "ask");
});
