import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { checkSetup } from "../../compose/doctor/check-setup.ts";
import type { Finding } from "../../compose/doctor/finding.ts";
import { modelStatus } from "../../compose/model-status.ts";
import { repairSearch, searchText } from "../../compose/search-repair.ts";
import { sandboxStatus } from "../../compose/sandbox-status.ts";
import { defaultStore } from "../../compose/stores.ts";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { placeWords } from "../client-options.ts";
import { oneLine } from "../terminal/printable.ts";
import { onStdout } from "../terminal/style.ts";
import { examined, examineStore } from "./store-commands.ts";

export interface DoctorOptions {
  readonly store: string;
  readonly json?: true;
  /** Rebuild the search index even if it has no visible problem. */
  readonly rebuildSearch?: true;
}

/** `holdfast doctor`: checks this machine, the settings and the database, and prints the fix for each problem. */
export async function diagnose(options: DoctorOptions): Promise<ExitCode> {
  const { store, json = false } = options;
  const place = { environment: process.env, home: homedir() };
  const findings: Finding[] = [];
  for await (const finding of checkSetup({ ...place, store, directory: process.cwd() })) {
    findings.push(finding);
    if (!json) print(finding);
  }
  const isFailed = findings.some(({ status }) => status === "error");
  const database = await examineDatabase(options);
  if (json) {
    const [sandbox, models] = await Promise.all([sandboxStatus(), modelStatus(place)]);
    console.log(JSON.stringify({ ...database.found, sandbox, models, findings }));
  }
  return isFailed ? exitCodes.failure : database.exitCode;
}

async function examineDatabase({ store, json, rebuildSearch }: DoctorOptions): Promise<{
  readonly found: object;
  readonly exitCode: ExitCode;
}> {
  const rebuild = rebuildSearch === true;
  // A new user has no database yet.
  if (store === defaultStore(process.env, homedir()) && !existsSync(store)) {
    const text = `${store} does not exist yet; the first prompt creates it`;
    if (json !== true) print({ subject: "database", status: "ok", text, fix: null });
    return { found: {}, exitCode: exitCodes.ok };
  }
  if (json !== true) {
    const exitCode = await examineStore({ store });
    if (exitCode === exitCodes.ok) print(await searchFinding(store, rebuild));
    return { found: {}, exitCode };
  }
  const found = await examined(store);
  if (found.violationCount > 0) return { found, exitCode: exitCodes.failure };
  return {
    found: { ...found, search: await repairSearch(store, { rebuild }) },
    exitCode: exitCodes.ok,
  };
}

async function searchFinding(store: string, rebuild: boolean): Promise<Finding> {
  const check = await repairSearch(store, { rebuild });
  const isOpen = !check.repaired && (check.status === "damaged" || rebuild);
  // Options that make the advised commands use the same store.
  const place = placeWords({ store });
  const option = rebuild ? " --rebuild-search" : "";
  return {
    subject: "search index",
    status: isOpen ? "warning" : "ok",
    text:
      isOpen && rebuild ? "not rebuilt, because a server is using the database" : searchText(check),
    fix: isOpen ? `holdfast server stop${place}, then holdfast doctor${option}${place}` : null,
  };
}

const signs = {
  ok: { sign: "✓", colour: "green" },
  warning: { sign: "!", colour: "yellow" },
  error: { sign: "✗", colour: "red" },
  unknown: { sign: "?", colour: "yellow" },
} as const;

/** Width of the first column, which contains the subjects of the findings. */
const subjectWidth = 13;

function print({ subject, status, text, fix }: Finding): void {
  const { sign, colour } = signs[status];
  console.log(`${onStdout(colour, sign)} ${subject.padEnd(subjectWidth)}  ${oneLine(text, 1_000)}`);
  if (fix !== null) console.log(`${" ".repeat(subjectWidth + 4)}fix: ${fix}`);
}
