import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readInstructions } from "../../src/agent/instructions.ts";
import { temporaryFolder } from "./tools/workbench.ts";

test("instructions are read from the repository's root down, the nearest last", async (t) => {
  const above = temporaryFolder(t);
  const root = join(above, "repository");
  const directory = join(root, "packages/one");
  mkdirSync(directory, { recursive: true });
  mkdirSync(join(root, ".git"));
  writeFileSync(join(above, "AGENTS.md"), "not of this repository");
  writeFileSync(join(root, "AGENTS.md"), "root");
  writeFileSync(join(directory, "AGENTS.md"), "near");
  assert.deepEqual(await readInstructions(directory), [
    { path: join(root, "AGENTS.md"), text: "root", truncated: false },
    { path: join(directory, "AGENTS.md"), text: "near", truncated: false },
  ]);
});

test("the size is bounded, and what is nearest is kept", async (t) => {
  const root = temporaryFolder(t);
  const directory = join(root, "sub");
  mkdirSync(directory);
  mkdirSync(join(root, ".git"));
  writeFileSync(join(root, "AGENTS.md"), "é".repeat(100));
  writeFileSync(join(directory, "AGENTS.md"), "near");
  assert.deepEqual(await readInstructions(directory, { maxBytes: 9 }), [
    { path: join(root, "AGENTS.md"), text: "éé", truncated: true },
    { path: join(directory, "AGENTS.md"), text: "near", truncated: false },
  ]);
});

test("a link inside the project is followed; one that leads out, a pipe or a folder is not", async (t) => {
  const root = temporaryFolder(t);
  const outside = join(temporaryFolder(t), "secret");
  writeFileSync(outside, "secret");
  mkdirSync(join(root, ".git"));
  writeFileSync(join(root, "guide.md"), "guide");
  symlinkSync("guide.md", join(root, "AGENTS.md"));
  const folders = ["out", "out/pipe", "out/pipe/folder", "out/pipe/folder/binary"];
  for (const folder of folders) mkdirSync(join(root, folder));
  symlinkSync(outside, join(root, "out/AGENTS.md"));
  execFileSync("mkfifo", [join(root, "out/pipe/AGENTS.md")]);
  mkdirSync(join(root, "out/pipe/folder/AGENTS.md"));
  writeFileSync(join(root, "out/pipe/folder/binary/AGENTS.md"), "a\0b");
  assert.deepEqual(await readInstructions(join(root, "out/pipe/folder/binary")), [
    { path: join(root, "AGENTS.md"), text: "guide", truncated: false },
  ]);
});
