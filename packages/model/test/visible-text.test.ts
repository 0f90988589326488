import assert from "node:assert/strict";
import { test } from "node:test";
import { processorTime } from "../../holdfast/test/support/processor-time.ts";
import { countLines, exactText, headOf, tailOf, visibleText } from "../src/visible-text.ts";

test("hidden and direction-changing characters are shown as codes", () => {
  assert.equal(
    visibleText("if (admin\u202e \u2066// check\u2069 \u2066) {\u200b\u0000"),
    "if (admin⟨U+202E⟩ ⟨U+2066⟩// check⟨U+2069⟩ ⟨U+2066⟩) {⟨U+200B⟩⟨U+0000⟩",
  );
  assert.equal(visibleText("tab\tline\r\nend"), "tab\tline\nend");
  assert.equal(visibleText("x\u{e0041}y"), "x⟨U+E0041⟩y");
});

test("in a text to approve, every character without a shape is shown as a code", () => {
  assert.equal(
    exactText("rm -rf x\r\u001b[2Kls\t\u001b]0;a\u0007\u00ad\u200d\u2028\n"),
    "rm -rf x⟨U+000D⟩⟨U+001B⟩[2Kls\t⟨U+001B⟩]0;a⟨U+0007⟩⟨U+00AD⟩⟨U+200D⟩⟨U+2028⟩\n",
  );
  assert.equal(exactText("echo '⚠\ufe0f 完成'"), "echo '⚠\ufe0f 完成'");
});

test("a line of 5 MB is cut without scanning it", async () => {
  const huge = "x".repeat(5_000_000);
  let scanned = 0;
  const scan = await processorTime(() => {
    for (const character of huge) scanned += character.length;
  });
  assert.equal(scanned, 5_000_000);
  const took = await processorTime(() => {
    assert.equal(headOf(huge, { lines: 14, characters: 2_500 }).length, 2_500);
    assert.equal(tailOf(huge, { lines: 14, characters: 2_500 }).length, 2_500);
  });
  assert.ok(took < scan, `${took} ms, and ${scan} ms for a scan`);
});

test("the head and the tail of a text consist of whole lines if lines are short", () => {
  const text = "one\ntwo\nthree\nfour\n";
  assert.equal(headOf(text, { lines: 2, characters: 100 }), "one\ntwo\n");
  assert.equal(headOf("one", { lines: 2, characters: 100 }), "one");
  assert.equal(tailOf("one\ntwo\nthree", { lines: 2, characters: 100 }), "two\nthree");
  assert.equal(tailOf("one", { lines: 2, characters: 100 }), "one");
  assert.equal(countLines(text), 4);
  assert.equal(countLines("one\ntwo"), 2);
});
