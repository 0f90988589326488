import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

// What the pages say of the tree must be so.

const root = join(import.meta.dirname, "../../..");
const isOurs = (path: string): boolean => !path.includes("node_modules");

function filesOf(pattern: string): string[] {
  return globSync(pattern, { cwd: root }).filter(isOurs).toSorted();
}

function textOf(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** The numbers that the names of tests begin with, as in `C7 M6 a child…`. */
function citedNumbers(): Set<string> {
  const cited = new Set<string>();
  for (const file of filesOf("packages/*/test/**/*.ts")) {
    for (const [, numbers = ""] of textOf(file).matchAll(/["'`]((?:[PLCTRM]\d+ )+)[^"'`]/g)) {
      for (const number of numbers.trim().split(" ")) cited.add(number);
    }
  }
  return cited;
}

test("every promise is cited by a test, and every number that a test cites is promised", () => {
  const page = textOf("docs/PROMISES.md");
  const promised = [...page.matchAll(/^- \*\*([PLCTRM]\d+)\b/gm)].map(([, number]) => number ?? "");
  assert.deepEqual([...citedNumbers()].toSorted(), promised.toSorted());
});

test("every link from a page to a file leads to one", () => {
  const pages = [...filesOf("*.md"), ...filesOf("docs/**/*.md"), ...filesOf("packages/*/*.md")];
  const broken = pages.flatMap((page) =>
    [...textOf(page).matchAll(/(?:\]\(|src(?:set)?=")([^)#"\s]+)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => !existsSync(join(root, dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  );
  assert.deepEqual(broken, []);
});

test("every decision has a number of its own", () => {
  const numbers = filesOf("docs/decisions/*.md").map((file) => {
    const [number = ""] = file.slice("docs/decisions/".length).split("-");
    assert.match(textOf(file), new RegExp(`^# ${Number(number)}\\. `), file);
    return number;
  });
  assert.deepEqual(numbers, [...new Set(numbers)]);
});

test("every security claim names a test file that exists", () => {
  const rows = textOf("docs/SECURITY.md")
    .split("\n")
    .flatMap((line) => [
      ...line.matchAll(/^\| (?<claim>[^|]+?) +\| `(?<file>[^`|]+\.test\.ts)` +\|$/g),
    ])
    .map(({ groups }) => groups?.["file"] ?? "");
  assert.ok(rows.length > 5, "the table of claims is gone");
  assert.deepEqual(
    rows.filter((file) => !existsSync(join(root, "packages", file))),
    [],
  );
});
