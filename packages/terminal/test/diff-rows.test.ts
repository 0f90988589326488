import assert from "node:assert/strict";
import { test } from "node:test";
import { createLook } from "../src/screen/look.ts";
import { colourless } from "../src/screen/text.ts";
import { diffRows } from "../src/transcript/call-card.ts";

const options = { look: createLook("plain", false), columns: 60, isWhole: true };

test("a diff of two files shows both names, and counts only the changed lines", () => {
  const first = "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b\n";
  const second = "--- a/y.ts\n+++ b/y.ts\n@@ -7 +7 @@\n-c\n+d\n";
  assert.deepEqual(diffRows(first + second, options).map(colourless), [
    "+2 −2",
    "x.ts",
    "1 - a",
    "1 + b",
    "y.ts",
    "⋯",
    "7 - c",
    "7 + d",
  ]);
});

test("a change of only the last line break shows which line has none", () => {
  const diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n";
  assert.deepEqual(diffRows(diff, options), [
    "+1 −1",
    "1 - a",
    "1 + a",
    "  \\ No newline at end of file",
  ]);
});
