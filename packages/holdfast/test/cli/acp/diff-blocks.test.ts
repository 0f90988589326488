import assert from "node:assert/strict";
import { test } from "node:test";
import { showDiff } from "../../../src/agent/tools/show-diff.ts";
import { diffBlocks } from "../../../src/cli/acp/diff-blocks.ts";

test("a diff keeps the end of the file as it is, with and without a newline", () => {
  const cases: [before: string | null, after: string][] = [
    ["a\n", "b\n"],
    ["a", "b"],
    ["a\n", "a"],
    ["a", "a\n"],
    ["a\nb", "a\nc\n"],
    [null, "new"],
    [null, "new\n"],
    ["a\nb\nc", "x\nb\nc"],
  ];
  for (const [before, after] of cases) {
    const blocks = diffBlocks(showDiff({ path: "f.txt", before, after }), "/code");
    assert.deepEqual(
      blocks?.content,
      [{ type: "diff", path: "/code/f.txt", oldText: before, newText: after }],
      JSON.stringify([before, after]),
    );
  }
});

test("a diff of several files is not shown as the change of one file", () => {
  const diffs = ["a", "b"].map((path) => showDiff({ path, before: "old\n", after: "new\n" }));
  assert.equal(diffBlocks(diffs.join(""), "/code"), null);
});
