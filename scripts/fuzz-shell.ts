import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fuzzShell, shellsHere } from "../packages/holdfast/test/agent/permissions/fuzz/fuzz.ts";
import { readArguments } from "./read-arguments.ts";

const usage = `npm run fuzz:shell -- [options]

Runs command lines that a permission rule allows in every shell of this machine. Fails if one of
them starts a program that the rule does not name. See docs/TOOLS.md.

  --lines N    Number of command lines (default: 100000)
  --seed N     Repeat the command lines of an earlier run (default: random)`;

const { values } = readArguments({
  usage,
  options: {
    lines: { type: "string", default: "100000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
  },
});
const folder = mkdtempSync(join(tmpdir(), "holdfast-fuzz-"));
const shells = shellsHere();
const seed = Number(values.seed);
const lines = Number(values.lines);
console.log(`${lines} allowed command lines, shells ${shells.join(" and ")}, seed ${seed}`);
const began = performance.now();
let shown = 0;
let reported = 0;
try {
  const { tried, allowed, executions, violations } = await fuzzShell({
    seed,
    lines,
    folder,
    shells,
    onProgress: (done, problems) => {
      for (const problem of problems.slice(reported)) console.log(`  ${problem}`);
      reported = problems.length;
      if (done < shown + 5_000 && done < lines) return;
      shown = done;
      const seconds = Math.round((performance.now() - began) / 1_000);
      console.log(`  ${done} lines after ${seconds} s, ${problems.length} violations`);
    },
  });
  const started = Object.entries(executions).map(([shell, count]) => `${shell} ${count}`);
  console.log(`${tried} lines made, ${allowed} allowed; programs started: ${started.join(", ")}`);
  console.log(`${violations.length} lines ran more than the rule allows`);
  if (violations.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
