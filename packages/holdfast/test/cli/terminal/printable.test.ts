import assert from "node:assert/strict";
import { test } from "node:test";
import { oneLine } from "../../../src/cli/terminal/printable.ts";

test("text is cut between characters, not inside a surrogate pair", () => {
  assert.deepEqual(
    [oneLine("ab😀cd", 6), oneLine("ab😀cd", 5), oneLine("ab😀cd", 4), oneLine("ab\n😀", 5)],
    ["ab😀cd", "ab😀…", "ab…", "ab 😀"],
  );
});
