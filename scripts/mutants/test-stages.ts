import { spawn } from "node:child_process";
import { globSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Tests that run in one process. A mutant that survives a stage is tested by the next, slower stage. */
export interface Stage {
  readonly name: string;
  readonly file: string;
  readonly limit: number;
}

/** Test files faster than this (in milliseconds) share the first process. */
const quick = 1500;

/** Folder of the compile cache, because thousands of processes load the same modules. */
const compiled = resolve("node_modules/.cache/mutants");

/** Runs every test file on the unchanged source and sorts the files by duration. */
export async function planStages(options: {
  readonly copy: string;
  /** Folder of the tests, below packages/holdfast. */
  readonly tests: string;
  readonly without: readonly string[];
}): Promise<Stage[]> {
  const { copy, tests, without } = options;
  const files = globSync(`packages/holdfast/${tests}/**/*.test.ts`, { cwd: copy })
    .filter((name) => without.every((part) => !name.includes(part)))
    .toSorted();
  const timed: { file: string; time: number }[] = [];
  for (const name of files) {
    const file = join(copy, name);
    const start = performance.now();
    const verdict = await runStage({ name, file, limit: 120_000 }, -1);
    if (verdict !== "passed")
      throw new Error(`${name} failed on the unchanged source (${verdict})`);
    timed.push({ file, time: performance.now() - start });
  }
  const quickest = timed.filter(({ time }) => time < quick);
  const all = join(copy, "quick-tests.ts");
  writeFileSync(
    all,
    quickest.map(({ file }) => `import "${pathToFileURL(file).href}";\n`).join(""),
  );
  const first = { file: all, time: quickest.reduce((sum, { time }) => sum + time, 0) };
  const dear = timed.filter(({ time }) => time >= quick).toSorted((a, b) => a.time - b.time);
  return [...(quickest.length > 0 ? [first] : []), ...dear].map(({ file, time }) => ({
    name: relative(copy, file),
    file,
    limit: 10_000 + 4 * time,
  }));
}

export type Verdict = "passed" | "failed" | "timed out";

/**
 * Runs a group of tests with one mutant (a deliberate bug in the code). The tests should fail, or time out in an
 * endless loop. The time limit counts processor time, so that a busy machine does not cause a timeout.
 */
export function runStage(stage: Stage, mutant: number): Promise<Verdict> {
  const preload = join(import.meta.dirname, "preload.ts");
  const seconds = String(Math.ceil(stage.limit / 1000));
  const command = ["-c", 'ulimit -t "$0" && exec "$@"', seconds, process.execPath];
  const child = spawn("sh", [...command, "--import", preload, stage.file], {
    stdio: "ignore",
    env: {
      ...process.env,
      HOLDFAST_MUTANT: String(mutant),
      HOLDFAST_RUNS: "400",
      // All mutants are in the same compiled code: a variable turns one of them on.
      NODE_COMPILE_CACHE: compiled,
    },
  });
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code, signal) => {
      done(signal !== null ? "timed out" : code === 0 ? "passed" : "failed");
    });
  });
}
