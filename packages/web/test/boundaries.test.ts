import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const source = join(import.meta.dirname, "../src");
const importPattern = /(?:\bfrom\s+|\bimport\(\s*|^import\s+)["'](?<target>[^"']+)["']/gm;

const packages = [
  "@holdfast/sdk",
  "dompurify",
  "marked",
  "morphdom",
  "remend",
  "shiki/core",
  "shiki/engine/javascript",
  "solid-js",
  "solid-js/store",
  "solid-js/web",
];

/** Files that the page loads on demand, each with the packages that only this file may import. */
const onDemand: Readonly<Record<string, RegExp>> = {
  "model/config-schema.ts": /^jsonc-parser$/,
  "ui/math.ts": /^temml$/,
  "views/settings/code-editor.ts": /^@codemirror\/[a-z]+$|^@lezer\/highlight$/,
};

function importsOf(file: string): string[] {
  const text = readFileSync(join(source, file), "utf8");
  return [...text.matchAll(importPattern)].map(({ groups }) => groups?.["target"] ?? "");
}

function isAllowed(file: string, target: string): boolean {
  if (/^(?:shiki\/langs|@holdfast\/model)\//.test(target) || packages.includes(target)) return true;
  if (onDemand[file]?.test(target) === true) return true;
  return target.startsWith(".") && !join(file, "..", target).startsWith("..");
}

const files = globSync("**/*.{ts,tsx}", { cwd: source }).toSorted();

test("the page reaches the server only through the SDK and imports few other packages", () => {
  assert.ok(files.includes("main.tsx"));
  const strangers = files.flatMap((file) =>
    importsOf(file).flatMap((target) => (isAllowed(file, target) ? [] : [`${file}: ${target}`])),
  );
  assert.deepEqual(strangers, []);
});
