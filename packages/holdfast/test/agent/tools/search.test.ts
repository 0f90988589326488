import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { globTool } from "../../../src/agent/tools/glob.ts";
import { grepTool } from "../../../src/agent/tools/grep.ts";
import { listTool } from "../../../src/agent/tools/list.ts";
import { defaultToolSettings } from "../../../src/agent/tools/tool.ts";
import type { ToolContext } from "../../../src/agent/tools/tool.ts";
import { temporaryFolder, workbench } from "./workbench.ts";
import type { Workbench } from "./workbench.ts";

function project(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  options: Partial<ToolContext> = {},
): Workbench {
  const bench = workbench(t, options);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(bench.path(name)), { recursive: true });
    writeFileSync(bench.path(name), content);
  }
  return bench;
}

const tree = {
  ".gitignore": "# comment\n*.log\n/build\nout/\n!keep.log\n",
  ".git/config": "needle",
  "node_modules/x/index.js": "needle",
  "build/a.js": "needle",
  "src/a.ts": "one needle\r\ntwo\nNeedle",
  "src/b.ts": "nothing",
  "src/out/c.ts": "needle",
  "src/build/d.ts": "needle",
  "src/e.log": "needle",
  "src/keep.log": "needle",
  "src/sub/.gitignore": "f.ts\n",
  "src/sub/f.ts": "needle",
  "src/sub/g.ts": "needle",
  "image.bin": "needle\0",
};

test("grep skips ignored and binary files, .git and node_modules, unless everything is requested", async (t) => {
  const { use } = project(t, tree);
  assert.deepEqual(await use(grepTool, { pattern: "ne+dle" }), {
    status: "completed",
    output: [
      "src/a.ts:1:one needle",
      "src/build/d.ts:1:needle",
      "src/keep.log:1:needle",
      "src/sub/g.ts:1:needle",
    ].join("\n"),
    extra: { truncated: false },
  });
  const names = async (input: object): Promise<string[]> => {
    const request = grepTool.input.parse({ pattern: "needle", filesOnly: true, ...input });
    return (await use(grepTool, request)).output.split("\n");
  };
  assert.deepEqual(
    [
      (await names({ everything: true })).length,
      await names({ path: "src/e.log" }),
      await names({ pattern: "(?i)^NEEDLE$", include: "*.ts" }),
      await names({ pattern: "absent" }),
    ],
    [10, ["src/e.log"], ["src/a.ts", "src/build/d.ts", "src/sub/g.ts"], ["(no matches)"]],
  );
});

test("an ignored folder is searched if it is named; elsewhere the ignore rules apply", async (t) => {
  const { use } = project(t, tree);
  const find = async (path: string): Promise<string[]> =>
    (await use(globTool, { pattern: "*.{ts,js}", path })).output.split("\n");
  assert.deepEqual(
    [await find("node_modules"), await find("src/out"), await find("src/sub"), await find("build")],
    [["node_modules/x/index.js"], ["src/out/c.ts"], ["src/sub/g.ts"], ["build/a.js"]],
  );
});

test("ignore rules match those of git", async (t) => {
  const { use, directory } = project(t, {
    ...Object.fromEntries(Object.entries(tree).filter(([name]) => !name.startsWith(".git/"))),
    ".gitignore": "a*/b\n**/x/[pq].?\n\\#hash\n/top.txt\ndeep/**/end\n*.tmp\n!/one.tmp\ndir/\n  \n",
    "abc/b/c": "",
    "z/abc/b": "",
    "m/x/p.1": "",
    "m/x/r.1": "",
    "#hash": "",
    "top.txt": "",
    "m/top.txt": "",
    "deep/end": "",
    "deep/a/b/end": "",
    "one.tmp": "",
    "m/one.tmp": "",
    "dir/f": "",
    "m/dir": "",
  });
  const git = (...words: string[]): string =>
    execFileSync("git", words, { cwd: directory, encoding: "utf8" });
  git("init", "--quiet");
  const expected = git("ls-files", "--others", "--exclude-standard", "-z")
    .split("\0")
    .filter((name) => name !== "" && !name.startsWith("node_modules/"));
  const { output } = await use(globTool, { pattern: "**" });
  assert.deepEqual(output.split("\n").toSorted(), expected.toSorted());
});

test("a regular expression that never finishes is stopped, and earlier matches are returned", async (t) => {
  const files = { "a.txt": "aaab", "b.txt": `${"a".repeat(60)}!` };
  const since = performance.now();
  await project(t, files).use(grepTool, { pattern: "b" });
  // Enough to start the search and to find the first match, on a slow machine too.
  const searchTimeout = 500 + Math.ceil(5 * (performance.now() - since));
  const { use } = project(t, files, { settings: { ...defaultToolSettings, searchTimeout } });
  assert.deepEqual(await use(grepTool, { pattern: "^(a+)+b?$" }), {
    status: "completed",
    output: `a.txt:1:aaab\n[stopped after ${searchTimeout} ms; the result is incomplete]`,
    extra: { truncated: true },
  });
});

test("a search stops when the signal aborts", async (t) => {
  const stop = new AbortController();
  const { use } = project(t, { "a.txt": "first", "b.txt": `${"a".repeat(60)}!` });
  const searching = use(grepTool, { pattern: "^(a+)+$" }, { signal: stop.signal });
  stop.abort();
  assert.deepEqual(await searching, {
    status: "failed",
    output: "The run stopped before the call ended.",
  });
});

test("grep leaves out files that need permission, and says so", async (t) => {
  const { use } = project(
    t,
    { ".env": "KEY=needle", "a.txt": "needle" },
    { mayRead: (subject) => subject !== ".env" },
  );
  assert.deepEqual(await use(grepTool, { pattern: "needle" }), {
    status: "completed",
    output: "a.txt:1:needle\n[1 files skipped because reading them needs permission]",
    extra: { truncated: false },
  });
});

test("a search follows no links, opens no pipe and survives odd files", async (t) => {
  const { use, path } = project(t, {
    "long.txt": `${"x".repeat(1_000_000)}needle`,
    "cut.txt": `needle ${"y".repeat(1_000)}`,
    "new\nline.txt": "needle",
    "-n": "needle",
  });
  const outside = temporaryFolder(t);
  writeFileSync(join(outside, "secret.txt"), "needle");
  symlinkSync(outside, path("link"));
  symlinkSync(join(outside, "secret.txt"), path("link.txt"));
  symlinkSync(".", path("circle"));
  execFileSync("mkfifo", [path("pipe")]);
  const { output } = await use(grepTool, { pattern: "needle" });
  assert.deepEqual(output.split("\n"), [
    "-n:1:needle",
    `cut.txt:1:needle ${"y".repeat(493)} [... line cut]`,
    '"new\\nline.txt":1:needle',
  ]);
  const pipe = await use(grepTool, { pattern: "needle", path: "pipe" });
  assert.equal(pipe.output, "(no matches)");
  assert.deepEqual((await use(globTool, { pattern: "*.txt" })).output.split("\n"), [
    "cut.txt",
    "link.txt",
    "long.txt",
    '"new\\nline.txt"',
  ]);
  assert.deepEqual((await use(listTool, {})).output.split("\n"), [
    "-n (6 bytes)",
    "circle -> .",
    "cut.txt (1007 bytes)",
    `link -> ${outside}`,
    `link.txt -> ${join(outside, "secret.txt")}`,
    "long.txt (1000006 bytes)",
    '"new\\nline.txt" (6 bytes)',
    "pipe (not a file)",
  ]);
});

test("many matches are limited; bad expressions and paths are failures", async (t) => {
  const { use } = project(t, { "many.txt": "x\n".repeat(2_000), "other.txt": "x\n".repeat(2_000) });
  const { output, extra } = await use(grepTool, { pattern: "x" });
  assert.equal(output.split("\n").length, 501);
  assert.match(output, /\[more than 500 matches; use a narrower pattern\]$/);
  assert.deepEqual(extra, { truncated: true });
  assert.deepEqual(
    [
      await use(grepTool, { pattern: "(" }),
      await use(grepTool, { pattern: "x", path: "missing" }),
      await use(globTool, { pattern: "*", path: "many.txt" }),
      await use(globTool, { pattern: "*", path: ".." }),
      await use(listTool, { path: "many.txt" }),
    ],
    [
      {
        status: "failed",
        output: "Invalid regular expression: /(/: Unterminated group",
      },
      { status: "failed", output: "missing: it does not exist" },
      { status: "failed", output: "many.txt is not a folder" },
      { status: "failed", output: ".. is outside of the session's directory" },
      { status: "failed", output: "many.txt: a part of the path is a file, not a folder" },
    ],
  );
});
