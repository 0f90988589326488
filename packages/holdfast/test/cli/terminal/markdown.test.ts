import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import * as fc from "fast-check";
import { createMarkdown } from "../../../src/cli/terminal/markdown.ts";
import { printable } from "../../../src/cli/terminal/printable.ts";

function render(...pieces: string[]): string {
  const stream = createMarkdown();
  return pieces.map((piece) => stream.take(piece)).join("") + stream.flush();
}

// eslint-disable-next-line no-control-regex -- it is what is looked for
const colour = /\u001B\[([\d;]+)m/g;

/** Replaces escape codes by style names, to make tests readable. */
function styleNames(text: string): string {
  const names = new Map([
    ["0", "/"],
    ["1", "bold"],
    ["2", "dim"],
    ["3", "italic"],
    ["4", "underline"],
    ["33", "bullet"],
    ["36", "code"],
  ]);
  const name = (_: string, codes: string): string =>
    `<${codes
      .split(";")
      .map((code) => names.get(code))
      .join(" ")}>`;
  return render(text).replaceAll(colour, name);
}

const styled: [text: string, shown: string][] = [
  ["# One\ntext", "<bold underline># One</>\ntext"],
  ["### Three", "<bold>### Three</>"],
  ["#none and #7", "#none and #7"],
  ["a **b** c", "a <dim>**</><bold>b</><dim>**</> c"],
  ["a *b* _c_", "a <dim>*</><italic>b</><dim>*</> <dim>_</><italic>c</><dim>_</>"],
  ["***x***", "<dim>***</><bold italic>x</><dim>***</>"],
  ["run `a*b*c` now", "run <code>`a*b*c`</> now"],
  ["``a`b`` c", "<code>``a`b``</> c"],
  ["- one\n  2. two", "<bullet>-</> one\n  <bullet>2.</> two"],
  ["> said\nnot", "<dim>></><italic> said</>\nnot"],
  ["[text](http://a_b_c/(x)) y", "[text]<dim>(</><underline>http://a_b_c/(x)</><dim>)</> y"],
  ["---\n***\nx", "<dim>---</>\n<dim>***</>\nx"],
  ["| a | *b* |\n| - | - |", "| a | *b* |\n| - | - |"],
  [
    "```ts\nlet *a* = `b`;\n  # no\n```\n*x*",
    "<dim>```ts</>\nlet *a* = `b`;\n  # no\n<dim>```</>\n<dim>*</><italic>x</><dim>*</>",
  ],
  ["~~~~\n~~~\n```\n~~~~ \nx", "<dim>~~~~</>\n~~~\n```\n<dim>~~~~ </>\nx"],
];

test("Markdown is coloured, and its markers stay", () => {
  const shown = styled.map(([text]) => [text, styleNames(text)]);
  assert.deepEqual(shown, styled);
});

test("text that is not Markdown is unchanged", () => {
  for (const text of [
    "2*3*4 and a ** b",
    "snake_case_name and a__b__c",
    "src/**/*.ts and *.js",
    "a \\*b\\* c",
    "3.14 is no list, nor is -1, nor 12",
    "list[0] and [x] and a]",
    ">not a quote",
    "-- and --- in the middle",
    "",
    "\n\n",
    "  ",
  ]) {
    assert.equal(render(text), text);
  }
});

test("unclosed emphasis ends with its line", () => {
  assert.equal(
    styleNames("**kwargs\nnext `x\nlast"),
    "<dim>**</><bold>kwargs</>\nnext <code>`x</>\nlast",
  );
});

test("Markdown is rendered the same wherever it is split into chunks", () => {
  const text = styled.map(([each]) => each).join("\n") + "\r\n👍 **👍**\r\n";
  const whole = render(text);
  for (let at = 0; at <= text.length; at += 1) {
    assert.equal(render(text.slice(0, at), text.slice(at)), whole, `cut at ${at}`);
  }
  // Not `...text`: it would keep surrogate pairs together.
  assert.equal(render(...text.split("")), whole);
});

test("only text that could begin a Markdown marker is held back", () => {
  const stream = createMarkdown();
  assert.equal(stream.take("wor"), "wor");
  assert.equal(stream.take("ds **"), "ds ");
  assert.equal(stripVTControlCharacters(stream.take("bo")), "**bo");
});

test("a code block continues after other output", () => {
  const stream = createMarkdown();
  stream.take("```\none *t");
  assert.equal(stream.flush(), "");
  assert.equal(stream.take("wo*\n``"), "wo*\n");
  assert.equal(stripVTControlCharacters(stream.take("`\n")), "```\n");
  assert.notEqual(stream.take("*x*\n"), "*x*\n");
});

test("without colours the output is the printable text, for any text and any chunks", () => {
  const letters = fc.constantFrom(
    ..."ab 1.)#*_-+>|`~[]()\\\n\t\r\u001B\u0007\u009B\u202E\uD83D\uDC4D".split(""),
  );
  const pieces = fc.array(fc.array(letters, { maxLength: 12 }).map((all) => all.join("")));
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join("");
      const shown = render(...parts);
      assert.equal(shown, render(text));
      // The only control characters are its own colours.
      assert.equal(shown.replaceAll(colour, ""), printable(text));
      const last = shown.match(colour)?.at(-1) ?? "\u001B[0m";
      assert.equal(last, "\u001B[0m");
    }),
    { numRuns: 2_000 },
  );
});
