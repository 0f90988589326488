import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { WorkspaceError } from "../../src/workspace/loader.ts";
import { writePrivately } from "../../src/workspace/settings-file.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

test("keys and trust that cannot be written to disk are refused with the reason", async (t) => {
  const folder = scratchFolder(t, "unwritable");
  writeFileSync(join(folder, "file"), "as it was");
  mkdirSync(join(folder, "taken"));
  const file = "the path contains a file or a broken link instead of a folder";
  const cases = {
    [join(folder, "file", "a.json")]: file,
    [join(folder, "taken")]: "a folder with this name exists",
    [join(folder, "x".repeat(300))]: "its name is too long",
    ...(existsSync("/proc/self") ? { "/proc/a/b.json": "nothing can be created there" } : {}),
  };
  for (const [path, reason] of Object.entries(cases)) {
    await assert.rejects(writePrivately(path, "{}"), (error) => {
      assert(error instanceof WorkspaceError);
      assert.equal(error.message, `${path} cannot be written: ${reason}`);
      return true;
    });
  }
  assert.equal(readFileSync(join(folder, "file"), "utf8"), "as it was");
});
