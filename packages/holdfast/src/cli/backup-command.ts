import { resolve } from "node:path";
import { backUpStore } from "../main.ts";
import { exitCodes } from "./cli-error.ts";
import type { ExitCode } from "./cli-error.ts";
import { examineStore } from "./doctor-command.ts";

/** `holdfast backup`: a copy is worth something once somebody has looked at it. */
export async function backUp(options: {
  readonly store: string;
  readonly file: string;
  readonly check: boolean;
}): Promise<ExitCode> {
  const file = resolve(options.file);
  await backUpStore(options.store, file);
  console.log(`copied to ${file}`);
  if (options.check) return examineStore({ store: file });
  console.log("not checked; `holdfast doctor --store` with its name does that");
  return exitCodes.ok;
}
