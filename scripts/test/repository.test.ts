import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

test("package-lock.json names no host to download from", () => {
  const lock: { packages: Record<string, { resolved?: string }> } = JSON.parse(
    read("package-lock.json"),
  );
  const hosts = Object.values(lock.packages).filter((entry) => entry.resolved?.includes(":"));
  assert.deepEqual(hosts, []);
});

test("package-lock.json has every optional package, so npm ci works on each platform", () => {
  const lock: { packages: Record<string, { optionalDependencies?: Record<string, string> }> } =
    JSON.parse(read("package-lock.json"));
  const wanted = Object.values(lock.packages).flatMap((entry) =>
    Object.keys(entry.optionalDependencies ?? {}),
  );
  const missing = wanted.filter((name) => lock.packages[`node_modules/${name}`] === undefined);
  assert.deepEqual(missing, []);
});

test("no tracked file contains a path of a developer's machine", () => {
  const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" });
  const files = tracked.split("\0").filter((path) => path !== "" && existsSync(join(root, path)));
  const machinePath = /(?<![\w.}/-])\/(?:home|root|work|Users)\/\w/;
  assert.ok(files.includes("package.json"));
  assert.deepEqual(
    files.filter((path) => machinePath.test(read(path))),
    [],
  );
});

test("a swallowed error in src has a comment with the reason", () => {
  const files = globSync("packages/*/src/**/*.{ts,tsx}", { cwd: root });
  assert.ok(files.length > 500, "the sources were not found");
  assert.deepEqual(
    files.flatMap((path) => unexplained(read(path)).map((line) => `${path}:${line}`)),
    [],
  );
  const explained =
    "// It is only a cache.\nwork().catch(() => {});\ntry {\n} catch {\n  // Why.\n}";
  assert.deepEqual(unexplained(explained), []);
  const bare =
    'work().catch(() => {});\nsocket.on("error", () => {});\nwork.then(\n  end,\n  () => {},\n);\ntry {\n} catch {}\n';
  assert.deepEqual(unexplained(bare), [1, 2, 5, 8]);
});

const comment = /^\s*(?:\/\/|\/?\*)/;
const swallows = /\.catch\(\(\) => \{\}\)|\.on\("error", \(\) => \{\}\)|catch \{\s*\}/;

/** Lines that swallow a failure and have no comment in the four lines before them. */
function unexplained(source: string): readonly number[] {
  const lines = source.split("\n");
  return lines.flatMap((line, index) => {
    const before = lines.slice(Math.max(0, index - 4), index);
    const isHandler =
      /^\s*\(\) => \{\},$/.test(line) && before.some((one) => one.endsWith("then("));
    return (swallows.test(line) || isHandler) && !before.some((one) => comment.test(one))
      ? [index + 1]
      : [];
  });
}

test("no test and no gauntlet target has its own wait loop, which would hang without a message", () => {
  const tests = "{packages/*,gauntlet,scripts,bench}/test/**/*.{ts,tsx}";
  const files = globSync([tests, "gauntlet/{targets,scenarios}/**/*.ts"], { cwd: root });
  assert.ok(files.length > 300, "the tests were not found");
  assert.ok(
    files.some((path) => path.startsWith("gauntlet/targets/")),
    "the targets were not found",
  );
  assert.deepEqual(
    files.flatMap((path) =>
      endlessWaits(read(path)).map((line) => `${path}: ${line}; use waitFor, in targets waitUntil`),
    ),
    [],
  );
  const waits = [
    "while (!done) await pause();",
    "while (!(await isThere()));",
    "for (let tries = 0; !done; tries += 1) await pause();",
    "for (let tries = 0; !done; tries += 1) {\n  await send();\n  await delay(20);\n}",
    "while (!done) {\n  await delay(20);\n}",
  ];
  assert.deepEqual(endlessWaits(waits.join("\n")), waits);
  const bounded = [
    "for (let tries = 0; tries < 10; tries += 1) await pause();",
    "for (const each of list) {\n  await delay(20);\n}",
    "while (!done) {\n  if (performance.now() > end) throw late();\n  await delay(20);\n}",
    "while (!done) await delay(20, undefined, { signal });",
  ];
  assert.deepEqual(endlessWaits(bounded.join("\n")), []);
});

/**
 * Loops that wait for the condition in their head, without a limit or a signal. `for (;;)` has no condition: such loops
 * also read streams, and end from inside.
 */
function endlessWaits(source: string): readonly string[] {
  const within = String.raw`(?:[^()\n]|\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\))*`;
  const body = String.raw`;| await\b.*;| \{\n[^]*?\n\k<indent>\}`;
  const loop = String.raw`^(?=(?<text>(?<indent> *)(?<kind>while|for) \((?<head>${within})\)(?<body>${body})$))`;
  const loops = [...source.matchAll(new RegExp(loop, "gm"))].map(({ groups = {} }) => groups);
  const endless = loops.filter(({ text = "", kind, head = "", body: work = "" }) => {
    const condition = kind === "while" ? head : (head.split(";")[1] ?? "");
    const counts = kind === "for" && (condition.trim() === "" || /[<>]/.test(condition));
    const waits = !work.startsWith(" {") || /\bawait (?:delay|pause|sleep)\(/.test(work);
    return !counts && waits && !/performance\.now\(\)|\bsignal\b|[aA]borted\b/.test(text);
  });
  return endless.map(({ text = "" }) => text.trim());
}
