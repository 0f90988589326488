import { globSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { matchesGlob, normalize, resolve } from "node:path";
import { ensurePackage } from "./build/ensure-package.ts";
import { openPostgresDesk } from "./postgres-desk.ts";
import { runNode } from "./run-node.ts";
import { openScratch } from "./scratch.ts";

/** Hundreds of processes load the same modules; what one has compiled, the next one reads here. */
const compiled = resolve("node_modules/.cache/compiled");

/** Files at a time: there is always one that waits for a database, a lease or another process. */
const concurrency = Math.min(8, 1 + availableParallelism());

/** Of each test, in milliseconds: one that hangs ends, and one on a machine that is very slow may go on. */
const timeLimit = 600_000;

const places = ["packages/*/test/**/*.test.ts", "scripts/test/**/*.test.ts"];

/** `npm test`: everything, or the files that the words name; options go to Node's test runner. */
export async function runTests(words: string[]): Promise<number> {
  const options = words.filter((word) => word.startsWith("-"));
  const wanted = words.filter((word) => !word.startsWith("-"));
  const files = chooseFiles(globSync(places).toSorted(), wanted);
  if (files.length === 0) {
    console.error(`holdfast: no test file matches ${wanted.join(" ")}`);
    return 1;
  }
  process.env["NODE_COMPILE_CACHE"] ??= compiled;
  // Everything: then the command is tested as it is published, which also starts in half the time.
  if (wanted.length === 0) process.env["HOLDFAST_TEST_PROGRAM"] ??= await ensurePackage(resolve());
  process.env["HOLDFAST_TEST_DISK"] = tmpdir();
  const scratch = openScratch();
  process.env["TMPDIR"] = scratch.folder;
  const desk = await openPostgresDesk();
  process.env["HOLDFAST_TEST_POSTGRES"] = desk.url;
  try {
    const runner = ["--test", `--test-concurrency=${concurrency}`, `--test-timeout=${timeLimit}`];
    if (!options.some(isReporter)) runner.push("--test-reporter=spec");
    return await runNode([...runner, ...options, ...files]);
  } finally {
    await desk.close();
    scratch.remove();
  }
}

/** A word chooses a file by its path, by a glob, or by any part of its path. */
export function chooseFiles(files: string[], words: string[]): string[] {
  if (words.length === 0) return files;
  const patterns = words.map(normalize);
  return files.filter((file) =>
    patterns.some((pattern) => file.includes(pattern) || matchesGlob(file, pattern)),
  );
}

function isReporter(option: string): boolean {
  return option.startsWith("--test-reporter=");
}
