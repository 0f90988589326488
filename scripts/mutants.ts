import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readAccepted, reasonFor } from "./mutants/accepted.ts";
import { findMutants } from "./mutants/find.ts";
import type { Mutant } from "./mutants/find.ts";
import { instrument } from "./mutants/instrument.ts";
import { describe, report } from "./mutants/report.ts";
import type { Result } from "./mutants/report.ts";
import { planStages, runStage } from "./mutants/test-stages.ts";
import type { Stage } from "./mutants/test-stages.ts";

// `npm run mutants`: does a test notice when the kernel is broken? Options: --list shows the mutants
// and ends; --only decide/cancel.ts takes some, by a part of their path and line; --without explorer
// leaves test files out, by a part of their path. Both can be repeated; neither writes docs/MUTANTS.md.

const kernel = "packages/holdfast/src/kernel";
const pageFile = "docs/MUTANTS.md";
const copy = join(import.meta.dirname, "../coverage/mutants");
const processes = 2;

const { values } = parseArgs({
  options: {
    list: { type: "boolean" },
    only: { type: "string", multiple: true },
    without: { type: "string", multiple: true },
  },
});

const texts = new Map(
  globSync("**/*.ts", { cwd: kernel })
    .toSorted()
    .map((file) => [file, readFileSync(join(kernel, file), "utf8")]),
);
const all = findMutants(texts).map((mutant, id) => ({ ...mutant, id }));
const wanted = all.filter(isWanted);

if (values.list === true) {
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
  console.log(`mutants: timing the tests on the unchanged kernel`);
  const stages = await planStages(copy, values.without ?? []);
  const results = await runAll(stages);
  await checkUnchanged(stages);
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

/** Tests that fail without a mutant would make every mutant look caught. */
async function checkUnchanged(stages: readonly Stage[]): Promise<void> {
  for (const stage of stages) {
    const verdict = await runStage(stage, -1);
    if (verdict !== "passed") throw new Error(`${stage.name} ${verdict} on the unchanged kernel`);
  }
}

/** One copy holds every mutant; which is on, each process decides for itself. */
function makeCopy(): void {
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  for (const part of ["src", "test/kernel", "package.json"]) {
    const from = join("packages/holdfast", part);
    cpSync(from, join(copy, from), { recursive: true });
  }
  for (const [file, text] of texts) {
    const mutants = all.filter((mutant) => mutant.file === file);
    writeFileSync(join(copy, kernel, file), instrument(text, mutants));
  }
}

async function runAll(stages: readonly Stage[]): Promise<Result[]> {
  const results: (Result & { place: number })[] = [];
  const left = wanted.map((mutant, place) => ({ mutant, place }));
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { mutant, place } = next;
      const caughtBy = await firstToCatch(stages, mutant.id);
      results.push({ mutant, caughtBy, place });
      const survivors = results.filter((result) => result.caughtBy === null).length;
      const where = `${mutant.file}:${mutant.line}`;
      const verdict = caughtBy === null ? "SURVIVES" : `caught by ${caughtBy}`;
      console.log(
        `${results.length} of ${wanted.length}, ${survivors} survive; ${where} ${mutant.kind} ${verdict}`,
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
