import type { MaintenanceAnswer } from "@holdfast/sdk";
import { openClient } from "../../compose/client.ts";
import { CliError, exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { folderOf, placeOf } from "../client-options.ts";
import { patiently } from "../terminal/lines.ts";
import { showAnswer } from "./maintenance-progress.ts";
import type { FollowOptions } from "./maintenance-progress.ts";

export type ReloadOptions = FollowOptions & {
  /** Directories to reload. Empty: the current folder. */
  readonly directories: readonly string[];
  readonly all?: true;
};

/** `holdfast server reload`: makes the next runs of a directory use the current config. */
export async function reload(options: ReloadOptions): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "running");
  const { holdfast } = client;
  const refreshing = holdfast.maintenance.refresh(scopeOf(options), modeOf(options));
  const answer = await patiently("loading", refreshing);
  const said = saidOf(answer, {
    one: (directory) => `reloaded ${directory}`,
    none: `${noneOpen(options)}; the next run in a directory loads its current config`,
  });
  return await showAnswer(holdfast, answer, { ...options, said });
}

/** `holdfast server close`: frees the resources of a directory. The next run opens it again. */
export async function close(options: ReloadOptions): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "running");
  const { holdfast } = client;
  const closing = holdfast.maintenance.close(scopeOf(options), modeOf(options));
  const answer = await patiently("closing", closing);
  const isClosed = answer.status === "completed";
  const said = saidOf(answer, {
    one: (directory) => `${isClosed ? "closed" : "closing"} ${directory}`,
    none: `${noneOpen(options)}; there is nothing to close`,
  });
  return await showAnswer(holdfast, answer, { ...options, said });
}

function scopeOf(options: ReloadOptions): readonly string[] | null {
  const { directories, all } = options;
  if (all !== true) {
    const named = directories.length === 0 ? [process.cwd()] : directories;
    return named.map((directory) => folderOf(options, directory));
  }
  if (directories.length === 0) return null;
  throw new CliError("usage", "name directories or use --all, not both", exitCodes.usage);
}

/** Returns the message for the case that the server has none of the requested directories open. */
function noneOpen({ directories, all }: ReloadOptions): string {
  if (all === true) return "the server has no directory open";
  return directories.length > 1 ? "none of the directories is open" : "the directory is not open";
}

function modeOf({ force }: ReloadOptions): { mode: "force" | "maintenance" } {
  return { mode: force === true ? "force" : "maintenance" };
}

function saidOf(
  { affectedDirectories }: MaintenanceAnswer,
  words: { one: (directory: string) => string; none: string },
): string | readonly string[] {
  return affectedDirectories.length === 0 ? words.none : affectedDirectories.map(words.one);
}
