import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readAccepted, reasonFor } from "./mutants/accepted.ts";
import { findMutants } from "./mutants/find.ts";
import type { Mutant } from "./mutants/find.ts";
import { instrument } from "./mutants/instrument.ts";
import { describe, report } from "./mutants/report.ts";
import type { Result } from "./mutants/report.ts";
import { readArguments } from "./read-arguments.ts";
import { planStages, runStage } from "./mutants/test-stages.ts";
import type { Stage } from "./mutants/test-stages.ts";

const usage = `npm run mutants -- [options]

Breaks the kernel and the scheduler in one small way at a time, and checks that a test fails. A
run without options writes the result to docs/MUTANTS.md.

  --list            List the changes without testing them
  --only TEXT       Only changes whose file and line contain the text, such as decide/cancel.ts or
                    decide/cancel.ts:34; may be repeated
  --without TEXT    Skip test files whose path contains the text; may be repeated`;

/** Folders with pure code, each with the tests that must notice its mutants. Paths are below packages/holdfast. */
const subjects = [
  { source: "src/kernel", tests: "test/kernel" },
  { source: "src/runner/scheduler", tests: "test/runner/scheduler" },
] as const;
const home = "packages/holdfast";
const pageFile = "docs/MUTANTS.md";
const copy = join(import.meta.dirname, "../coverage/mutants");
const processes = 2;

const { values } = readArguments({
  usage,
  options: {
    list: { type: "boolean" },
    only: { type: "string", multiple: true },
    without: { type: "string", multiple: true },
  },
});

/** Source files by their path below `src`. */
const texts = new Map(
  subjects.flatMap(({ source }) =>
    globSync(`${source}/**/*.ts`, { cwd: home })
      .toSorted()
      .map((file) => [file.slice("src/".length), readFileSync(join(home, file), "utf8")] as const),
  ),
);
const all = findMutants(texts).map((mutant, id) => ({ ...mutant, id }));
const wanted = all.filter(isWanted);

if (wanted.length === 0) {
  console.error("No change matches --only. To see all changes, run: npm run mutants -- --list");
  process.exitCode = 2;
} else if (values.list === true) {
  for (const mutant of wanted) console.log(describe(mutant));
  console.log(`${wanted.length} mutants`);
} else {
  process.exitCode = await main();
}

function isWanted({ file, line }: Mutant): boolean {
  return values.only?.every((part) => !`${file}:${line}`.includes(part)) !== true;
}

async function main(): Promise<number> {
  makeCopy();
  const results: Result[] = [];
  for (const { source, tests } of subjects) {
    const own = wanted.filter(({ file }) => `src/${file}`.startsWith(`${source}/`));
    if (own.length === 0) continue;
    console.log(`mutants: timing ${tests} on the unchanged source`);
    const stages = await planStages({ copy, tests, without: values.without ?? [] });
    results.push(...(await runAll(stages, own)));
    await checkUnchanged(stages);
  }
  const day = new Date().toISOString().slice(0, 10);
  const page = readFileSync(pageFile, "utf8");
  const { passes, summary, markdown } = report({ results, accepted: readAccepted(), day, page });
  for (const { mutant, caughtBy } of results) {
    if (caughtBy !== null) continue;
    console.log(
      `survives: ${describe(mutant)}: ${reasonFor(readAccepted(), mutant) ?? "no reason"}`,
    );
  }
  console.log(summary);
  if (values.only === undefined && values.without === undefined) writeFileSync(pageFile, markdown);
  rmSync(copy, { recursive: true });
  return passes ? 0 : 1;
}

/** Checks that the tests pass without a mutant. Otherwise every mutant would look caught. */
async function checkUnchanged(stages: readonly Stage[]): Promise<void> {
  for (const stage of stages) {
    const verdict = await runStage(stage, -1);
    if (verdict !== "passed") throw new Error(`${stage.name} ${verdict} on the unchanged source`);
  }
}

/** Creates one copy of the source code that contains all mutants. Each test process turns on one mutant. */
function makeCopy(): void {
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  const parts = ["src", "test/support", "package.json", ...subjects.map(({ tests }) => tests)];
  for (const part of parts) {
    const from = join(home, part);
    cpSync(from, join(copy, from), { recursive: true });
  }
  for (const [file, text] of texts) {
    const mutants = all.filter((mutant) => mutant.file === file);
    writeFileSync(join(copy, home, "src", file), instrument(text, mutants));
  }
}

async function runAll(
  stages: readonly Stage[],
  mutants: readonly (Mutant & { readonly id: number })[],
): Promise<Result[]> {
  const results: (Result & { place: number })[] = [];
  const left = mutants.map((mutant, place) => ({ mutant, place }));
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { mutant, place } = next;
      const caughtBy = await firstToCatch(stages, mutant.id);
      results.push({ mutant, caughtBy, place });
      const survivors = results.filter((result) => result.caughtBy === null).length;
      const where = `${mutant.file}:${mutant.line}`;
      const verdict = caughtBy === null ? "SURVIVES" : `caught by ${caughtBy}`;
      console.log(
        `${results.length} of ${mutants.length}, ${survivors} survive; ${where} ${mutant.kind} ${verdict}`,
      );
    }
  };
  await Promise.all(Array.from({ length: processes }, work));
  return results.toSorted((a, b) => a.place - b.place);
}

async function firstToCatch(stages: readonly Stage[], id: number): Promise<string | null> {
  for (const stage of stages) {
    const verdict = await runStage(stage, id);
    if (verdict !== "passed") return verdict === "failed" ? stage.name : `${stage.name}, in time`;
  }
  return null;
}
