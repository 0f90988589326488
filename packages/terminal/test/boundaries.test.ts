import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const source = join(import.meta.dirname, "../src");
const importPattern = /(?:\bfrom\s+|\bimport\(\s*|^import\s+)["'](?<target>[^"']+)["']/gm;
const allowed =
  /^(?:\.|@holdfast\/(?:sdk$|model\/)|@earendil-works\/pi-tui\/dist\/|highlight\.js\/lib\/|node:)/;

test("the terminal reaches the server only through the SDK and imports few other packages", () => {
  const files = globSync("**/*.ts", { cwd: source }).toSorted();
  assert.ok(files.includes("run-terminal.ts"));
  const strangers = files.flatMap((file) =>
    [...readFileSync(join(source, file), "utf8").matchAll(importPattern)]
      .map(({ groups }) => groups?.["target"] ?? "")
      .filter((target) => !allowed.test(target) || join(file, "..", target).startsWith(".."))
      .map((target) => `${file}: ${target}`),
  );
  assert.deepEqual(strangers, []);
});
