import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { z } from "zod";

// Statements of the documentation about the repository must be true.

const root = join(import.meta.dirname, "../../..");
const isOurs = (path: string): boolean => !path.includes("node_modules");

function filesOf(pattern: string): string[] {
  return globSync(pattern, { cwd: root }).filter(isOurs).toSorted();
}

function textOf(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

function pages(): string[] {
  return ["*.md", "docs/**/*.md", "packages/*/*.md", "gauntlet/*.md"].flatMap(filesOf);
}

function withoutCode(page: string): string {
  return textOf(page).replaceAll(/```[\s\S]*?```/g, "");
}

/** The anchor that GitHub gives to a heading. */
function anchor([, heading = ""]: RegExpMatchArray): string {
  const text = heading.toLowerCase().replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return text.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(/\s/g, "-");
}

/** The numbers that the names of tests begin with, as in `C7 M6 a child…`. */
function numbersIn(text: string): string[] {
  const names = text.matchAll(/["'`]((?:[PLCTRMHS]\d+ )+)[^"'`]/g);
  return names.toArray().flatMap(([, numbers = ""]) => numbers.trim().split(" "));
}

function promisedNumbers(): string[] {
  const page = textOf("docs/PROMISES.md");
  return [...page.matchAll(/^- \*\*([PLCTRMH]\d+)\b/gm)].map(([, number]) => number ?? "");
}

test("every promise is cited by a test, and every number that a test cites is promised", () => {
  const cited = new Set(filesOf("packages/*/test/**/*.ts").map(textOf).flatMap(numbersIn));
  const promises = [...cited].filter((number) => !number.startsWith("S"));
  assert.deepEqual(promises.toSorted(), promisedNumbers().toSorted());
});

interface IndexRow {
  readonly number: string;
  readonly rules: readonly string[];
  readonly tests: readonly string[];
}

function quotedIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file);
}

function indexRows(page: string): IndexRow[] {
  return [...page.matchAll(/^\| ([PLCTRMHS]\d+) +\|([^|]*)\|([^|]*)\|$/gm)].map(
    ([, number = "", rules = "", tests = ""]) => ({
      number,
      rules: quotedIn(rules),
      tests: quotedIn(tests),
    }),
  );
}

/** Empty if the file does not exist. */
function sourceOf(file: string): string {
  const path = `packages/holdfast/${file}`;
  return existsSync(join(root, path)) ? textOf(path) : "";
}

/** Rule files that do not name the promise, and test files without a test of that number. */
function wrongEntries({ number, rules, tests }: IndexRow): string[] {
  const names = new RegExp(`\\b${number}\\b`);
  return [
    ...rules.filter((file) => !names.test(sourceOf(`src/${file}`))),
    ...tests.filter((file) => !numbersIn(sourceOf(`test/${file}`)).includes(number)),
    ...(rules.length === 0 ? ["no rule"] : []),
    ...(tests.length === 0 ? ["no test"] : []),
  ].map((problem) => `${number}: ${problem}`);
}

test("the index leads from each promise to files that state it and files that test it", () => {
  const rows = indexRows(textOf("docs/PROMISE-INDEX.md"));
  const scheduler = textOf("packages/holdfast/src/runner/scheduler/step.ts");
  const rules = [...scheduler.matchAll(/^\/\/ (S\d+) /gm)].map(([, number]) => number ?? "");
  assert.deepEqual(
    rows.map(({ number }) => number),
    [...promisedNumbers(), ...rules],
  );
  assert.deepEqual(rows.flatMap(wrongEntries), []);
  const planted = "| C7 | `kernel/nothing.ts` | `kernel/packed.test.ts` |\n| S1 | | |";
  assert.deepEqual(indexRows(planted).flatMap(wrongEntries), [
    "C7: kernel/nothing.ts",
    "C7: kernel/packed.test.ts",
    "S1: no rule",
    "S1: no test",
  ]);
});

test("every source file that ARCHITECTURE.md names exists", () => {
  const named = [
    ...textOf("docs/ARCHITECTURE.md").matchAll(/(?<![\w/.-])[\w-]+(?:\/[\w-]+)+\.ts\b/g),
  ];
  assert.ok(named.length > 40, "the walk of a prompt is gone");
  const places = ["", "packages/holdfast/", "packages/holdfast/src/"];
  const missing = named
    .map(([file]) => file)
    .filter((file) => !places.some((place) => existsSync(join(root, place, file))));
  assert.deepEqual(missing, []);
});

test("every link from a page to a file leads to one", () => {
  const broken = pages().flatMap((page) =>
    [...textOf(page).matchAll(/(?:\]\(|src(?:set)?=")([^)#"\s]+)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => !existsSync(join(root, dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  );
  assert.deepEqual(broken, []);
});

test("every link from a page to a heading leads to one", () => {
  const headings = new Map<string, readonly string[]>();
  const headingsOf = (page: string): readonly string[] => {
    const known = headings.get(page) ?? [...withoutCode(page).matchAll(/^#+ (.*)$/gm)].map(anchor);
    headings.set(page, known);
    return known;
  };
  const broken = pages().flatMap((page) =>
    [...withoutCode(page).matchAll(/\]\((?<file>[^)#\s]*)#(?<heading>[^)\s]+)\)/g)]
      .map(({ groups }) => [groups?.["file"] ?? "", groups?.["heading"] ?? ""] as const)
      .filter(([file]) => file === "" || (!/^[a-z]+:/.test(file) && file.endsWith(".md")))
      .filter(([file, heading]) => {
        const target = file === "" ? page : join(dirname(page), file);
        return !headingsOf(target).includes(heading);
      })
      .map(([file, heading]) => `${page}: ${file}#${heading}`),
  );
  assert.deepEqual(broken, []);
});

test("every test and scenario that a page runs by its name exists", () => {
  const sources = [...filesOf("packages/*/test/**/*.ts"), ...filesOf("gauntlet/scenarios/**/*.ts")];
  const text = sources.map(textOf).join("\n");
  const names = pages()
    .flatMap((page) => [...textOf(page).matchAll(/--(?:test-name-pattern=|only )"([^"]+)"/g)])
    .map(([, name = ""]) => name);
  assert.ok(names.length > 2, "no page runs a test by its name");
  assert.deepEqual(
    names.filter((name) => !text.includes(name)),
    [],
  );
});

test("every command of CONTRIBUTING.md prints its options after --help", () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(textOf("package.json")));
  const files = Object.values(scripts)
    .map((command) => / (scripts\/[a-z-]+\.ts)$/.exec(command)?.[1] ?? "")
    .filter((file) => file !== "" && file !== "scripts/start.ts");
  assert.ok(files.length > 15, "the scripts are gone");
  assert.deepEqual(
    files.filter((file) => !/\b(?:showHelp|readArguments)\(/.test(textOf(file))),
    [],
  );
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
      ...line.matchAll(/^\| (?<claim>[^|]+?) +\| `(?<file>[^`|]+\.(?:test|story)\.ts)` +\|$/g),
    ])
    .map(({ groups }) => groups?.["file"] ?? "");
  assert.ok(rows.length > 5, "the table of claims is gone");
  assert.deepEqual(
    rows.filter((file) => !existsSync(join(root, "packages", file))),
    [],
  );
});
