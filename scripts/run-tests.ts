import { globSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { matchesGlob, normalize, resolve } from "node:path";
import { wrongPrograms } from "../packages/holdfast/test/support/postgres.ts";
import { ensurePackage } from "./build/ensure-package.ts";
import { sharePostgres } from "./shared-postgres.ts";
import { groupTests } from "./group-tests.ts";
import { runNode } from "./run-node.ts";
import { openScratch } from "./scratch.ts";

/** Folder of the compile cache, because hundreds of processes load the same modules. */
const compiled = resolve("node_modules/.cache/compiled");

/** Number of test processes at a time. Two more than cores, because many tests wait for processes. */
const concurrency = Math.min(8, 2 + availableParallelism());

/**
 * Time limit of each test in milliseconds. Ends a test that hangs, but not one on a very slow
 * machine.
 */
const timeLimit = 600_000;

const testFiles = ["packages/*/test/**/*.test.ts", "scripts/test/**/*.test.ts"];

/**
 * Runs `npm test`: all files, or those that match the words. Options are passed to Node's test
 * runner.
 */
export async function runTests(words: string[], places = testFiles): Promise<number> {
  const options = words.filter((word) => word.startsWith("-"));
  const wanted = words.filter((word) => !word.startsWith("-"));
  const files = chooseFiles(globSync(places).toSorted(), wanted);
  if (files.length === 0) {
    console.error(`holdfast: no test file matches ${wanted.join(" ")}`);
    return 1;
  }
  const problem = wrongPrograms();
  if (problem !== null) {
    console.error(`holdfast: ${problem}`);
    return 1;
  }
  process.env["NODE_COMPILE_CACHE"] ??= compiled;
  // When testing everything, test the command as it is published, which also starts in half the time.
  if (wanted.length === 0) process.env["HOLDFAST_TEST_PROGRAM"] ??= await ensurePackage(resolve());
  process.env["HOLDFAST_TEST_DISK"] = tmpdir();
  const scratch = openScratch();
  process.env["TMPDIR"] = scratch.folder;
  const postgres = await sharePostgres();
  process.env["HOLDFAST_TEST_POSTGRES"] = postgres.url;
  try {
    const runner = ["--test", `--test-concurrency=${concurrency}`, `--test-timeout=${timeLimit}`];
    if (!options.some(isReporter)) runner.push("--test-reporter=spec");
    const entries = files.length > 20 ? groupTests(files, scratch.folder) : files;
    return await runNode([...runner, ...options, ...entries]);
  } finally {
    await postgres.close();
    scratch.remove();
  }
}

/** Selects files by path, by glob, or by a part of the path. */
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
