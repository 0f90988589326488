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

test("no test has its own wait loop, which would hang without a message", () => {
  const files = globSync("{packages/*,gauntlet,scripts,bench}/test/**/*.{ts,tsx}", { cwd: root });
  assert.ok(files.length > 300, "the tests were not found");
  assert.deepEqual(
    files.flatMap((path) =>
      endlessWaits(read(path)).map((line) => `${path}: ${line}; use waitFor`),
    ),
    [],
  );
  const waits = ["while (!done) await pause();", "while (!(await isThere()));"];
  assert.deepEqual(endlessWaits(waits.join("\n")), waits);
});

/** Loops that only wait, without a limit or a signal: `while (condition) await …;` or an empty body. */
function endlessWaits(source: string): readonly string[] {
  const within = String.raw`(?:[^()\n]|\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\))*`;
  const loops = source.match(new RegExp(String.raw`^ *while \(${within}\)(?: await\b.*)?;$`, "gm"));
  const isBounded = /performance\.now\(\)|\bsignal\b/;
  return (loops ?? []).map((line) => line.trim()).filter((line) => !isBounded.test(line));
}
