import { readFileSync } from "node:fs";
import { helpText } from "./help.ts";
import { readOptions, WrongOptions } from "./options.ts";
import type { Options, Program } from "./options.ts";
import { hasReachedModel, play } from "./play.ts";
import { line, machine, mergeRecords, summary, timeline, version } from "./report.ts";
import type { GauntletRecord, Report } from "./report.ts";
import type { Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios/all.ts";
import type { TargetKind } from "./targets/target-kind.ts";
import { writeResults } from "./write-results.ts";

/**
 * Runs the gauntlet: it tests a target through its public interface, with race conditions in which products lose
 * prompts or results. Returns the exit code.
 */
export async function runGauntlet(started: Program): Promise<number> {
  try {
    const options = readOptions(started);
    switch (options.action) {
      case "help":
        console.log(helpText(started));
        return 0;
      case "version":
        console.log(version);
        return 0;
      case "list":
        for (const { name, about } of options.chosen) console.log(`${name}\n    ${about}`);
        return 0;
      case "play":
        return options.from.length > 0 ? mergeFiles(options) : await playAll(started, options);
    }
  } catch (error) {
    if (!(error instanceof WrongOptions)) throw error;
    printError(`${error.message}. For help, run: ${started.program} --help`);
    return 2;
  }
}

async function playAll(started: Program, options: Options): Promise<number> {
  const { kinds, stores, command, chosen, timeout, output } = options;
  const reports: Report[] = [];
  const at = new Date().toISOString();
  let isWhole = true;
  for (const kind of kinds) {
    const own = kind.stores.filter((store) => stores.includes(store));
    for (const store of kind.stores.length === 0 ? [null] : own) {
      const report = await playAgainst({ kind, store, command, chosen, timeout });
      if (report === null) isWhole = false;
      else reports.push(report);
    }
  }
  if (reports.length === 0) return 2;
  const words = [started.program, ...started.args.map(withoutSecret).map(quoted)].join(" ");
  const code = finish({ at, machine: machine(), command: words, reports }, output);
  return isWhole ? code : 2;
}

/** Merges the result files of earlier test runs into one report. */
function mergeFiles({ from, output }: Options): number {
  const records = from.map(readRecord);
  const order = scenarios.map(({ name }) => name);
  return finish(mergeRecords(records, order), output);
}

function readRecord(file: string): GauntletRecord {
  try {
    const record: GauntletRecord = JSON.parse(readFileSync(file, "utf8"));
    if (Array.isArray(record.reports)) return record;
    throw new Error("it has no reports");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new WrongOptions(`${file} is not a file written with --json: ${why}`);
  }
}

function finish(record: GauntletRecord, output: Options["output"]): number {
  writeResults(record, output);
  for (const report of record.reports) console.log(summary(report));
  const played = record.reports.flatMap((report) => report.played);
  return played.some(({ verdict }) => verdict.status === "failed") ? 1 : 0;
}

/** Runs the scenarios against one target. Returns null if the target cannot be tested. */
async function playAgainst(options: {
  kind: TargetKind;
  store: string | null;
  command: readonly string[];
  chosen: readonly Scenario[];
  timeout: number | undefined;
}): Promise<Report | null> {
  const { kind, store, command, chosen, timeout } = options;
  const opened = await kind.open({ store, command, progress: printError }).catch(printProblem);
  if (opened === null) return null;
  const { target, close } = opened;
  try {
    console.log(target.name);
    let done = 0;
    const report = await play({
      target,
      scenarios: chosen,
      timeout,
      onPlay: ({ name }) => printPassing(`  ${done + 1} of ${chosen.length}: ${name} ...`),
      onPlayed: (played) => {
        done += 1;
        printPassing("");
        console.log(`  ${line(played)}`);
        if (played.verdict.status === "failed") console.log(timeline(played));
      },
    });
    console.log("");
    if (hasReachedModel(report.played)) return report;
    printError(
      `${target.name} was started, but sent no request to the model server. ` +
        "Give the agent the server's address in its command: {address} or {origin} is replaced by it",
    );
    return null;
  } catch (error) {
    printPassing("");
    return printProblem(error);
  } finally {
    await close();
  }
}

/** Prints why a target cannot be tested. This is not an error of the gauntlet. */
function printProblem(error: unknown): null {
  printError(error instanceof Error ? error.message : String(error));
  return null;
}

function printError(message: string): void {
  console.error(`gauntlet: ${message}`);
}

/** Hides the value of a variable that may be a secret: results are published. */
function withoutSecret(word: string): string {
  return word.replace(/^(\w*(?:KEY|TOKEN|SECRET|PASSWORD)\w*)=.+$/i, "$1=***");
}

function quoted(word: string): string {
  return /[^\w./,=-]/.test(word) ? `"${word}"` : word;
}

/** Prints a temporary line that the result will replace. */
function printPassing(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${text}`);
}
