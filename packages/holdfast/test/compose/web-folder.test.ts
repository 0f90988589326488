import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { webFolder, webPageAdvice } from "../../src/compose/web-folder.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

test("in a clone, the web page is beside the package, and the advice to build it ends with its build", (t) => {
  const root = join(scratchFolder(t, "clone"), "holdfast");
  const built = join(root, "../web/dist");
  assert.equal(webFolder(root), built);
  assert.match(webPageAdvice(root) ?? "", /has not been built; .* npm run build:web$/);
  mkdirSync(built, { recursive: true });
  writeFileSync(join(built, "index.html"), "");
  assert.equal(webPageAdvice(root), null);
});

test("an installed package has the web page in its own folder", (t) => {
  const root = scratchFolder(t, "package");
  mkdirSync(join(root, "web"));
  writeFileSync(join(root, "web", "index.html"), "");
  assert.deepEqual([webFolder(root), webPageAdvice(root)], [join(root, "web"), null]);
});
