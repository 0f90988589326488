import { homedir } from "node:os";
import { storeName } from "../../compose/stores.ts";
import { planTidying, tidy } from "../../compose/tidy.ts";
import type { Tidied } from "../../compose/tidy.ts";
import { StoreError } from "../../store/store-error.ts";
import { CliError, exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";

/** `holdfast tidy`. */
export async function tidyStore(options: {
  readonly store: string;
  readonly dryRun?: true;
  readonly json?: true;
}): Promise<ExitCode> {
  const place = { store: options.store, environment: process.env, home: homedir() };
  const isPlan = options.dryRun === true;
  const found = isPlan ? await planTidying(place) : await tidy(place).catch(tellOwned(place.store));
  if (options.json === true) {
    console.log(JSON.stringify({ dryRun: isPlan, ...found }));
    return exitCodes.ok;
  }
  console.log(`${isPlan ? "Would tidy" : "Tidied"} ${storeName(options.store)}`);
  for (const line of linesOf(found, isPlan)) console.log(`  ${line}`);
  return exitCodes.ok;
}

/** Nobody else can do the rest of it: requests to whoever owns the store are no help here. */
function tellOwned(store: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof StoreError) || error.code !== "storeOwned") throw error;
    const advice = "stop it first, a server with `holdfast stop`. --dry-run works beside it";
    throw new CliError(error.code, `another process works on ${storeName(store)}; ${advice}`);
  };
}

function linesOf({ archive, remove, bodies, size }: Tidied, isPlan: boolean): string[] {
  const free =
    size.freeBytes === null || !isPlan ? "" : `, of which ${amount(size.freeBytes)} hold nothing`;
  return [
    `sessions archived  ${archive.length}`,
    `sessions deleted   ${remove.length}; their prompts still answer`,
    `contents removed   ${bodies.count}, ${amount(bodies.bytes)}, of deleted sessions alone`,
    `the store takes    ${amount(size.bytes)}${free}`,
  ];
}

function amount(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
