import assert from "node:assert/strict";
import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folderProblem, makeFolder } from "../../src/base/folders.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

const outcome = (path: string): Promise<string> =>
  makeFolder(path, 0o700).then(() => "made", folderProblem);

test("a folder is created with its parents, and an existing one is unchanged, even by several callers at once", async (t) => {
  const folder = scratchFolder(t, "folder");
  mkdirSync(join(folder, "open"), { mode: 0o755 });
  symlinkSync(join(folder, "open"), join(folder, "link"));
  const paths = ["open", "link", "a/b/c", "a/b/d", "a/b/c/e", "link/f", "a//g/"];
  const made = await Promise.all(paths.map((path) => outcome(join(folder, path))));
  assert.deepEqual(
    made,
    paths.map(() => "made"),
  );
  const modes = ["open", "a", "a/b", "a/b/c/e", "open/f", "a/g"].map((path) =>
    (statSync(join(folder, path)).mode & 0o777).toString(8),
  );
  assert.deepEqual(modes, ["755", "700", "700", "700", "700", "700"]);
});

test("a directory that cannot be created is reported at once", async (t) => {
  const folder = scratchFolder(t, "folder");
  writeFileSync(join(folder, "file"), "");
  symlinkSync(join(folder, "nowhere"), join(folder, "link"));
  const cases = {
    [join(folder, "file")]: "the path contains a file or a broken link instead of a folder",
    [join(folder, "file/a/b")]: "the path contains a file or a broken link instead of a folder",
    [join(folder, "link")]: "the path contains a file or a broken link instead of a folder",
    [join(folder, "link/a/b")]: "the path contains a file or a broken link instead of a folder",
    [join(folder, "x".repeat(300))]: "its name is too long",
    [join(folder, "a/".repeat(5_000))]: "its name is too long",
    // /proc is a folder, but an attempt to create something in it fails as if it were none.
    ...(existsSync("/proc/self") ? { "/proc/a/b": "nothing can be created there" } : {}),
  };
  const found: Record<string, string> = {};
  for (const path of Object.keys(cases)) found[path] = await outcome(path);
  assert.deepEqual(found, cases);
  assert.equal(existsSync(join(folder, "a")), false);
});
