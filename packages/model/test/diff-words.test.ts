import assert from "node:assert/strict";
import { test } from "node:test";
import { diffLines } from "../src/diff-lines.ts";
import { changedWords, compareWords } from "../src/diff-words.ts";
import type { TextRange } from "../src/diff-words.ts";
import { splitRows } from "../src/split-rows.ts";

/** Marks changed words with brackets. */
function marked(before: string, after: string): readonly string[] | null {
  const found = compareWords(before, after);
  return found === null ? null : [mark(before, found.before), mark(after, found.after)];
}

function mark(text: string, ranges: readonly TextRange[]): string {
  return ranges.toReversed().reduce((line, [start, end]) => {
    return `${line.slice(0, start)}[${line.slice(start, end)}]${line.slice(end)}`;
  }, text);
}

test("only the words that differ are marked", () => {
  assert.deepEqual(marked("const value = 10;", "const value = 1000;"), [
    "const value = [10];",
    "const value = [1000];",
  ]);
  assert.deepEqual(marked("f(a, b)", "f(a, more, b)"), ["f(a, b)", "f(a, [more, ]b)"]);
  assert.deepEqual(marked("名字 = 一", "名字 = 二"), ["名字 = [一]", "名字 = [二]"]);
});

test("lines without much in common, and very long lines, get no marks", () => {
  assert.equal(marked("export const value30 = 30;", "/** A longer text. */"), null);
  assert.equal(marked("x ".repeat(1_000), "y ".repeat(1_000)), null);
  assert.equal(marked("", "new"), null);
});

const diff = [
  "--- a/a",
  "+++ b/a",
  "@@ -1,4 +1,4 @@",
  " same",
  "-one old",
  "-two",
  "+one new",
  " end",
  "+added",
  "",
].join("\n");

test("removed lines are compared with the added lines that replace them", () => {
  const { lines } = diffLines(diff);
  const found = [...changedWords(lines)].map(([{ text }, ranges]) => [text, ranges]);
  assert.deepEqual(found, [
    ["one old", [[4, 7]]],
    ["one new", [[4, 7]]],
  ]);
});

test("in the split view, replaced lines stand beside each other", () => {
  const rows = splitRows(diffLines(diff).lines);
  assert.deepEqual(
    rows.map(({ left, right }) => [left?.text ?? null, right?.text ?? null]),
    [
      ["@@ -1,4 +1,4 @@", "@@ -1,4 +1,4 @@"],
      ["same", "same"],
      ["one old", "one new"],
      ["two", null],
      ["end", "end"],
      [null, "added"],
    ],
  );
});
