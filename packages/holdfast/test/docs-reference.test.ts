import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { references } from "../../../scripts/reference/references.ts";

const root = join(import.meta.dirname, "../../..");
const pages = references();

test("the API reference matches the source", () => {
  const stale = pages.filter(
    ({ path, content }) => readFileSync(join(root, path), "utf8") !== content,
  );
  assert.deepEqual(
    stale.map(({ path }) => `${path} is stale. Run: npm run generate`),
    [],
  );
});

test("every exported function and class has a description and an example", () => {
  const lacking = pages.flatMap(({ path, declarations }) =>
    declarations
      .filter(({ kind }) => kind === "function" || kind === "class")
      .filter(({ text, examples }) => text === "" || examples.length === 0)
      .map(({ name }) => `${path}: ${name}`),
  );
  assert.deepEqual(lacking, []);
});
