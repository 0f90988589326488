import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, openSync, closeSync, ftruncateSync, writeFileSync, writeSync } from "node:fs";
import { test } from "node:test";
import { hashOf } from "../../../src/agent/tools/files.ts";
import { readTool } from "../../../src/agent/tools/read.ts";
import { defaultToolSettings } from "../../../src/agent/tools/tool.ts";
import { workbench } from "./workbench.ts";

test("lines are numbered, and the file counts as seen", async (t) => {
  const { use, path } = workbench(t);
  const content = "\ufeffone\r\ntwo\n\nfour";
  writeFileSync(path("a.txt"), content);
  assert.deepEqual(await use(readTool, { path: "a.txt" }), {
    status: "completed",
    output: "     1\tone\n     2\ttwo\n     3\t\n     4\tfour",
    extra: {
      seen: [{ path: path("a.txt"), hash: hashOf(Buffer.from(content)) }],
      truncated: false,
    },
  });
});

test("reading a page from the middle of a file says how to continue, and the whole file counts as seen", async (t) => {
  const { use, path } = workbench(t);
  const content = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join("");
  writeFileSync(path("a.txt"), content);
  const extra = {
    seen: [{ path: path("a.txt"), hash: hashOf(Buffer.from(content)) }],
    truncated: true,
  };
  assert.deepEqual(
    [
      await use(readTool, { path: "a.txt", offset: 4, limit: 2 }),
      await use(readTool, { path: "a.txt", offset: 10, limit: 2 }),
      await use(readTool, { path: "a.txt", offset: 11 }),
    ],
    [
      {
        status: "completed",
        output: "     4\tline 4\n     5\tline 5\n[lines up to 5 of 10; continue with offset 6]",
        extra,
      },
      { status: "completed", output: "    10\tline 10", extra },
      { status: "failed", output: "a.txt has 10 lines; there is no line 11." },
    ],
  );
});

test("a huge file is read in pages and cannot be changed", async (t) => {
  const { use, path } = workbench(t);
  const file = openSync(path("huge.log"), "w");
  writeSync(file, "first\nsecond\n");
  writeSync(file, "x".repeat(100_000));
  writeSync(file, `\n${"after\n".repeat(50_000)}`);
  // A sparse file: it occupies no disk space, but reading it would need all the memory.
  ftruncateSync(file, 50_000_000_000);
  closeSync(file);
  const before = process.memoryUsage().rss;
  assert.deepEqual(await use(readTool, { path: "huge.log", limit: 3 }), {
    status: "completed",
    output: [
      "     1\tfirst",
      "     2\tsecond",
      `     3\t${"x".repeat(2000)} [... line cut]`,
      "[lines up to 3 of many more; continue with offset 4]",
      "[the file is too large to be changed with edit or write]",
    ].join("\n"),
    extra: { seen: [], truncated: true },
  });
  assert.ok(process.memoryUsage().rss - before < 100_000_000);
});

test("the output is limited in bytes and in lines", async (t) => {
  const { use, path } = workbench(t, { settings: { ...defaultToolSettings, maxOutput: 50 } });
  writeFileSync(path("a.txt"), "0123456789\n".repeat(20));
  const { output } = await use(readTool, { path: "a.txt" });
  assert.equal(output.split("\n").length, 6);
  assert.match(output, /\[lines up to 5 of 20; continue with offset 6\]$/);
});

test("a file that is not text is refused or described", async (t) => {
  const { use, path } = workbench(t);
  const png = Buffer.alloc(40);
  Buffer.from("89504e470d0a1a0a", "hex").copy(png);
  png.writeUInt32BE(640, 16);
  png.writeUInt32BE(480, 20);
  writeFileSync(path("a.png"), png);
  writeFileSync(path("a.bin"), Buffer.from("text and\0then none"));
  writeFileSync(path("empty"), "");
  mkdirSync(path("folder"));
  execFileSync("mkfifo", [path("pipe")]);
  assert.deepEqual(
    [
      await use(readTool, { path: "a.png" }),
      await use(readTool, { path: "a.bin" }),
      await use(readTool, { path: "folder" }),
      await use(readTool, { path: "pipe" }),
      await use(readTool, { path: "missing" }),
      (await use(readTool, { path: "empty" })).output,
    ],
    [
      {
        status: "completed",
        output: "a.png is a PNG image of 640 x 480 pixels, 40 bytes.",
        files: [{ name: "a.png", mediaType: "image/png", content: png }],
      },
      { status: "failed", output: "a.bin is a binary file of 18 bytes and cannot be shown." },
      { status: "failed", output: "folder: it is a folder, not a file" },
      { status: "failed", output: "pipe: it is not a regular file" },
      { status: "failed", output: "missing: it does not exist" },
      "(the file is empty)",
    ],
  );
});

test("reading stops when the signal aborts", async (t) => {
  const { use, path } = workbench(t);
  writeFileSync(path("a.txt"), "x");
  assert.deepEqual(await use(readTool, { path: "a.txt" }, { signal: AbortSignal.abort() }), {
    status: "failed",
    output: "The run stopped before the call ended.",
  });
});

test("the permission to read is requested for the real path", async (t) => {
  const { context } = workbench(t);
  assert.deepEqual(
    [
      await readTool.permission({ path: "src/../a.txt" }, context),
      await readTool.permission({ path: "/etc/passwd" }, context),
      await readTool.permission({ path: "a\0" }, context),
    ],
    [
      { action: "read", subject: "a.txt", preview: "Read a.txt" },
      { action: "read", subject: "/etc/passwd", preview: "Read /etc/passwd" },
      null,
    ],
  );
});
