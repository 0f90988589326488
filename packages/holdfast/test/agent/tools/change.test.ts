import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { editTool } from "../../../src/agent/tools/edit.ts";
import { hashOf } from "../../../src/agent/tools/files.ts";
import { readTool } from "../../../src/agent/tools/read.ts";
import { defaultToolSettings } from "../../../src/agent/tools/tool.ts";
import { writeTool } from "../../../src/agent/tools/write.ts";
import { temporaryFolder, workbench } from "./workbench.ts";

test("an edit changes exactly the given text and returns a diff", async (t) => {
  const { use, path, directory } = workbench(t);
  writeFileSync(path("a.ts"), "const a = 1;\nconst b = 2;\n");
  chmodSync(path("a.ts"), 0o754);
  await use(readTool, { path: "a.ts" });
  const diff = [
    "--- a/a.ts",
    "+++ b/a.ts",
    "@@ -1,2 +1,2 @@",
    "-const a = 1;",
    "-const b = 2;",
    "+const a = $&;",
    "+const c = 2;",
    "",
  ].join("\n");
  const edits = [
    { old: "a = 1", new: "a = $&" },
    { old: "const b", new: "const c" },
  ];
  assert.deepEqual(await use(editTool, { path: "a.ts", edits }), {
    status: "completed",
    output: `Changed a.ts\n${diff}`,
    extra: {
      seen: [{ path: path("a.ts"), hash: hashOf(readFileSync(path("a.ts"))) }],
      diff,
      change: { added: 2, removed: 2 },
    },
  });
  assert.equal(readFileSync(path("a.ts"), "utf8"), "const a = $&;\nconst c = 2;\n");
  assert.equal(statSync(path("a.ts")).mode & 0o7777, 0o754);
  assert.deepEqual(readdirSync(directory), ["a.ts"]);
});

test("an edit whose text nearly matches shows the actual text", async (t) => {
  const { use, path } = workbench(t);
  writeFileSync(path("a.ts"), "if (a) {\n\treturn b;\n}\n");
  await use(readTool, { path: "a.ts" });
  const why = async (old: string): Promise<string> =>
    (await use(editTool, { path: "a.ts", edits: [{ old, new: "x" }] })).output;
  assert.equal(
    await why("  return b;\n}"),
    "a.ts: the old text is not in the file; with other white space it is at line 2, exactly like this:\n\treturn b;\n}",
  );
  assert.match(await why("     2\t\treturn b;"), /without the line numbers, which are not part/);
  assert.match(await why("return c;"), /it must match exactly, including all white space$/);
  assert.match(await why("\n\n\n"), /it must match exactly, including all white space$/);
});

test("a read-only file is not changed, even if its folder is writable", async (t) => {
  const { use, path } = workbench(t);
  writeFileSync(path("a.txt"), "one\n", { mode: 0o444 });
  await use(readTool, { path: "a.txt" });
  const refused = {
    status: "failed",
    output: "a.txt is read-only. Ask the user before you make it writable.",
  };
  const edits = [{ old: "one", new: "two" }];
  assert.deepEqual(await use(editTool, { path: "a.txt", edits }), refused);
  assert.deepEqual(await use(writeTool, { path: "a.txt", content: "two\n" }), refused);
  assert.equal(readFileSync(path("a.txt"), "utf8"), "one\n");
});

test("if one edit does not match, no edit is applied", async (t) => {
  const { use, path } = workbench(t);
  const content = "one\ntwo\ntwo\n";
  writeFileSync(path("a.txt"), content);
  await use(readTool, { path: "a.txt" });
  const attempt = async (edits: { old: string; new: string; all?: boolean }[]): Promise<string> => {
    const { status, output } = await use(editTool, { path: "a.txt", edits });
    return `${status}: ${output}`;
  };
  assert.deepEqual(
    [
      await attempt([
        { old: "one", new: "1" },
        { old: "three", new: "3" },
      ]),
      await attempt([{ old: "two", new: "2" }]),
      await attempt([{ old: "", new: "2" }]),
      await attempt([{ old: "two", new: "two" }]),
    ],
    [
      "failed: a.txt: edit 2 of 2: the old text is not in the file; it must match exactly, including all white space",
      "failed: a.txt: the old text is in the file 2 times (lines 2, 3); add lines around it to make it unique, or set all",
      "failed: a.txt: the old text is empty; use write to create a file",
      "failed: a.txt: the old and the new text are the same",
    ],
  );
  assert.equal(readFileSync(path("a.txt"), "utf8"), content);
  await attempt([{ old: "two", new: "2", all: true }]);
  assert.equal(readFileSync(path("a.txt"), "utf8"), "one\n2\n2\n");
});

test("line ends and the byte order mark stay the same, even if line ends are mixed", async (t) => {
  const { use, path } = workbench(t);
  writeFileSync(path("crlf"), "\ufeffa\r\nb\r\nc\r\n");
  writeFileSync(path("mixed"), "a\r\nb\nc\r\nd\ne\n");
  for (const name of ["crlf", "mixed"]) await use(readTool, { path: name });
  await use(editTool, { path: "crlf", edits: [{ old: "a\nb", new: "A\nnew\nB" }] });
  await use(editTool, {
    path: "mixed",
    edits: [
      { old: "b\nc", new: "b\nnew\nc" },
      { old: "a\n", new: "A\nA\n" },
    ],
  });
  assert.equal(readFileSync(path("crlf"), "utf8"), "\ufeffA\r\nnew\r\nB\r\nc\r\n");
  assert.equal(readFileSync(path("mixed"), "utf8"), "A\r\nA\r\nb\nnew\nc\r\nd\ne\n");
  await use(writeTool, { path: "crlf", content: "x\ny\n" });
  assert.equal(readFileSync(path("crlf"), "utf8"), "\ufeffx\r\ny\r\n");
});

test("two sessions in one directory cannot overwrite each other's unseen changes", async (t) => {
  const one = workbench(t);
  const two = workbench(t, { directory: one.directory, sessionId: "s2" });
  writeFileSync(one.path("a.txt"), "a b");
  const unread = "failed: a.txt exists but was not read in this session. Read it first.";
  const stale = "failed: a.txt has changed since this session last read it. Read it again.";
  const edit = async (by: typeof one, old: string, next: string): Promise<string> => {
    const edits = [{ old, new: next }];
    const { status, output } = await by.use(editTool, { path: "a.txt", edits });
    return status === "failed" ? `${status}: ${output}` : status;
  };
  const overwritten = await two.use(writeTool, { path: "a.txt", content: "mine" });
  assert.equal(`${overwritten.status}: ${overwritten.output}`, unread);
  assert.equal(await edit(one, "a", "A"), unread);
  await one.use(readTool, { path: "a.txt" });
  await two.use(readTool, { path: "a.txt" });
  assert.equal(await edit(one, "a", "A"), "completed");
  assert.equal(await edit(two, "b", "B"), stale);
  await two.use(readTool, { path: "a.txt" });
  assert.equal(await edit(two, "b", "B"), "completed");
  assert.equal(await edit(one, "A", "x"), stale);
  assert.equal(readFileSync(one.path("a.txt"), "utf8"), "A B");
});

test("of several writers at the same time one succeeds, and the others get an error", async (t) => {
  const { use, path, directory } = workbench(t);
  writeFileSync(path("old"), "start");
  await use(readTool, { path: "old" });
  const race = async (name: string): Promise<unknown> => {
    const inputs = ["a", "b", "c", "d"].map((content) => ({ path: name, content }));
    const results = await Promise.all(inputs.map((input) => use(writeTool, input)));
    const winner = results.findIndex(({ status }) => status === "completed");
    assert.equal(readFileSync(path(name), "utf8"), inputs[winner]?.content);
    return results.filter(({ status }) => status === "failed").map(({ output }) => output);
  };
  for (const name of ["old", "new"]) {
    const told = `${name}: it was changed by another program just now; read it again`;
    assert.deepEqual(await race(name), [told, told, told]);
  }
  assert.deepEqual(readdirSync(directory).toSorted(), ["new", "old"]);
});

test("writing creates a file and its missing folders, under any name", async (t) => {
  const { use, path } = workbench(t);
  const names = ["deep/er/a.txt", "-rf", "two\nlines", "ü".repeat(127), ".hidden"];
  for (const name of names) {
    assert.equal((await use(writeTool, { path: name, content: name })).status, "completed");
    assert.equal(readFileSync(path(name), "utf8"), name);
  }
  const long = await use(writeTool, { path: "x".repeat(256), content: "" });
  assert.deepEqual(long, { status: "failed", output: `${"x".repeat(256)}: the name is too long` });
  assert.equal(statSync(path("-rf")).mode & 0o111, 0);
});

test("a file that is not text is not changed", async (t) => {
  const settings = { ...defaultToolSettings, maxFileBytes: 100 };
  const { use, path } = workbench(t, { settings });
  writeFileSync(path("binary"), "a\0b");
  writeFileSync(path("latin"), Buffer.from([0x61, 0xe4, 0x62]));
  writeFileSync(path("large"), "x".repeat(101));
  mkdirSync(path("folder"));
  execFileSync("mkfifo", [path("pipe")]);
  const outputs: string[] = [];
  for (const name of ["binary", "latin", "large", "folder", "pipe"]) {
    outputs.push((await use(writeTool, { path: name, content: "new" })).output);
  }
  outputs.push((await use(writeTool, { path: "grows", content: "x".repeat(101) })).output);
  assert.deepEqual(outputs, [
    "binary: it is a binary file",
    "latin: it is not UTF-8 text",
    "large: it has 101 bytes; the limit is 100",
    "folder: it is a folder, not a file",
    "pipe: it is not a regular file",
    "the new content has 101 bytes; the limit is 100",
  ]);
  assert.equal(readFileSync(path("binary"), "latin1"), "a\0b");
});

test("writes follow links inside the directory, and never out of it", async (t) => {
  const { use, path } = workbench(t);
  const outside = join(temporaryFolder(t), "outside");
  writeFileSync(outside, "keep");
  writeFileSync(path("real"), "old");
  symlinkSync("real", path("inner"));
  symlinkSync(outside, path("outer"));
  linkSync(outside, path("hard"));
  for (const name of ["inner", "outer", "hard"]) {
    await use(readTool, { path: name });
    await use(writeTool, { path: name, content: "new" });
  }
  assert.deepEqual(
    [
      readFileSync(path("real"), "utf8"),
      readFileSync(path("hard"), "utf8"),
      readFileSync(outside, "utf8"),
    ],
    ["new", "new", "keep"],
  );
});

test("the permission request shows the diff, and `touches` returns the old content", async (t) => {
  const { context, path, use } = workbench(t);
  writeFileSync(path("a.txt"), "old\n");
  await use(readTool, { path: "a.txt" });
  const input = { path: "./a.txt", content: "new\n" };
  assert.deepEqual(await writeTool.permission(input, context), {
    action: "change",
    subject: "a.txt",
    preview: "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-old\n+new\n",
    change: { added: 1, removed: 1, omitted: 0 },
  });
  assert.deepEqual(
    [
      await writeTool.touches?.(input, context),
      await writeTool.touches?.({ path: "b.txt", content: "" }, context),
      await writeTool.touches?.({ path: "../b.txt", content: "" }, context),
    ],
    [
      [{ path: path("a.txt"), before: Buffer.from("old\n") }],
      [{ path: path("b.txt"), before: null }],
      [],
    ],
  );
});

test("a stop before the file is replaced leaves it unchanged", async (t) => {
  const { use, path } = workbench(t);
  const result = await use(writeTool, { path: "a", content: "" }, { signal: AbortSignal.abort() });
  assert.deepEqual(result, {
    status: "failed",
    output: "The run stopped before the call ended.",
  });
  assert.equal(existsSync(path("a")), false);
});
