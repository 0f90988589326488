import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { growingTokens, markdownTokens } from "../src/ui/markdown-tokens.ts";

const pieces = [
  "Some words with `code` and **strong** ones.",
  "A line\nand another one",
  "# A heading",
  "Over a line\n===",
  "- one\n- two\n\n  still two\n- three",
  "1. first\n2. second",
  "```ts\nconst a = 1;\n\nconst b = 2;\n```",
  "    indented\n\n    code",
  "> said\n> by somebody",
  "| a | b |\n| - | - |\n| 1 | 2 |",
  "<b>html</b>",
  "---",
  "[a link](https://example.org) and _more_",
  "A formula $a^2 + b$ that costs $5 or $6[^1]",
  "$$\\frac{a}{b}$$",
  "[^1]: A footnote\n  with two lines",
];

const texts = fc
  .array(
    fc.record({ piece: fc.constantFrom(...pieces), gap: fc.constantFrom("\n", "\n\n", "\n\n\n") }),
  )
  .map((parts) => parts.map(({ piece, gap }) => `${piece}${gap}`).join(""));

test("parsing a growing answer gives the same blocks as parsing the whole answer", () => {
  fc.assert(
    fc.property(texts, fc.array(fc.nat({ max: 40 }), { minLength: 1 }), (text, steps) => {
      const read = growingTokens();
      let end = 0;
      for (let step = 0; end < text.length; step += 1) {
        read(text.slice(0, end));
        end += (steps[step % steps.length] ?? 0) + 1;
      }
      const whole = markdownTokens(text).map(({ raw }) => raw);
      const grown = read(text).map(({ raw }) => raw);
      assert.deepEqual(grown, whole);
    }),
    { numRuns: 300 },
  );
});

test("unfinished marks are closed only in the last block", () => {
  const read = growingTokens();
  read("An **open mark\n\nand");
  assert.deepEqual(
    read("An **open mark\n\nand `co").map(({ raw }) => raw),
    ["An **open mark", "and `co`"],
  );
});

test("a list continues after text that looked like a paragraph while streaming", () => {
  const read = growingTokens();
  const text = "1. first\n\n\n1. second";
  for (let end = 0; end < text.length; end += 1) read(text.slice(0, end));
  assert.deepEqual(
    read(text).map(({ raw }) => raw),
    [text],
  );
});

test("an answer that starts over is parsed from the beginning", () => {
  const read = growingTokens();
  read("# One\n\ntwo\n\nthree");
  assert.deepEqual(
    read("# Other\n\ntwo").map(({ raw }) => raw),
    ["# Other", "two"],
  );
});
