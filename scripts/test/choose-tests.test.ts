import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseFiles } from "../run-tests.ts";

test("a word selects test files by path, by glob or by a part of the path", () => {
  const files = ["packages/a/test/kernel/cancel.test.ts", "packages/a/test/store/lease.test.ts"];
  const [cancel, lease] = files;
  assert.deepEqual(
    [
      [],
      ["./packages/a/test/store/lease.test.ts"],
      ["**/kernel/**"],
      ["lease", "cancel"],
      ["no"],
    ].map((words) => chooseFiles(files, words)),
    [files, [lease], [cancel], files, []],
  );
});
