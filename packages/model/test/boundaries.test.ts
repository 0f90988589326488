import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const source = join(import.meta.dirname, "../src");
const importPattern = /(?:\bfrom\s+|\bimport\(\s*|^import\s+)["'](?<target>[^"']+)["']/gm;

test("the model imports only itself and the SDK, so that it works without a page or a terminal", () => {
  const files = globSync("**/*.ts", { cwd: source }).toSorted();
  assert.ok(files.includes("conversation.ts"));
  const strangers = files.flatMap((file) =>
    [...readFileSync(join(source, file), "utf8").matchAll(importPattern)]
      .map(({ groups }) => groups?.["target"] ?? "")
      .filter((target) => !target.startsWith("./") && target !== "@holdfast/sdk")
      .map((target) => `${file}: ${target}`),
  );
  assert.deepEqual(strangers, []);
});
