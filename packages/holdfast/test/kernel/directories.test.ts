import assert from "node:assert/strict";
import { test } from "node:test";
import { allows, covers, intersect, sameDirectories } from "../../src/kernel/directories.ts";
import type { Directories } from "../../src/kernel/directories.ts";

test("a directory limit includes its directories and their subdirectories, and no siblings", () => {
  const cases: [limit: Directories, directory: string, expected: boolean][] = [
    [null, "/anywhere", true],
    [[], "/a", false],
    [["/a"], "/a", true],
    [["/a"], "/a/b/c", true],
    [["/a"], "/ab", false],
    [["/a"], "/", false],
    [["/a"], "", false],
    [["/a"], "/a\\b", false],
    [["/"], "/a", true],
    [["/a/"], "/a/b", true],
    [["/x", "/a"], "/a/b", true],
    [["C:\\a"], "C:\\a\\b", true],
    [["C:\\a"], "C:\\ab", false],
    [["C:\\"], "C:\\a", true],
  ];
  for (const [limit, directory, expected] of cases) {
    assert.equal(allows(limit, directory), expected, `${JSON.stringify(limit)} ${directory}`);
  }
});

test("the intersection of two limits includes what both include, in either order", () => {
  const cases: [left: Directories, right: Directories, expected: Directories][] = [
    [null, null, null],
    [null, ["/a"], ["/a"]],
    [["/a"], ["/a/b"], ["/a/b"]],
    [
      ["/a", "/b/c"],
      ["/b", "/a/x", "/d"],
      ["/a/x", "/b/c"],
    ],
    [["/a"], ["/b"], []],
    [["/a"], ["/a"], ["/a"]],
  ];
  for (const [left, right, expected] of cases) {
    assert.deepEqual(intersect(left, right), expected);
    assert.deepEqual(intersect(right, left), expected);
  }
});

test("a limit covers another one if it includes all of it", () => {
  const cases: [limit: Directories, other: Directories, expected: boolean][] = [
    [null, null, true],
    [null, ["/a"], true],
    [["/"], null, false],
    [["/a"], ["/a/b", "/a"], true],
    [["/a"], ["/a/b", "/b"], false],
    [["/a"], [], true],
  ];
  for (const [limit, other, expected] of cases) assert.equal(covers(limit, other), expected);
});

test("limits are the same if they include the same, whatever their order", () => {
  assert.ok(sameDirectories(["/a", "/b"], ["/b", "/a"]));
  assert.ok(sameDirectories(["/a", "/a/b"], ["/a"]));
  assert.ok(!sameDirectories(["/a"], ["/a/b"]));
  assert.ok(!sameDirectories(["/a/b"], ["/a"]));
  assert.ok(!sameDirectories(null, ["/"]));
  assert.ok(sameDirectories(null, null));
});
