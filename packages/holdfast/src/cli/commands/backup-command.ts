import { resolve } from "node:path";
import { backUpStore } from "../../compose/stores.ts";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { examined, examineStore } from "./doctor-command.ts";

/** `holdfast backup`: a copy is worth something once somebody has looked at it. */
export async function backUp(options: {
  readonly store: string;
  readonly file: string;
  readonly check: boolean;
  readonly json?: true;
}): Promise<ExitCode> {
  const file = resolve(options.file);
  await backUpStore(options.store, file);
  if (options.json === true) {
    const found = options.check ? await examined(file) : null;
    console.log(JSON.stringify({ file, found }));
    return found === null || found.violationCount === 0 ? exitCodes.ok : exitCodes.failure;
  }
  console.log(`copied to ${file}`);
  if (options.check) return examineStore({ store: file });
  console.log("not checked; `holdfast doctor --store` with its name does that");
  return exitCodes.ok;
}
