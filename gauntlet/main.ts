import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { htmlReport } from "./html-report.ts";
import { play } from "./play.ts";
import { line, machine, mergeRecords, summary, timeline } from "./report.ts";
import type { GauntletRecord, Report } from "./report.ts";
import type { Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios/all.ts";
import { openTarget, stores, targetNames } from "./targets/all.ts";
import type { StoreKind, TargetName } from "./targets/all.ts";

// The gauntlet tests a target through its public interface, with race conditions in which other products lose prompts
// or results.

const help = `npm run gauntlet -- [options] [-- command of an ACP agent]

  --target NAMES           Test these targets, separated by commas: holdfast (default), opencode,
                           opencode-next, codex, acp
  --store NAMES            Test Holdfast on these stores: sqlite, postgres (default: both)
  --only TEXT              Run scenarios whose name contains the text; may be repeated
  --list                   List the scenarios with a description
  --json FILE              Write the report as JSON
  --html FILE              Write the report as an HTML page, with a timeline of each scenario
  --from FILE              Read a report written with --json instead of running; may be repeated
  --help                   Show this help

Exit code: 1 if a scenario failed, 2 if a target could not be tested. Missing programs are downloaded
from npm into a scratch directory.
"acp" tests any agent that speaks ACP over stdio: --target acp -- my-agent --its-option`;

process.exitCode = await main();

async function main(): Promise<number> {
  const parsed = read();
  if (parsed === null) return 2;
  const { values, positionals: command } = parsed;
  const { only = [""], from = [] } = values;
  const chosen = scenarios.filter(({ name }) => only.some((words) => name.includes(words)));
  if (values.help === true) console.log(help);
  if (values.list === true)
    for (const { name, about } of chosen) console.log(`${name}\n    ${about}`);
  if (values.help === true || values.list === true) return 0;
  const names = known(values.target ?? "holdfast", targetNames);
  if (typeof names === "string")
    return refuse(`unknown target ${names}; the targets are ${targetNames.join(", ")}`);
  const wanted = known(values.store ?? stores.join(","), stores);
  if (typeof wanted === "string")
    return refuse(`unknown store ${wanted}; the stores are ${stores.join(", ")}`);
  if (chosen.length === 0) {
    return refuse(`no scenario name contains "${only.join('" or "')}"; --list shows the names`);
  }
  if (names.includes("acp") && command.length === 0) {
    return refuse("--target acp needs the agent's command: --target acp -- my-agent --acp");
  }
  if (!names.includes("acp") && command.length > 0) {
    return refuse(`"${command.join(" ")}" is given as a command, which only --target acp uses`);
  }
  for (const file of [values.json, values.html]) {
    if (file !== undefined && !existsSync(dirname(file))) {
      return refuse(`the folder ${dirname(file)} does not exist; create it first`);
    }
  }
  if (from.length > 0) return mergeFiles(from, values);
  const reports: Report[] = [];
  const at = new Date().toISOString();
  let isWhole = true;
  for (const name of names) {
    for (const store of name === "holdfast" ? wanted : [stores[0]]) {
      const report = await playAgainst({ name, store, command, chosen });
      if (report === null) isWhole = false;
      else reports.push(report);
    }
  }
  const code = writeReport({ at, machine: machine(), command: commandLine(), reports }, values);
  return isWhole ? code : 2;
}

/** Merges the records of earlier runs. */
function mergeFiles(files: readonly string[], output: Output): number {
  try {
    const records = files.map((file): GauntletRecord => JSON.parse(readFileSync(file, "utf8")));
    const order = scenarios.map(({ name }) => name);
    return writeReport(mergeRecords(records, order), output);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

interface Output {
  readonly json?: string | undefined;
  readonly html?: string | undefined;
}

function writeReport(record: GauntletRecord, { json, html }: Output): number {
  if (json !== undefined) writeFileSync(json, JSON.stringify(record, null, 2));
  if (html !== undefined) writeFileSync(html, htmlReport(record));
  for (const report of record.reports) console.log(summary(report));
  const played = record.reports.flatMap((report) => report.played);
  return played.some(({ verdict }) => verdict.status === "failed") ? 1 : 0;
}

/** Runs the scenarios against one target. Returns null if the target cannot be started. */
async function playAgainst(options: {
  name: TargetName;
  store: StoreKind;
  command: readonly string[];
  chosen: readonly Scenario[];
}): Promise<Report | null> {
  const { chosen, ...wanted } = options;
  const opened = await openTarget({ ...wanted, progress }).catch(printProblem);
  if (opened === null) return null;
  const { target, close } = opened;
  try {
    console.log(target.name);
    let done = 0;
    const report = await play({
      target,
      scenarios: chosen,
      onPlay: ({ name }) => passing(`  ${done + 1} of ${chosen.length}: ${name} ...`),
      onPlayed: (played) => {
        done += 1;
        passing("");
        console.log(`  ${line(played)}`);
        if (played.verdict.status === "failed") console.log(timeline(played));
      },
    });
    console.log("");
    return report;
  } catch (error) {
    passing("");
    return printProblem(error);
  } finally {
    await close();
  }
}

/** Prints why a target cannot be tested. This is not an error of the gauntlet. */
function printProblem(error: unknown): null {
  progress(error instanceof Error ? error.message : String(error));
  return null;
}

function progress(message: string): void {
  console.error(`gauntlet: ${message}`);
}

function commandLine(): string {
  const words = process.argv.slice(2).map((word) => (/[^\w./,=-]/.test(word) ? `"${word}"` : word));
  return ["npm run gauntlet --", ...words].join(" ");
}

/** Prints a temporary line that the result will replace. */
function passing(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${text}`);
}

/** Parses a comma-separated list of names. Returns the first unknown name as a string. */
function known<Name extends string>(text: string, names: readonly Name[]): Name[] | string {
  const words = text.split(",");
  const stranger = words.find((word) => !names.some((name) => name === word));
  return stranger ?? names.filter((name) => words.includes(name));
}

function read(): ReturnType<typeof parse> | null {
  try {
    return parse();
  } catch (error) {
    refuse(error instanceof Error ? error.message : String(error));
    return null;
  }
}

function parse() {
  return parseArgs({
    allowPositionals: true,
    options: {
      target: { type: "string" },
      store: { type: "string" },
      only: { type: "string", multiple: true },
      from: { type: "string", multiple: true },
      list: { type: "boolean" },
      json: { type: "string" },
      html: { type: "string" },
      help: { type: "boolean" },
    },
  });
}

function refuse(message: string): number {
  console.error(`gauntlet: ${message}; --help shows what there is`);
  return 2;
}
