import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { en } from "../src/i18n/en.ts";
import { zh } from "../src/i18n/zh.ts";

/** Words that are the same in both languages, or names. */
const alike = new Set([
  "app.name",
  "nav.api",
  "composer.stopHint",
  "settings.languages.en",
  "settings.languages.zh",
]);

function leaves(value: object, path: string): [path: string, leaf: unknown][] {
  return Object.entries(value).flatMap(([key, each]) =>
    typeof each === "object" && each !== null
      ? leaves(each, `${path}${key}.`)
      : [[`${path}${key}`, each] as [string, unknown]],
  );
}

test("every word is there in Chinese, and is another than in English", () => {
  const chinese = new Map(leaves(zh, ""));
  assert.deepEqual(
    [...chinese.keys()].toSorted(),
    leaves(en, "")
      .map(([path]) => path)
      .toSorted(),
  );
  const untranslated = leaves(en, "").filter(
    ([path, text]) => typeof text === "string" && chinese.get(path) === text && !alike.has(path),
  );
  assert.deepEqual(untranslated, []);
});

test("no words stand in the code of the page", () => {
  const source = join(import.meta.dirname, "../src");
  const found = globSync("**/*.tsx", { cwd: source }).flatMap((file) => {
    const text = readFileSync(join(source, file), "utf8");
    // Text between tags, and labels given as plain strings.
    const between = [...text.matchAll(/>\s*([A-Z][a-z]+(?: [a-z]+)+[.!?…]?)\s*</g)];
    const labels = [
      ...text.matchAll(/(?:aria-label|title|placeholder|label)="([^"]*[a-z]{2} [^"]*)"/g),
    ];
    return [...between, ...labels].map((match) => `${file}: ${match[1]}`);
  });
  assert.deepEqual(found, []);
});
