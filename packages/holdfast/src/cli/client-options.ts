import { homedir } from "node:os";
import { Option } from "commander";
import type { Command } from "commander";
import type { Holdfast, SessionDetail, SessionHandle } from "@holdfast/sdk";
import { shellWord, storeName, storeWords } from "../compose/stores.ts";
import { CliError, exitCodes } from "./cli-error.ts";
import { storeOption } from "./help-text.ts";
import { findSession } from "./ids.ts";
import { realpathSync, statSync } from "node:fs";

/** Options that choose the server, or the store if there is no server. */
export interface ClientOptions {
  readonly store: string;
  readonly server?: string;
  /** Do the work in this process, without a server. */
  readonly embedded?: true;
}

export function addClientOptions(command: Command): Command {
  return command
    .addOption(storeOption())
    .addOption(
      new Option("--server <url>", "Use the server at this URL, with the token in HOLDFAST_TOKEN"),
    )
    .addOption(
      new Option("--embedded", "Do the work in this process, without a server").conflicts("server"),
    );
}

export function placeOf(options: ClientOptions): {
  store: string;
  server: string | undefined;
  embedded: boolean | undefined;
  environment: NodeJS.ProcessEnv;
  home: string;
  note: (text: string) => void;
} {
  const { store, server, embedded } = options;
  return { store, server, embedded, environment: process.env, home: homedir(), note };
}

function note(text: string): void {
  console.error(`holdfast: ${text}`);
}

/**
 * Returns the options with which a follow-up command uses the same store and server, as text to append to the command.
 */
export function placeWords({ store, server, embedded }: ClientOptions): string {
  if (server !== undefined) return ` --server ${shellWord(server)}`;
  const kept = storeWords(store, { environment: process.env, home: homedir() });
  return `${kept}${embedded === true ? " --embedded" : ""}`;
}

/** Returns the real path of a folder, as sessions store it. A folder on a remote server is returned unchanged. */
export function folderOf(options: ClientOptions, folder: string): string {
  return isElsewhere(options) ? folder : realFolder(folder);
}

/** True if the user names a server by its address. Such a server may be on another machine. */
export function isElsewhere({ server, embedded }: ClientOptions): boolean {
  return embedded !== true && (server ?? process.env["HOLDFAST_SERVER"] ?? "") !== "";
}

export type PlacedOptions = ClientOptions & { readonly directory?: string };

/**
 * Returns the directory whose config applies: the given folder, otherwise the current folder. No directory if the
 * server is remote and none is given.
 */
export function configPlace(options: PlacedOptions): { directory?: string } {
  const { directory } = options;
  if (directory === undefined && isElsewhere(options)) return {};
  return { directory: folderOf(options, directory ?? process.cwd()) };
}

/** Returns the named session, or the session of this folder with the latest activity. */
export async function chooseSession(
  holdfast: Holdfast,
  named: string | undefined,
): Promise<SessionHandle> {
  if (named !== undefined) return holdfast.session(await findSession(holdfast, named));
  const directory = realFolder(process.cwd());
  const nameOne = "name a session of another folder; `holdfast sessions` lists all";
  return holdfast.session(await newestSession(holdfast, { directory, advice: nameOne }));
}

/** Returns the newest session of a directory. Child sessions are ignored. */
export async function newestSession(
  holdfast: Holdfast,
  { directory, advice }: { directory: string; advice: string },
): Promise<string> {
  for await (const { parent, sessionId } of holdfast.sessions.each({ directory, limit: 20 })) {
    if (parent === null) return sessionId;
  }
  throw new CliError("unknownSession", `there is no session in ${directory} yet; ${advice}`);
}

/** Returns the real path of a folder, as sessions store it. */
function realFolder(folder: string): string {
  try {
    if (statSync(folder).isDirectory()) return realpathSync(folder);
  } catch {
    // `folder` does not exist. The error for this case is thrown below.
  }
  const problem = `${folder} is not a folder; name an existing one`;
  throw new CliError("directory", problem, exitCodes.usage);
}

/** Loads a session. If it does not exist, throws a usage error. */
export async function expectSession(
  session: SessionHandle,
  target: { url: string | null; store: string; advice?: string },
): Promise<SessionDetail> {
  try {
    return await session.get();
  } catch (error) {
    const { Refused } = await import("@holdfast/sdk");
    if (!(error instanceof Refused) || error.code !== "unknownSession") throw error;
    const { url, store, advice } = target;
    const problem = `there is no session ${session.sessionId} ${url === null ? `in ${storeName(store)}` : `at ${url}`}`;
    const hints = [...(advice === undefined ? [] : [advice]), "`holdfast sessions` lists all"];
    throw new CliError("unknownSession", `${problem}; ${hints.join("; ")}`);
  }
}
