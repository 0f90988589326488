import assert from "node:assert/strict";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openRegular, putFile, readWhole } from "../../../src/agent/tools/files.ts";
import { temporaryFolder } from "./workbench.ts";

/** A path that has been resolved, and a symbolic link that has replaced a part of it since. */
function swapped(inside: string, outside: string): void {
  mkdirSync(join(inside, "folder"));
  writeFileSync(join(inside, "folder/file"), "inside");
  writeFileSync(join(outside, "file"), "outside");
  renameSync(join(inside, "folder"), join(inside, "old"));
  symlinkSync(outside, join(inside, "folder"));
  symlinkSync(join(outside, "file"), join(inside, "link"));
}

test("a link that replaced a file or folder after its path was resolved is not followed", async (t) => {
  const inside = temporaryFolder(t);
  const outside = temporaryFolder(t);
  swapped(inside, outside);
  const path = join(inside, "folder/file");
  const before = await readWhole(join(outside, "file"), 100);
  assert.ok(before !== null);
  const bytes = Buffer.from("new");
  await assert.rejects(openRegular(path), { name: "FileProblem" });
  await assert.rejects(openRegular(join(inside, "link")), { code: "ELOOP" });
  // A symbolic link to a folder does not count as a folder here.
  await assert.rejects(putFile({ path, bytes, before }), { code: "ENOTDIR" });
  await assert.rejects(putFile({ path: join(inside, "folder/x"), bytes, before: null }), {
    code: "ENOTDIR",
  });
  await assert.rejects(putFile({ path: join(inside, "folder/deep/x"), bytes, before: null }), {
    name: "FileProblem",
  });
  assert.equal(readFileSync(join(outside, "file"), "utf8"), "outside");
  assert.deepEqual(readdirSync(join(outside, "deep")), []);
});

test("a link that replaces a folder at the last moment does not redirect the write", async (t) => {
  const inside = temporaryFolder(t);
  const outside = temporaryFolder(t);
  const folder = join(inside, "folder");
  mkdirSync(folder);
  const onPut = (): void => {
    renameSync(folder, join(inside, "old"));
    symlinkSync(outside, folder);
  };
  await putFile({ path: join(folder, "file"), bytes: Buffer.from("new"), before: null, onPut });
  assert.deepEqual([readdirSync(outside), readdirSync(join(inside, "old"))], [[], ["file"]]);
});

test("a file that changed after it was read is not replaced, and no temporary file is left", async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, "file");
  writeFileSync(path, "one");
  const before = await readWhole(path, 100);
  for (const content of ["two", "much longer than before"]) {
    writeFileSync(path, content);
    const bytes = Buffer.from("new");
    await assert.rejects(putFile({ path, bytes, before }), { name: "FileProblem" });
    await assert.rejects(putFile({ path, bytes, before: null }), { name: "FileProblem" });
    assert.deepEqual([readFileSync(path, "utf8"), readdirSync(folder)], [content, ["file"]]);
  }
});
