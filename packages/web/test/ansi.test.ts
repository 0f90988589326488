import assert from "node:assert/strict";
import { test } from "node:test";
import { ansiSpans, withoutAnsi } from "../src/model/ansi.ts";

test("escape sequences become styles or are removed, and never act on the page", () => {
  const output =
    "\u001b[1;31mred\u001b[0m plain \u001b]8;;http://evil\u0007link\u001b]8;;\u0007 \u001b[2Jend";
  assert.deepEqual(ansiSpans(output), [
    { text: "red", look: "ansi-red ansi-bold" },
    { text: " plain ", look: "" },
    { text: "link", look: "" },
    { text: " ", look: "" },
    { text: "end", look: "" },
  ]);
  assert.deepEqual(ansiSpans("10%\r50%\r100%\ndone"), [{ text: "100%\ndone", look: "" }]);
  assert.deepEqual(ansiSpans("\u001b[38;5;196mx\u001b[39my"), [
    { text: "x", look: "" },
    { text: "y", look: "" },
  ]);
});

test("colors that were set before the shown part apply to it, and copied text has none", () => {
  assert.deepEqual(ansiSpans("b\u001b[0mc", "x\u001b[31ma"), [
    { text: "b", look: "ansi-red" },
    { text: "c", look: "" },
  ]);
  assert.equal(withoutAnsi("\u001b[31ma\u001b[0m\u001b]0;title\u0007b"), "ab");
});
