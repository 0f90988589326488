import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { PermissionRule } from "../../../../src/agent/permissions/rule.ts";
import { decidePermission } from "../../../../src/agent/permissions/rules.ts";
import { allowedHeads, createCandidate, createRandom, recordedPrograms } from "./candidates.ts";
import { createRecordingShell } from "./recording-shell.ts";
import type { Execution, Recording, RecordingShell, RunOptions } from "./recording-shell.ts";

export interface FuzzResult {
  /** Lines that were made, and those of them that the rules allow. */
  readonly tried: number;
  readonly allowed: number;
  /** Per shell: programs that were started. */
  readonly executions: Readonly<Record<string, number>>;
  /** Lines that ran more than a rule says; none may. */
  readonly violations: readonly string[];
}

const rules: readonly PermissionRule[] = [
  { action: "run", pattern: "*", effect: "ask" },
  { action: "run", pattern: "rm *", effect: "deny" },
  ...[...allowedHeads, "cd src && ls", "cd src && npm test"].map((head): PermissionRule => ({
    action: "run",
    pattern: `${head} *`,
    effect: "allow",
  })),
];

/** The shells of this machine that a command may run in, each once. */
export function shellsHere(): readonly string[] {
  const present = ["/bin/bash", "/bin/dash", "/bin/sh"].filter((path) => existsSync(path));
  return present.filter(
    (path, at) => present.findIndex((other) => real(other) === real(path)) === at,
  );
}

function real(path: string): string {
  return realpathSync(path);
}

/**
 * Generates command lines until this number is allowed by a rule, runs each allowed line with every shell, and
 * compares the started programs with the rules.
 */
export async function fuzzShell(options: {
  seed: number;
  /** Number of allowed lines to run. */
  lines: number;
  folder: string;
  shells: readonly string[];
  onProgress?: (allowed: number, violations: readonly string[]) => void;
}): Promise<FuzzResult> {
  const { seed, lines, folder, shells, onProgress } = options;
  const random = createRandom(seed);
  const recorders = shells.map((shell, number) => {
    const place = join(folder, String(number));
    mkdirSync(place, { recursive: true });
    return createRecordingShell({ shell, folder: place, programs: recordedPrograms });
  });
  const executions: Record<string, number> = Object.fromEntries(shells.map((shell) => [shell, 0]));
  const violations: string[] = [];
  let batches = 0;
  let tried = 0;
  let allowed = 0;
  while (allowed < lines) {
    const batch: string[] = [];
    while (batch.length < Math.min(200, lines - allowed)) {
      tried += 1;
      const subject = createCandidate(random);
      if (decidePermission(rules, { action: "run", subject }) === "allow") batch.push(subject);
    }
    batches += 1;
    const run = { exitCode: random() < 0.5 ? 0 : 1, asFunctions: batches % 10 !== 1 } as const;
    const recordings = await Promise.all(recorders.map((recorder) => recorder.run(batch, run)));
    for (const [number, recorder] of recorders.entries()) {
      const { shell } = recorder;
      for (const [place, recording] of (recordings[number] ?? []).entries()) {
        const line = batch[place] ?? "";
        executions[shell] = (executions[shell] ?? 0) + recording.executions.length;
        for (const problem of await confirmedProblems(recorder, { line, recording, run })) {
          violations.push(`${shell}: ${JSON.stringify(line)}: ${problem}`);
        }
      }
    }
    allowed += batch.length;
    onProgress?.(allowed, violations);
  }
  return { tried, allowed, executions, violations };
}

/** Runs a suspicious line again: both sides of a pipe may have written into one record at once. */
async function confirmedProblems(
  recorder: RecordingShell,
  { line, recording, run }: { line: string; recording: Recording; run: RunOptions },
): Promise<readonly string[]> {
  if (problemsOf(recording).length === 0) return [];
  const again = await recorder.run([line], { ...run, asFunctions: false });
  return again.flatMap(problemsOf);
}

/** Lists started programs and options that no rule of the fuzz names. Does not use the parser under test. */
function problemsOf({ executions, traces }: Recording): readonly string[] {
  const ran = executions.filter((execution) => !isCovered(execution));
  return [...ran.map((execution) => `ran ${JSON.stringify(execution)}`), ...traces];
}

function isCovered(execution: Execution): boolean {
  const head = allowedHeads.find((known) => {
    const words = known.split(" ");
    return words.every((word, at) => word === execution[at]);
  });
  if (head === undefined) return false;
  const rest = execution.slice(head.split(" ").length);
  const dashes = rest.indexOf("--");
  const before = dashes === -1 ? rest : rest.slice(0, dashes);
  // After an option of these programs `--` may be its value.
  const isEnd = head === "npm test" || !before.some((word) => word.startsWith("-"));
  const options = isEnd ? before : rest;
  return !options.some((word) => hostile[head]?.some((option) => isOption(option, word)) === true);
}

/** Whether a program takes the word for this option: abbreviated, or as a letter among others. */
function isOption(option: string, word: string): boolean {
  if (!option.startsWith("--")) return /^-[^-]/.test(word) && word.includes(option.slice(1));
  const [name = ""] = word.split("=", 1);
  return name.length > 2 && option.startsWith(name);
}

/** Options that run a program or write. */
const hostile: Readonly<Record<string, readonly string[]>> = {
  "git fetch": ["--upload-pack"],
  "git grep": ["-O", "--open-files-in-pager"],
  sort: ["-o", "-T", "--output", "--compress-program", "--temporary-directory"],
  split: ["--filter"],
  "npm test": ["-C", "--script-shell", "--prefix"],
};
