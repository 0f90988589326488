import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import type { Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios/all.ts";
import type { TargetKind } from "./targets/target-kind.ts";

/** How the gauntlet was started: by `npx holdfast-gauntlet`, or in the repository. */
export interface Program {
  /** The command that people type, for help and reports. */
  readonly program: string;
  readonly kinds: readonly TargetKind[];
  /** Target to test if the command line names neither a target nor an agent's command. */
  readonly usual: string;
  readonly args: readonly string[];
}

export interface Options {
  readonly action: "play" | "help" | "list" | "version";
  readonly kinds: readonly TargetKind[];
  readonly stores: readonly string[];
  readonly command: readonly string[];
  readonly chosen: readonly Scenario[];
  readonly from: readonly string[];
  /** Milliseconds after which an expected result counts as missing; undefined: the default timeout. */
  readonly timeout: number | undefined;
  readonly output: Output;
}

/** Files to write. */
export interface Output {
  readonly json?: string | undefined;
  readonly html?: string | undefined;
  readonly badge?: string | undefined;
  /** Folder to publish, with the HTML report, the badge image for a README, and the results as JSON. */
  readonly page?: string | undefined;
}

/** The command line has invalid options. The message says what to do. */
export class WrongOptions extends Error {}

const spec = {
  target: { type: "string" },
  store: { type: "string" },
  only: { type: "string", multiple: true },
  from: { type: "string", multiple: true },
  timeout: { type: "string" },
  json: { type: "string" },
  html: { type: "string" },
  badge: { type: "string" },
  page: { type: "string" },
  list: { type: "boolean" },
  version: { type: "boolean" },
  help: { type: "boolean" },
} as const;

/** Reads the options. Everything after `--`, or from the first word that is not an option, is the agent's command. */
export function readOptions(started: Program): Options {
  const { args } = started;
  const { tokens } = parseArgs({ args: [...args], options: spec, strict: false, tokens: true });
  const first = tokens.find(({ kind }) => kind !== "option");
  const end = first?.index ?? args.length;
  const command = args.slice(first?.kind === "option-terminator" ? end + 1 : end);
  const values = strict(args.slice(0, end));
  const { only = [""], from = [], json, html, badge, page } = values;
  const chosen = scenarios.filter(({ name }) => only.some((words) => name.includes(words)));
  if (chosen.length === 0) {
    throw new WrongOptions(
      `no scenario name contains "${only.join('" or "')}". --list prints the names`,
    );
  }
  const action = (["help", "version", "list"] as const).find((name) => values[name] === true);
  const output = { json, html, badge, page };
  const timeout = readTimeout(values.timeout);
  const base = { command, chosen, from, timeout, output, action: action ?? ("play" as const) };
  if (action !== undefined) return { ...base, kinds: [], stores: [] };
  checkFolders([json, html, badge]);
  if (from.length > 0) return { ...base, kinds: [], stores: [] };
  const kinds = chosenKinds(started, { target: values.target, command });
  const stores = chosenStores(kinds, values.store);
  if (badge !== undefined) expectOneTarget(kinds, stores);
  return { ...base, kinds, stores };
}

function strict(args: string[]) {
  try {
    return parseArgs({ args, options: spec }).values;
  } catch (error) {
    throw new WrongOptions(error instanceof Error ? error.message : String(error));
  }
}

function chosenKinds(
  { kinds, usual, program }: Program,
  { target, command }: { target: string | undefined; command: readonly string[] },
): readonly TargetKind[] {
  const fallback = command.length > 0 ? "acp" : usual;
  const chosen = pick(
    target ?? fallback,
    kinds.map(({ name }) => name),
    "target",
  );
  const found = kinds.filter(({ name }) => chosen.includes(name));
  const takers = found.filter(({ takesCommand }) => takesCommand);
  if (takers.length > 0 && command.length === 0) {
    throw new WrongOptions(
      `the start command of the agent is missing. Add it after --, for example: ${program} -- my-agent --acp`,
    );
  }
  if (takers.length === 0 && command.length > 0) {
    const given = command.join(" ");
    throw new WrongOptions(`"${given}" is an agent's command, which --target ${target} ignores`);
  }
  return found;
}

function chosenStores(kinds: readonly TargetKind[], wanted: string | undefined): readonly string[] {
  const known = kinds.flatMap(({ stores }) => stores);
  if (wanted === undefined) return known;
  if (known.length === 0) throw new WrongOptions("--store is only for Holdfast as a target");
  return pick(wanted, known, "store");
}

/** Refuses `--badge` for several targets before the scenarios run, which can take long. */
function expectOneTarget(kinds: readonly TargetKind[], stores: readonly string[]): void {
  const [kind, other] = kinds;
  if (kind !== undefined && other === undefined && stores.length <= 1) return;
  const advice = stores.length > 1 ? ". Choose one with --target and --store" : "";
  throw new WrongOptions(`--badge needs the results of exactly one target${advice}`);
}

/** Reads a comma-separated list of names. */
function pick(text: string, names: readonly string[], what: string): readonly string[] {
  const words = text.split(",");
  const stranger = words.find((word) => !names.includes(word));
  if (stranger === undefined) return names.filter((name) => words.includes(name));
  throw new WrongOptions(`unknown ${what} "${stranger}". Known names: ${names.join(", ")}`);
}

function readTimeout(seconds: string | undefined): number | undefined {
  if (seconds === undefined) return undefined;
  const number = Number(seconds);
  if (number >= 1 && number <= 600) return number * 1_000;
  throw new WrongOptions(`--timeout is "${seconds}". Give a number of seconds from 1 to 600`);
}

function checkFolders(files: readonly (string | undefined)[]): void {
  for (const file of files) {
    if (file === undefined || existsSync(dirname(file))) continue;
    throw new WrongOptions(`the folder ${dirname(file)} does not exist. Create it first`);
  }
}
