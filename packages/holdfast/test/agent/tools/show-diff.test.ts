import assert from "node:assert/strict";
import { test } from "node:test";
import { applyPatch } from "diff";
import { headOfDiff, makeDiff } from "../../../src/agent/tools/show-diff.ts";

test("a diff counts its added and removed lines, even lines that look like file names", () => {
  const before = "same\n-- old\n++ old\n";
  const after = "same\n-- new\nmore\n";
  const { text, added, removed } = makeDiff({ path: "a.txt", before, after });
  assert.deepEqual([added, removed], [2, 2]);
  assert.equal(applyPatch(before, text), after);
});

test("a diff contains the name of its file as it is; a line break in the name is escaped", () => {
  const [plain, odd] = ["文件 $1.txt", "a\n+++ b"].map(
    (path) => makeDiff({ path, before: "a\n", after: "b\n" }).text.split("@@", 1)[0],
  );
  assert.equal(plain, "--- a/文件 $1.txt\n+++ b/文件 $1.txt\n");
  assert.equal(odd, '--- a/"a\\n+++ b"\n+++ b/"a\\n+++ b"\n');
});

test("texts that differ too much to compare still give a whole diff with true counts", () => {
  const before = `head\n${lines("old", 4_000)}tail`;
  const after = `head\n${lines("new", 5_000)}tail`;
  const { text, added, removed } = makeDiff({ path: "a.txt", before, after });
  assert.deepEqual([added, removed], [5_000, 4_000]);
  assert.equal(applyPatch(before, text), after);
});

test("a diff of very large texts shows only its counts", () => {
  const diff = makeDiff({
    path: "a.txt",
    before: lines("a".repeat(600), 6_000),
    after: lines("b".repeat(600), 6_000),
  });
  assert.deepEqual(diff, {
    text: "--- a/a.txt\n+++ b/a.txt\n(6000 lines replaced by 6000)\n",
    added: 6_000,
    removed: 6_000,
  });
});

test("the head of a diff ends at a line and says how many lines it leaves out", () => {
  const { text } = makeDiff({ path: "a.txt", before: null, after: "word\n".repeat(100) });
  const head = headOfDiff(text, 200);
  assert.ok(head.text.length <= 200 && head.text.endsWith("\n"));
  assert.equal(head.text.split("\n").length - 1 + head.omitted, text.split("\n").length - 1);
  assert.deepEqual(headOfDiff(text, 10_000), { text, omitted: 0 });
  const long = makeDiff({ path: "a.txt", before: null, after: "x".repeat(1_000) }).text;
  const names = "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,1 @@\n";
  assert.deepEqual(headOfDiff(long, 100), { text: names, omitted: 2 });
});

function lines(word: string, count: number): string {
  return Array.from({ length: count }, (_, line) => `${word} ${line}\n`).join("");
}
