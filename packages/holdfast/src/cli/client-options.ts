import { homedir } from "node:os";
import { Option } from "commander";
import type { Command } from "commander";
import type { Holdfast, SessionDetail, SessionHandle } from "@holdfast/sdk";
import { defaultStore, storeName } from "../compose/stores.ts";
import { CliError, exitCodes } from "./cli-error.ts";
import { storeOption } from "./help-text.ts";
import { realpathSync, statSync } from "node:fs";
import { Refused } from "@holdfast/sdk";

/** Which server, or which store where there is none. */
export interface ClientOptions {
  readonly store: string;
  /** False: none, also where there is one. */
  readonly server?: string | false;
}

export function addClientOptions(command: Command): Command {
  return command
    .addOption(storeOption())
    .addOption(
      new Option("--server <url>", "Use the server at this URL, with the token in HOLDFAST_TOKEN"),
    )
    .option("--no-server", "Use no server: do the work in this process");
}

export function placeOf(options: ClientOptions): {
  store: string;
  server: string | false | undefined;
  environment: NodeJS.ProcessEnv;
  home: string;
} {
  const { store, server } = options;
  return { store, server, environment: process.env, home: homedir() };
}

/** What a command must be given again to find the same sessions, ready to be typed behind it. */
export function placeWords({ store, server }: ClientOptions): string {
  const kept = store === defaultStore(process.env, homedir()) ? [] : ["--store", storeName(store)];
  const elsewhere = typeof server === "string" ? ["--server", server] : [];
  return [...kept, ...elsewhere].map((word) => ` ${shellWord(word)}`).join("");
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A folder as sessions know it; one at a server elsewhere is not for this machine to judge. */
export function folderOf(options: ClientOptions, folder: string): string {
  return isElsewhere(options) ? folder : realFolder(folder);
}

function isElsewhere({ server }: ClientOptions): boolean {
  const named = server ?? process.env["HOLDFAST_SERVER"] ?? "";
  return named !== "" && named !== false;
}

export type PlacedOptions = ClientOptions & { readonly directory?: string };

/** Whose config counts: the named folder's, or this one's where it is the server's too. */
export function configPlace(options: PlacedOptions): { directory?: string } {
  const { directory } = options;
  if (directory === undefined && isElsewhere(options)) return {};
  return { directory: folderOf(options, directory ?? process.cwd()) };
}

/** The session that was named, or the one of this folder in which something happened last. */
export async function chooseSession(
  holdfast: Holdfast,
  named: string | undefined,
): Promise<SessionHandle> {
  if (named !== undefined) return holdfast.session(named);
  const directory = realFolder(process.cwd());
  const advice = "name one, `holdfast sessions` lists what there is";
  return holdfast.session(await newestSession(holdfast, { directory, advice }));
}

/** Of those that no other session has made. */
export async function newestSession(
  holdfast: Holdfast,
  { directory, advice }: { directory: string; advice: string },
): Promise<string> {
  for await (const { parent, sessionId } of holdfast.sessions.each({ directory, limit: 20 })) {
    if (parent === null) return sessionId;
  }
  throw new CliError("unknownSession", `no session has worked in ${directory} yet; ${advice}`);
}

/** A folder by its real path, the way that sessions know theirs. */
function realFolder(folder: string): string {
  try {
    if (statSync(folder).isDirectory()) return realpathSync(folder);
  } catch {
    // It is not there: said below.
  }
  const problem = `${folder} is no folder; name one that exists with --directory`;
  throw new CliError("directory", problem, exitCodes.usage);
}

/** The session as it is; one that is not there is the person's to put right. */
export async function expectSession(
  session: SessionHandle,
  target: { url: string | null; store: string; advice?: string },
): Promise<SessionDetail> {
  try {
    return await session.get();
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== "unknownSession") throw error;
    const { url, store, advice = "" } = target;
    const problem = `there is no session ${session.sessionId} ${url === null ? `in ${storeName(store)}` : `at ${url}`}`;
    const lists = "`holdfast sessions` lists what there is";
    throw new CliError("unknownSession", `${problem}; ${advice}${lists}`);
  }
}
