import assert from "node:assert/strict";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { groupTests } from "../group-tests.ts";

test("groups contain each test file once, and a file that changes its process is alone", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "group-tests-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const files = globSync("packages/*/test/**/*.test.ts").toSorted();
  const groups = groupTests(files, folder).map(filesOf);
  assert.deepEqual(groups.flat().toSorted(), files.map((file) => resolve(file)).toSorted());
  assert.ok(groups.length < files.length / 2, `${groups.length} groups of ${files.length} files`);
  const [changing = []] = groups.filter((group) =>
    group.some((file) => file.includes("foreign-signals")),
  );
  assert.equal(changing.length, 1);
});

/** Paths of the test files that an entry file imports. */
function filesOf(entry: string): string[] {
  const imports = readFileSync(entry, "utf8").matchAll(/await import\("(file:[^"]+)"\)/g);
  return Array.from(imports, ([, url = ""]) => fileURLToPath(url));
}
