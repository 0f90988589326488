import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createShellTool } from "../../../src/agent/tools/shell.ts";
import { defaultToolSettings } from "../../../src/agent/tools/tool.ts";
import type { ToolSettings } from "../../../src/agent/tools/tool.ts";
import { needsSandbox } from "../../support/needs-sandbox.ts";
import { processesOf } from "./processes-of.ts";
import { temporaryFolder, workbench } from "./workbench.ts";
import { gitFolders } from "../../../src/agent/tools/sandbox/git-places.ts";

const plain = createShellTool({ findSandbox: async () => null, killAfter: 200 });
const noSandbox = "[ran without a sandbox: none works on this machine]";

function withShell(shell: Partial<ToolSettings["shell"]>): { settings: ToolSettings } {
  const settings = { ...defaultToolSettings, shell: { ...defaultToolSettings.shell, ...shell } };
  return { settings };
}

/** Numbers on lines of their own, as `seq` prints them. */
function numbers(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join("");
}

test("a command's output keeps its order and has the exit code", async (t) => {
  const { use, progress } = workbench(t);
  const command = "echo one; echo two >&2; printf 'th\\033[1mree\\n'; exit 3";
  assert.deepEqual(await use(plain, { command }), {
    status: "failed",
    output: `one\ntwo\nthree\n[exit code 3]\n${noSandbox}`,
    extra: { exitCode: 3, truncated: false, sandbox: "none" },
  });
  assert.equal(progress.join(""), "one\ntwo\nth\u001b[1mree\n");
  assert.deepEqual(await use(plain, { command: "true" }), {
    status: "completed",
    output: `(no output)\n${noSandbox}`,
    extra: { exitCode: 0, truncated: false, sandbox: "none" },
  });
});

test("a command has no stdin to wait for", async (t) => {
  const { use } = workbench(t);
  const { output } = await use(plain, { command: "cat; read x || echo none" });
  assert.equal(output, `none\n${noSandbox}`);
});

test("an output of 200 MB uses little memory, does not block, and keeps both ends", async (t) => {
  const { use, progress } = workbench(t, withShell({ maxOutput: 1_000 }));
  const before = process.memoryUsage().rss;
  const { output, extra } = await use(plain, { command: "seq 1 25000000" });
  // The chunks that Node.js has not collected yet take up to 75 MB.
  assert.ok(process.memoryUsage().rss - before < 150_000_000, "memory grew");
  const head = numbers(1, 500).slice(0, 500);
  const tail = numbers(24_999_900, 25_000_000).slice(-500);
  assert.equal(output, `${head}\n[... 213887897 bytes left out ...]\n${tail}${noSandbox}`);
  assert.deepEqual(extra, { exitCode: 0, truncated: true, sandbox: "none" });
  assert.ok(progress.join("").length < 300_000);
});

test("C5 after its timeout the whole process group ends, even if it ignores SIGTERM", async (t) => {
  const { use, directory, path } = workbench(t);
  const stubborn = path("stubborn.sh");
  writeFileSync(stubborn, `trap '' TERM; echo up; while :; do sleep 1; done`);
  // Without their environment, processes are identified only by their process group.
  const start = `env -i PATH="$PATH" bash ${stubborn}`;
  const command = `trap '' TERM; ${start} & ${start} | cat & wait`;
  const { status, output, extra } = await use(plain, { command, timeout: 300 });
  assert.deepEqual(
    { status, last: output.split("\n").at(-2), extra, left: processesOf(directory) },
    {
      status: "failed",
      last: "[timed out after 300 ms]",
      extra: { exitCode: null, truncated: false, sandbox: "none" },
      left: [],
    },
  );
});

test("C5 a stop ends the command and all processes that it started", async (t) => {
  const stop = new AbortController();
  const { use, directory, path } = workbench(t, {
    signal: stop.signal,
    progress: (text) => {
      if (text.includes("up")) stop.abort();
    },
  });
  writeFileSync(path("child.sh"), "trap '' TERM; (sleep 100 & echo up; wait)");
  assert.deepEqual(await use(plain, { command: `bash ${path("child.sh")}` }), {
    status: "failed",
    output: `up\n[stopped because the run was stopped]\n${noSandbox}`,
    extra: { exitCode: null, truncated: false, sandbox: "none" },
  });
  assert.deepEqual(processesOf(directory), []);
  const late = await use(plain, { command: "echo no" });
  assert.equal(late.output, `(no output)\n[stopped because the run was stopped]\n${noSandbox}`);
});

test("background processes end with the command, even in their own session", async (t) => {
  const { use, directory, path } = workbench(t);
  writeFileSync(path("server.sh"), "trap '' TERM HUP; while :; do sleep 1; done");
  const command = `bash ${path("server.sh")} & setsid bash ${path("server.sh")} & echo done`;
  const { status, output } = await use(plain, { command });
  assert.deepEqual(
    { status, output, left: processesOf(directory) },
    { status: "completed", output: `done\n${noSandbox}`, left: [] },
  );
});

test("a daemon without environment, terminal or open files ends with the command", async (t) => {
  const { use, directory, path } = workbench(t);
  const close = 'exec 0<&- 1>&- 2>&-; for fd in 3 4 5 6 7 8 9; do eval "exec $fd>&-"; done';
  writeFileSync(path("daemon.sh"), `trap '' TERM HUP; ${close}; while :; do sleep 1; done`);
  const start = `setsid -f env -i /bin/sh ${path("daemon.sh")} </dev/null >/dev/null 2>&1`;
  const { status, output } = await use(plain, { command: `${start}; echo done` });
  assert.deepEqual(
    { status, output, left: processesOf(directory) },
    { status: "completed", output: `done\n${noSandbox}`, left: [] },
  );
});

test("an editor does not block a command, and control characters are removed from the output", async (t) => {
  const { use } = workbench(t);
  const environment = { PATH: process.env["PATH"], EDITOR: "cat /dev/zero", HOME: "/nowhere" };
  const tool = createShellTool({ findSandbox: async () => null, environment });
  const line = "$EDITOR x; $GIT_EDITOR x; printf 'a\\0b\\bc\\td\\033[31me\\n'";
  const { status, output } = await use(tool, { command: line, timeout: 60_000 });
  assert.deepEqual([status, output.split("\n")[0]], ["completed", "a\ufffdbc\tde"]);
});

test("a command gets only variables that are known to be harmless, and those that the config names", async (t) => {
  const { use } = workbench(t, withShell({ variables: ["DATABASE_URL", "NOT_SET"] }));
  const environment = {
    PATH: process.env["PATH"],
    HOME: "/folder/somebody",
    LANG: "C.UTF-8",
    LC_ALL: "C",
    EDITOR: "vi",
    GIT_AUTHOR_NAME: "Somebody",
    NODE_ENV: "test",
    DATABASE_URL: "postgres://me:password@localhost/db",
    ANTHROPIC_API_KEY: "secret",
    OPENAI_BASE: "secret",
    MY_SERVICE: "secret",
    SSH_AUTH_SOCK: "secret",
    HOLDFAST_MASTER: "secret",
    HTTPS_PROXY: "https://me:secret@proxy.org",
    GOPROXY: "sk-secret",
  };
  const tool = createShellTool({ findSandbox: async () => null, environment });
  const { output } = await use(tool, { command: "env | sort" });
  const lines = output.split("\n").filter((line) => /^[A-Z_]+=/.test(line));
  const own = lines.filter((line) => !/^(PATH|PWD|OLDPWD|SHLVL|_|HOLDFAST_CALL)=/.test(line));
  assert.deepEqual(own, [
    "DATABASE_URL=postgres://me:password@localhost/db",
    "EDITOR=true",
    "GIT_AUTHOR_NAME=Somebody",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM=1",
    "GIT_EDITOR=true",
    "GIT_PAGER=cat",
    "GIT_SEQUENCE_EDITOR=true",
    "GIT_TERMINAL_PROMPT=0",
    "HOME=/folder/somebody",
    "LANG=C.UTF-8",
    "LC_ALL=C",
    "NODE_ENV=test",
    "NO_COLOR=1",
    "PAGER=cat",
    "TERM=dumb",
    "VISUAL=true",
  ]);
});

test("without a required sandbox nothing runs", async (t) => {
  const { use, path } = workbench(t, withShell({ sandbox: "required" }));
  const result = await use(plain, { command: `touch ${path("ran")}` });
  assert.deepEqual(result, {
    status: "failed",
    output:
      "The command was not run: the config requires a sandbox, but none works on this machine. See `holdfast doctor`.",
  });
  assert.deepEqual(readdirSync(path()), []);
});

test("a disabled sandbox is reported", async (t) => {
  const { use } = workbench(t, withShell({ sandbox: "off" }));
  const { output } = await use(createShellTool(), { command: "echo hi" });
  assert.equal(output, "hi\n[ran without a sandbox: it is turned off in the config]");
});

test(
  "in a sandbox only the directory can be written, and /tmp is private",
  needsSandbox,
  async (t) => {
    const { use, path } = workbench(t, withShell({ sandbox: "required", network: false }));
    const outside = temporaryFolder(t);
    const command = [
      "echo in > inside.txt",
      `echo out > ${join(outside, "out.txt")} || echo refused`,
      "touch /etc/holdfast-test || echo read-only",
      "echo mine > /tmp/private && cat /tmp/private",
      "(echo > /dev/tcp/127.0.0.1/1) 2>/dev/null || echo no network",
      "exit 4",
    ].join("\n");
    const { status, output, extra } = await use(createShellTool(), { command });
    assert.deepEqual(extra, { exitCode: 4, truncated: false, sandbox: "bwrap" });
    assert.equal(status, "failed");
    assert.equal(
      output.replaceAll(/^.*(?:No such file|Read-only file).*\n/gm, ""),
      "refused\nread-only\nmine\nno network\n[exit code 4]",
    );
    assert.deepEqual(
      [readFileSync(path("inside.txt"), "utf8"), readdirSync(outside)],
      ["in\n", []],
    );
  },
);

test(
  "in a sandbox, commits work in a subfolder of a repository and in an additional working tree",
  needsSandbox,
  async (t) => {
    const folder = temporaryFolder(t);
    const [main, tree] = [join(folder, "main"), join(folder, "tree")];
    const git = (...words: string[]): string =>
      execFileSync("git", ["-C", main, "-c", "user.name=a", "-c", "user.email=b", ...words], {
        encoding: "utf8",
      });
    mkdirSync(join(main, "part"), { recursive: true });
    git("init", "-q", "-b", "main");
    git("commit", "-q", "--allow-empty", "-m", "first");
    git("worktree", "add", "-q", "-b", "other", tree);
    const commit = async (directory: string): Promise<string> => {
      const { use } = workbench(t, { directory, ...withShell({ sandbox: "required" }) });
      const command = [
        "echo hi > a.txt && git add a.txt && git -c user.name=a -c user.email=b commit -q -m second",
        `for file in hooks/x config; do touch ${main}/.git/$file 2>/dev/null && echo $file; done`,
        "true",
      ].join("\n");
      return (await use(createShellTool(), { command })).output;
    };
    for (const [directory, branch] of [
      [join(main, "part"), "main"],
      [tree, "other"],
    ] as const) {
      assert.equal(await commit(directory), "(no output)");
      assert.equal(git("log", "-1", "--format=%s", branch).trim(), "second");
    }
    // The sandbox does not trust a `.git` file of the directory that names another folder.
    rmSync(join(tree, ".git"));
    writeFileSync(join(tree, ".git"), `gitdir: ${folder}\n`);
    assert.deepEqual(await gitFolders(tree), []);
  },
);

test("C5 a stop ends a sandbox and all processes in it", needsSandbox, async (t) => {
  const stop = new AbortController();
  const { use, directory, path } = workbench(t, {
    signal: stop.signal,
    progress: () => stop.abort(),
  });
  writeFileSync(path("child.sh"), "trap '' TERM; setsid sleep 100 & echo up; sleep 100");
  const { output } = await use(createShellTool({ killAfter: 200 }), {
    command: `bash ${path("child.sh")}`,
  });
  assert.equal(output, "up\n[stopped because the run was stopped]");
  assert.deepEqual(processesOf(directory), []);
});

test("a command that cannot be started, or is invalid, is a failed result", async (t) => {
  const { use, directory } = workbench(t);
  const odd = createShellTool({
    findSandbox: async () => ({
      name: "odd",
      wrap: () => ({ command: [join(directory, "missing")], inputs: [], status: null }),
    }),
  });
  const { status, output } = await use(odd, { command: "true" });
  assert.equal(status, "failed");
  assert.match(output, /^\(no output\)\n\[could not be started: spawn .* ENOENT\]$/);
  assert.deepEqual(await use(plain, { command: "a\0b" }), {
    status: "failed",
    output: "a command cannot contain a NUL character",
  });
  const syntax = await use(plain, { command: "if" });
  assert.match(syntax.output, /syntax error/);
});
