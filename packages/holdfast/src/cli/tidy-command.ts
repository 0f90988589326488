import { homedir } from "node:os";
import { planTidying, storeName, tidy } from "../main.ts";
import type { Tidied } from "../main.ts";
import { exitCodes } from "./cli-error.ts";
import type { ExitCode } from "./cli-error.ts";

/** `holdfast tidy`. */
export async function tidyStore(options: {
  readonly store: string;
  readonly dryRun?: true;
  readonly json?: true;
}): Promise<ExitCode> {
  const place = { store: options.store, environment: process.env, home: homedir() };
  const isPlan = options.dryRun === true;
  const found = isPlan ? await planTidying(place) : await tidy(place);
  if (options.json === true) {
    console.log(JSON.stringify({ dryRun: isPlan, ...found }));
    return exitCodes.ok;
  }
  console.log(`${isPlan ? "Would tidy" : "Tidied"} ${storeName(options.store)}`);
  for (const line of linesOf(found, isPlan)) console.log(`  ${line}`);
  return exitCodes.ok;
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
