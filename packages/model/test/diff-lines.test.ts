import assert from "node:assert/strict";
import { test } from "node:test";
import { diffLines } from "../src/diff-lines.ts";
import type { DiffLine } from "../src/diff-lines.ts";
import { changedWords } from "../src/diff-words.ts";
import { splitRows } from "../src/split-rows.ts";

test("a diff becomes numbered lines", () => {
  const diff = "--- a/x.ts\n+++ b/x.ts\n@@ -3,2 +3,3 @@\n same\n-old\n+new\n+more\n";
  assert.deepEqual(diffLines(diff), {
    path: "x.ts",
    paths: ["x.ts"],
    added: 2,
    removed: 1,
    lines: [
      { kind: "hunk", text: "@@ -3,2 +3,3 @@", before: null, after: null },
      { kind: "same", text: "same", before: 3, after: 3 },
      { kind: "remove", text: "old", before: 4, after: null },
      { kind: "add", text: "new", before: null, after: 4 },
      { kind: "add", text: "more", before: null, after: 5 },
    ],
  });
});

test("in a diff of two files, the headers of the second file are not changed lines", () => {
  const first = "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b\n";
  const second = "--- a/gone.ts\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-c\n-d\n";
  const { paths, added, removed, lines } = diffLines(first + second);
  assert.deepEqual([paths, added, removed], [["x.ts", "gone.ts"], 1, 3]);
  assert.deepEqual(brief(lines), [
    "hunk @@ -1 +1 @@",
    "remove a",
    "add b",
    "file gone.ts",
    "hunk @@ -1,2 +0,0 @@",
    "remove c",
    "remove d",
  ]);
});

test("changed lines that look like headers of a file or of a hunk are counted as changed lines", () => {
  const diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/y\n-@@ -1 +1 @@\n+++ b/y\n+@@ -9 +9 @@\n";
  const { paths, lines } = diffLines(diff);
  assert.deepEqual(paths, ["x"]);
  assert.deepEqual(brief(lines).slice(1), [
    "remove -- a/y",
    "remove @@ -1 +1 @@",
    "add ++ b/y",
    "add @@ -9 +9 @@",
  ]);
});

const lastLine =
  "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-the end\n\\ No newline at end of file\n+the end.\n";

test("a missing line break at the end of a file is a note below its line", () => {
  const { lines, added, removed } = diffLines(lastLine);
  assert.deepEqual(brief(lines).slice(1), [
    "remove the end",
    "note No newline at end of file",
    "add the end.",
  ]);
  assert.deepEqual([added, removed], [1, 1]);
});

test("a note between a removed and an added line does not separate them", () => {
  const { lines } = diffLines(lastLine);
  const rows = splitRows(lines).map(({ left, right }) => [left?.text, right?.text]);
  assert.deepEqual(rows.slice(1), [
    ["the end", "the end."],
    ["No newline at end of file", undefined],
  ]);
  assert.equal(changedWords(lines).size, 2);
});

test("text that is not a diff keeps all its lines", () => {
  const text = "one\n\\two\n  three";
  assert.deepEqual(brief(diffLines(text).lines), ["same one", "same \\two", "same  three"]);
});

function brief(lines: readonly DiffLine[]): readonly string[] {
  return lines.map(({ kind, text }) => `${kind} ${text}`);
}
