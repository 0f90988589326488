import { openClient } from "../../compose/client.ts";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import type { Holdfast, Prompt, Session } from "@holdfast/sdk";
import { defaultStore } from "../../compose/stores.ts";
import { findServer } from "../connection.ts";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { expectSession, folderOf, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { age } from "../terminal/age.ts";
import { findSession, shortId } from "../ids.ts";
import { oneLine } from "../terminal/printable.ts";
import { statusText } from "./session-status.ts";
import { onStdout } from "../terminal/style.ts";
import type { ListedStatus } from "./session-status.ts";
import { outcomeText } from "./outcome.ts";

const shown = 20;

export interface ListOptions extends ClientOptions {
  readonly directory?: string;
  readonly search?: string;
  readonly archived?: true;
  readonly status?: readonly ListedStatus[];
  readonly all?: true;
  readonly json?: true;
}

/** `holdfast sessions`: lists sessions, newest first. */
export async function listSessions(options: ListOptions): Promise<ExitCode> {
  const { store, all = false, json = false, search, archived = false, status } = options;
  const directory =
    options.directory === undefined ? undefined : folderOf(options, options.directory);
  // A new user has no store yet: show how to start instead of an error.
  const isFirst = store === defaultStore(process.env, homedir()) && !existsSync(store);
  if (isFirst && (await findServer(placeOf(options))) === null) {
    if (!json) console.log(none);
    return exitCodes.ok;
  }
  await using client = await openClient(placeOf(options), "look");
  const { holdfast } = client;
  const label = all && !archived ? {} : { archived };
  const query = { directory, search, status, ...label };
  let count = 0;
  for await (const session of holdfast.sessions.each(query)) {
    if (session.parent !== null && !all) continue;
    count += 1;
    if (json) console.log(JSON.stringify(session));
    else if (count <= shown || all) print(session, await nameOf(session, holdfast));
    else {
      console.log("more sessions exist; use --all to list all");
      break;
    }
  }
  if (count === 0 && !json) console.log(isNarrow(options) ? noneSuch : none);
  return exitCodes.ok;
}

function isNarrow({ directory, search, archived, status }: ListOptions): boolean {
  return [directory, search, archived, status].some((option) => option !== undefined);
}

const noneSuch = "No session matches.";
const none = 'No sessions yet. Start one with: holdfast run "..."';

/** The title, or the first prompt if there is none yet. */
async function nameOf({ sessionId, title }: Session, holdfast: Holdfast): Promise<string> {
  if (title !== null) return title;
  const { items } = await holdfast.session(sessionId).prompts({ limit: 1 });
  return items[0]?.text ?? "";
}

function print(session: Session, name: string): void {
  const { sessionId, updatedAt, directory, parent, archived } = session;
  const status = statusText(session);
  const paint = status.startsWith("needs you") ? "yellow" : status === "idle" ? "dim" : "green";
  const label = archived ? ["archived"] : [];
  const words = [age(Date.now() - updatedAt), onStdout(paint, status), ...label];
  console.log([onStdout("bold", shortId(sessionId)), ...words].join("  "));
  console.log(`  ${parent === null ? "" : `child of ${shortId(parent.sessionId)}; `}${directory}`);
  if (name !== "") console.log(`  ${onStdout("dim", `“${oneLine(name, 70)}”`)}`);
}

export interface PromptsOptions extends ClientOptions {
  readonly session?: string;
  readonly status?: Prompt["status"];
  readonly json?: true;
}

/** `holdfast prompts`: lists the prompts of one session or of all sessions, page by page. */
export async function listPrompts(options: PromptsOptions): Promise<ExitCode> {
  const { store, status } = options;
  await using client = await openClient(placeOf(options), "look");
  const { holdfast, url } = client;
  const session =
    options.session === undefined ? undefined : await findSession(holdfast, options.session);
  if (session !== undefined) await expectSession(holdfast.session(session), { url, store });
  const sessions = session === undefined ? sessionIds(holdfast) : [session];
  let count = 0;
  for await (const sessionId of sessions) {
    for await (const prompt of holdfast.session(sessionId).eachPrompt()) {
      if (status !== undefined && prompt.status !== status) continue;
      if (options.json === true) console.log(JSON.stringify(prompt));
      else printPrompt(prompt, { isFirst: count === 0 });
      count += 1;
    }
  }
  if (count === 0 && options.json !== true) console.log("No prompts.");
  return exitCodes.ok;
}

async function* sessionIds(holdfast: Holdfast): AsyncGenerator<string> {
  for await (const { sessionId } of holdfast.sessions.each()) yield sessionId;
}

/** Prints a row that fits the width of the terminal. */
function printPrompt(prompt: Prompt, options: { isFirst: boolean }): void {
  if (options.isFirst) console.log(columns(["ACCEPTED", "OUTCOME", "SESSION", "PROMPT", "TEXT"]));
  const { acceptedAt, sessionId, promptId, text } = prompt;
  const at = new Date(acceptedAt).toISOString().slice(0, 19).replace("T", " ");
  const cells = [at, outcomeText(prompt), shortId(sessionId), shortId(promptId)];
  const width = process.stdout.isTTY ? process.stdout.columns : wide;
  const left = width - columns([...cells, "-"]).length + 1;
  console.log(columns([...cells, oneLine(text ?? "", Math.max(10, left))]));
}

/** Width of rows that no terminal shows. */
const wide = 160;
/** Column widths: enough for a time, most outcomes and short ids. */
const widths = [19, 24, 8, 8, 0];

function columns(cells: readonly string[]): string {
  const padded = cells.map((cell, index) => cell.padEnd(widths[index] ?? 0));
  return padded.join("  ").trimEnd();
}
