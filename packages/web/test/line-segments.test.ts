import assert from "node:assert/strict";
import { test } from "node:test";
import { languageOf } from "../src/model/language-of.ts";
import { lineSegments } from "../src/model/line-segments.ts";

test("a line is split at tokens and at changed words, and hidden characters are shown", () => {
  const tokens = [
    { text: "const", look: "token-keyword" },
    { text: " a\u202e = 1", look: "" },
  ];
  assert.deepEqual(lineSegments("const a\u202e = 1", tokens, [[2, 7]]), [
    { text: "co", look: "token-keyword" },
    { text: "nst", look: "token-keyword changed-word" },
    { text: " a", look: "changed-word" },
    { text: "⟨U+202E⟩ = 1", look: "" },
  ]);
});

test("tokens of another text are ignored", () => {
  const tokens = [{ text: "old", look: "token-string" }];
  assert.deepEqual(lineSegments("newer", tokens, []), [{ text: "newer", look: "" }]);
});

test("the name of a file decides its language", () => {
  const names = ["src/a.TS", "Dockerfile", "a.b/c", "x.constructor", "a.yml"];
  assert.deepEqual(names.map(languageOf), ["typescript", "docker", null, null, "yaml"]);
});
