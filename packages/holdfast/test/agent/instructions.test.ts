import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createInstructionsReader, readInstructions } from "../../src/agent/instructions.ts";
import { temporaryFolder } from "./tools/workbench.ts";

for (const isQuick of [true, false]) {
  const how = isQuick ? "on a local disk" : "over a network";

  test(`instructions are read from the repository's root down, the nearest last, ${how}`, async (t) => {
    const above = temporaryFolder(t);
    const root = join(above, "repository");
    const directory = join(root, "packages/one");
    mkdirSync(directory, { recursive: true });
    mkdirSync(join(root, ".git"));
    writeFileSync(join(above, "AGENTS.md"), "not of this repository");
    writeFileSync(join(root, "AGENTS.md"), "root");
    writeFileSync(join(directory, "AGENTS.md"), "near");
    assert.deepEqual(await readInstructions(directory, { isQuick }), [
      { path: join(root, "AGENTS.md"), text: "root", truncated: false },
      { path: join(directory, "AGENTS.md"), text: "near", truncated: false },
    ]);
  });

  test(`the total size of instructions is limited, and the nearest files are kept, ${how}`, async (t) => {
    const root = temporaryFolder(t);
    const directory = join(root, "sub");
    mkdirSync(directory);
    mkdirSync(join(root, ".git"));
    writeFileSync(join(root, "AGENTS.md"), "é".repeat(100));
    writeFileSync(join(directory, "AGENTS.md"), "near");
    assert.deepEqual(await readInstructions(directory, { maxBytes: 9, isQuick }), [
      { path: join(root, "AGENTS.md"), text: "éé", truncated: true },
      { path: join(directory, "AGENTS.md"), text: "near", truncated: false },
    ]);
  });

  test(`a link into Holdfast's own data or config folder is not followed, even inside the project, ${how}`, async (t) => {
    const root = temporaryFolder(t);
    const hidden = [join(root, ".local/share/holdfast"), join(root, ".config/holdfast")];
    mkdirSync(join(root, ".git"));
    for (const folder of hidden) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "token"), "secret");
      for (const name of ["AGENTS.md", "CLAUDE.md", "GEMINI.md"]) {
        symlinkSync(join(folder, "token"), join(root, name));
        assert.deepEqual(await readInstructions(root, { isQuick, hidden }), [], name);
        assert.equal((await readInstructions(root, { isQuick })).length, 1, name);
        rmSync(join(root, name));
      }
    }
  });

  test(`a link inside the project is followed; a link to the outside, a pipe or a folder is not, ${how}`, async (t) => {
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
    assert.deepEqual(await readInstructions(join(root, "out/pipe/folder/binary"), { isQuick }), [
      { path: join(root, "AGENTS.md"), text: "guide", truncated: false },
    ]);
  });
}

test(
  "above the directory, files and repositories of other users are ignored",
  { skip: process.getuid?.() === 0 ? false : "only root can give files away" },
  async (t) => {
    const shared = temporaryFolder(t);
    const directory = join(shared, "mine/project");
    mkdirSync(directory, { recursive: true });
    mkdirSync(join(shared, ".git"));
    for (const folder of [shared, join(shared, "mine"), directory]) {
      writeFileSync(join(folder, "AGENTS.md"), folder);
    }
    const texts = async (): Promise<string[]> =>
      (await readInstructions(directory)).map(({ text }) => text);
    assert.deepEqual(await texts(), [shared, join(shared, "mine"), directory]);
    const stranger = 54_321;
    chownSync(join(shared, ".git"), stranger, stranger);
    chownSync(join(shared, "AGENTS.md"), stranger, stranger);
    chownSync(join(directory, "AGENTS.md"), stranger, stranger);
    assert.deepEqual(await texts(), [join(shared, "mine"), directory]);
    // The owner of a directory may write instructions for it.
    chownSync(directory, stranger, stranger);
    assert.deepEqual(await texts(), [shared, join(shared, "mine"), directory]);
  },
);

test("a file written before a request is in its answer, even with many requests at once", async (t) => {
  const directory = temporaryFolder(t);
  const read = createInstructionsReader();
  const texts = async (): Promise<string[]> =>
    (await read(directory, []))
      .map(({ text }) => text)
      .filter((text) => text.startsWith("version"));
  for (const version of ["version 1", "version 2"]) {
    const before = [texts(), texts()];
    writeFileSync(join(directory, "AGENTS.md"), version);
    assert.deepEqual(await Promise.all([texts(), texts()]), [[version], [version]]);
    await Promise.all(before);
  }
});

test("CLAUDE.md and GEMINI.md are read in a folder without AGENTS.md, by the same rules", async (t) => {
  const root = temporaryFolder(t);
  const outside = join(temporaryFolder(t), "secret");
  writeFileSync(outside, "secret");
  mkdirSync(join(root, ".git"));
  const folders = ["claude", "claude/gemini", "claude/gemini/all", "claude/gemini/all/link"];
  for (const folder of folders) mkdirSync(join(root, folder));
  writeFileSync(join(root, "claude/CLAUDE.md"), "claude");
  writeFileSync(join(root, "claude/GEMINI.md"), "not read");
  writeFileSync(join(root, "claude/gemini/GEMINI.md"), "gemini");
  writeFileSync(join(root, "claude/gemini/all/AGENTS.md"), "agents");
  writeFileSync(join(root, "claude/gemini/all/CLAUDE.md"), "not read");
  symlinkSync(outside, join(root, "claude/gemini/all/link/CLAUDE.md"));
  const found = await readInstructions(join(root, "claude/gemini/all/link"));
  assert.deepEqual(
    found.map(({ text }) => text),
    ["claude", "gemini", "agents"],
  );
});
