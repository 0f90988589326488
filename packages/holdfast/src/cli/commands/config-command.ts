import { openClient } from "../../compose/client.ts";
import { readFile } from "node:fs/promises";
import type { ConfigFile, Holdfast, Notice } from "@holdfast/sdk";
import { configSchemaFile } from "../../server/config-schema-file.ts";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { folderOf, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { noticeLine } from "../terminal/notice.ts";
import { printable } from "../terminal/printable.ts";
import { onStdout } from "../terminal/style.ts";
import { patiently } from "../terminal/lines.ts";
import { confirm } from "../terminal/person.ts";
import { showAnswer, showEnd } from "./maintenance-progress.ts";
import type { FollowOptions } from "./maintenance-progress.ts";

export type ConfigOptions = ClientOptions & {
  readonly directory: string;
  readonly user?: true;
  readonly check?: true;
  readonly schema?: true;
  readonly path?: true;
  readonly json?: true;
};

/** `holdfast config`: prints the config file, its path, or its problems. */
export async function showConfig(options: ConfigOptions): Promise<ExitCode> {
  if (options.schema === true) {
    process.stdout.write(await readFile(configSchemaFile(), "utf8"));
    return exitCodes.ok;
  }
  await using client = await openClient(placeOf(options), "settings");
  const { holdfast } = client;
  const scope = options.user === true ? "user" : "project";
  const directory = folderOf(options, options.directory);
  const config = await holdfast.config.get({ scope, directory });
  if (options.json === true) console.log(JSON.stringify(config));
  else if (options.path === true) console.log(config.file);
  else if (options.check === true) return check(config);
  else print(config);
  return exitCodes.ok;
}

/**
 * `holdfast trust`: shows the privileged settings of a project's config, asks for confirmation, and stores that they
 * are trusted.
 */
export async function trustConfig(
  options: FollowOptions & {
    readonly directory: string;
    readonly yes?: true;
    readonly forget?: true;
  },
): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "settings");
  const { holdfast } = client;
  const directory = folderOf(options, options.directory);
  if (options.forget === true) return await forgetTrust(holdfast, { ...options, directory });
  const { powers, notices } = await holdfast.config.get({ directory });
  const errors = notices.filter(isError);
  for (const notice of errors) console.error(noticeLine(notice));
  if (powers === null && errors.length > 0) {
    console.error("fix these errors first, then run `holdfast trust` again");
    return exitCodes.failure;
  }
  if (powers === null || powers.digest === null) {
    console.log(`the config of ${printable(directory)} needs no trust`);
    return exitCodes.ok;
  }
  const { digest } = powers;
  if (powers.trusted) {
    const isInUse = client.url === null || !(await isStale(holdfast, directory));
    if (isInUse) {
      console.log(`the config of ${printable(directory)} is already trusted`);
      return exitCodes.ok;
    }
  } else {
    console.log(`Once trusted, the config of ${printable(directory)} can do this:`);
    for (const line of powerLines(powers.items)) console.log(line);
    const question = "Trust exactly this, until it changes?";
    if (options.yes !== true && !(await confirm(question))) return exitCodes.failure;
  }
  const answer = await patiently("loading", holdfast.config.trust({ directory, digest }));
  return await showAnswer(holdfast, answer, { ...options, said: `trusted ${directory}` });
}

/** True if the server uses a previous config, because it could not load the current one. */
async function isStale(holdfast: Holdfast, directory: string): Promise<boolean> {
  const { generation, problem } = await patiently("loading", holdfast.workspaces.get(directory));
  return generation !== null && problem !== null;
}

/** Removes the trust, even if the config cannot be loaded. */
async function forgetTrust(
  holdfast: Holdfast,
  options: FollowOptions & { readonly directory: string },
): Promise<ExitCode> {
  const { directory } = options;
  const answer = await holdfast.config.trust({ directory, digest: null });
  const said = `the config of ${directory} is no longer trusted`;
  const isLoaded = answer.status !== "failed";
  if (isLoaded || options.json === true) return showAnswer(holdfast, answer, { ...options, said });
  console.log(printable(said));
  showEnd({ ...answer, status: "completed" });
  const { generation } = await holdfast.workspaces.get(directory);
  if (generation === null) return exitCodes.ok;
  console.error(
    "the server uses the previous config until the errors are fixed; to stop this now: holdfast server close",
  );
  return exitCodes.failure;
}

function print({ file, text, notices, powers }: ConfigFile): void {
  if (text === null) console.log(`there is no ${printable(file)} yet`);
  else process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
  for (const notice of notices) console.error(noticeLine(notice));
  if (powers !== null && powers.digest !== null && !powers.trusted) {
    console.error(
      "parts of this config need trust and are not in use; to see and trust them: holdfast trust",
    );
  }
}

function check({ file, text, notices }: ConfigFile): ExitCode {
  for (const notice of notices) console.log(noticeLine(notice));
  const errors = notices.filter(isError).length;
  const warnings = notices.length - errors;
  if (errors > 0)
    console.log(
      `${count(errors, "error")}, ${count(warnings, "warning")}. The previous config stays in use.`,
    );
  else if (warnings > 0) console.log(count(warnings, "warning"));
  else console.log(text === null ? `there is no ${printable(file)} yet` : "the config is valid");
  return errors > 0 ? exitCodes.failure : exitCodes.ok;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

type Powers = NonNullable<ConfigFile["powers"]>["items"];

function powerLines(items: Powers): readonly string[] {
  return items.map(({ key, file, line, summary }) => {
    const place = onStdout("dim", printable(`${file}:${line}`));
    return `  ${printable(summary)}  ${onStdout("bold", printable(key))}  ${place}`;
  });
}

function isError({ severity }: Notice): boolean {
  return severity === "error";
}
