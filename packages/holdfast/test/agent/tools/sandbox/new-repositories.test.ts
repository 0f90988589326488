import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { test } from "node:test";
import { createShellTool } from "../../../../src/agent/tools/shell.ts";
import { needsSandbox } from "../../../support/needs-sandbox.ts";
import { workbench } from "../workbench.ts";

const commit = "git -c user.name=a -c user.email=b commit -q --allow-empty -m first";

test("a new repository without its own programs is kept and reported", needsSandbox, async (t) => {
  const { use, path } = workbench(t);
  const tool = createShellTool();
  const made = await use(tool, {
    command: `git init -q . && ${commit} && git init -q part && git remote add origin https://a.org/b.git`,
  });
  assert.equal(
    made.output,
    "(no output)\n[the command created a repository: .git]\n[the command created a repository: part/.git]",
  );
  assert.ok(existsSync(path("part/.git/HEAD")));
  const later = await use(tool, { command: `${commit} && git -C part status --short` });
  assert.equal(later.output, "(no output)");
});

test("a repository that would run a program is renamed and reported", needsSandbox, async (t) => {
  const { use, path } = workbench(t);
  const command = "git init -q part && git -C part config core.fsmonitor evil";
  const { output } = await use(createShellTool(), { command });
  assert.equal(
    output,
    '(no output)\n[renamed part/.git to .git.disabled: its config has the line "fsmonitor = evil". ' +
      "Git outside of the sandbox would use it.]",
  );
  assert.deepEqual(
    [existsSync(path("part/.git")), existsSync(path("part/.git.disabled/HEAD"))],
    [false, true],
  );
});

test(
  "a new commondir is renamed and reported, even in a known repository",
  needsSandbox,
  async (t) => {
    const { use, path } = workbench(t);
    execFileSync("git", ["init", "-q", path()]);
    const { output } = await use(createShellTool(), { command: "echo ../x > .git/commondir" });
    assert.equal(
      output,
      "(no output)\n[renamed .git/commondir to commondir.disabled: the command created it. " +
        "Git outside of the sandbox would use it.]",
    );
    assert.equal(existsSync(path(".git/commondir")), false);
  },
);

test(
  "a repository of the user is unchanged, wherever a command moves it",
  needsSandbox,
  async (t) => {
    const { use, path } = workbench(t);
    mkdirSync(path("mine"));
    execFileSync("git", ["init", "-q", path("mine")]);
    execFileSync("git", ["-C", path("mine"), "config", "filter.lfs.process", "git-lfs"]);
    const { output } = await use(createShellTool(), { command: "mv mine yours" });
    assert.deepEqual([output, existsSync(path("yours/.git/HEAD"))], ["(no output)", true]);
  },
);
