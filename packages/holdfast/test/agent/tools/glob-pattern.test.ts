import assert from "node:assert/strict";
import { test } from "node:test";
import { escapeGlob, pathGlob, textGlob } from "../../../src/agent/tools/glob-pattern.ts";
import { processorTime } from "../../support/processor-time.ts";

const matching: [pattern: string, paths: string[]][] = [
  ["*.ts", ["a.ts", ".ts"]],
  ["**/*.ts", ["a.ts", "x/y/a.ts"]],
  ["src/**", ["src", "src/a", "src/a/b"]],
  ["src/**/b", ["src/b", "src/x/y/b"]],
  ["**/x/**/y", ["x/y", "a/x/b/x/c/y"]],
  ["{a,b{c,d}}.?s", ["a.ts", "bc.js", "bd.ts"]],
  ["[a-c]x[!0-9]", ["axb", "cx-"]],
  ["[]]", ["]"]],
  ["a\\*b", ["a*b"]],
  ["[ab", ["[ab"]],
  ["{a", ["{a"]],
  ["😀?", ["😀😀"]],
];

const different: [pattern: string, paths: string[]][] = [
  ["*.ts", ["x/a.ts", "a.tsx"]],
  ["src/**", ["srcs", "x/src/a"]],
  ["src/*", ["src", "src/a/b"]],
  ["[a-c]x[!0-9]", ["dxb", "ax1"]],
  ["a\\*b", ["axb"]],
  ["a", ["A"]],
];

test("each glob pattern matches exactly the expected paths", () => {
  const wrong = [
    ...matching.flatMap(([pattern, paths]) =>
      paths.filter((path) => !pathGlob(pattern)(path)).map((path) => `${pattern} misses ${path}`),
    ),
    ...different.flatMap(([pattern, paths]) =>
      paths.filter((path) => pathGlob(pattern)(path)).map((path) => `${pattern} matches ${path}`),
    ),
  ];
  assert.deepEqual(wrong, []);
});

test("an escaped text matches only itself", () => {
  const text = "a*b?[c]{d,e}\\f";
  assert.equal(pathGlob(escapeGlob(text))(text), true);
  assert.equal(textGlob(escapeGlob(text))(text), true);
  assert.equal(textGlob(escapeGlob("a*"))("ab"), false);
});

test("every glob pattern is matched quickly", async () => {
  const took = await processorTime(() => {
    assert.equal(textGlob("*a".repeat(200) + "b")("a".repeat(5_000)), false);
    assert.equal(pathGlob("**/a/".repeat(50) + "b")("a/".repeat(1_000)), false);
    assert.equal(pathGlob("{a,b}".repeat(100))("c"), false);
  });
  assert.ok(took < 2_000, `${took} ms`);
});
