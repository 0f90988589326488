import assert from "node:assert/strict";
import { test } from "node:test";
import { createMarkdownStream } from "../src/transcript/markdown-stream.ts";
import type { Piece } from "../src/transcript/markdown-stream.ts";

const text = [
  "# Title",
  "",
  "A paragraph",
  "of two lines.",
  "",
  "- item",
  "",
  "  more of the item",
  "",
  "```ts",
  "const a = 1;",
  "",
  "const b = 2;",
  "```",
  "",
  "End",
].join("\n");

test("an answer that arrives letter by letter is split into the same parts as a whole one", () => {
  const whole = createMarkdownStream().take(text, true);
  const stream = createMarkdownStream();
  const pieces: Piece[] = [];
  for (let length = 1; length <= text.length; length += 1) {
    pieces.push(...stream.take(text.slice(0, length), false));
  }
  pieces.push(...stream.take(text, true));
  assert.deepEqual(sources(pieces), sources(whole));
  assert.deepEqual(sources(whole), [
    "# Title\n\n",
    "A paragraph\nof two lines.\n\n",
    "- item\n\n  more of the item\n\n",
    "const a = 1;",
    "",
    "const b = 2;",
    "End",
  ]);
});

test("a part is returned as soon as later text cannot change it", () => {
  const stream = createMarkdownStream();
  assert.deepEqual(stream.take("One", false), []);
  assert.deepEqual(stream.take("One\n\n", false), []);
  assert.deepEqual(stream.take("One\n\nT", false), [{ kind: "text", source: "One\n\n" }]);
  assert.equal(stream.offset, 5);
});

test("a code block without an end is returned when the answer is done", () => {
  const pieces = createMarkdownStream().take("```\na\nb", true);
  assert.deepEqual(pieces, [{ kind: "code", language: "", lines: ["a", "b"], isStart: true }]);
});

function sources(parts: readonly Piece[]): string[] {
  return parts.flatMap((piece) => (piece.kind === "text" ? [piece.source] : piece.lines));
}
