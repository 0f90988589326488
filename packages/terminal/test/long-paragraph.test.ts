import assert from "node:assert/strict";
import { test } from "node:test";
import { createLook } from "../src/screen/look.ts";
import { noHighlight } from "../src/transcript/highlight.ts";
import { renderPiece } from "../src/transcript/markdown.ts";

const render = (source: string): string => {
  const options = { look: createLook("dark", false), columns: 80, highlight: noHighlight };
  return renderPiece({ kind: "text", source }, options).join(" ");
};

test("a long paragraph is printed whole, and a line of a megabyte is cut", () => {
  const words = Array.from({ length: 5_000 }, (_, at) => `word-${at}`);
  assert.deepEqual(render(words.join(" ")).split(/\s+/), words);
  const cut = render("word ".repeat(200_000));
  assert.match(cut, /line cut\)$/);
});
