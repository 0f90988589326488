import { openClient } from "../../compose/client.ts";
import type { Client } from "../../compose/client.ts";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import type { Holdfast, Prompt, Session } from "@holdfast/sdk";
import { findAnnounced } from "../../compose/server-client.ts";
import { defaultStore } from "../../compose/stores.ts";
import { findServer } from "../connection.ts";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import {
  chooseSession,
  expectSession,
  folderOf,
  isElsewhere,
  placeOf,
  placeWords,
} from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { age } from "../terminal/age.ts";
import { shortId } from "../ids.ts";
import { oneLine, printable } from "../terminal/printable.ts";
import { printTable } from "../terminal/table.ts";
import type { Column } from "../terminal/table.ts";
import { timeText } from "../terminal/time.ts";
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
  const rows: (readonly string[])[] = [];
  let cutOff: Session | null = null;
  let running: Session | null = null;
  let count = 0;
  for await (const session of holdfast.sessions.each(query)) {
    if (session.parent !== null && !all) continue;
    if (session.status === "cutOff") cutOff ??= session;
    if (session.status === "running") running ??= session;
    count += 1;
    if (json) console.log(JSON.stringify(session));
    else if (count > shown && !all) break;
    else rows.push(cellsOf(session, await nameOf(session, holdfast)));
  }
  printTable(sessionColumns, rows);
  if (rows.length < count && !json) console.log("more sessions exist; use --all to list all");
  if (count === 0 && !json) console.log(isNarrow(options) ? noneSuch : none);
  const unattended = cutOff ?? running;
  if (unattended !== null && !json) await reportNoServer(unattended, options);
  return exitCodes.ok;
}

/**
 * If no server is running, prints how to continue a session whose process was killed. Such a session is cut off, or
 * running until the lease of the process expires. On PostgreSQL, a server of another machine may be working on it.
 */
async function reportNoServer({ sessionId }: Session, options: ListOptions): Promise<void> {
  if (isElsewhere(options) || options.store.includes("://")) return;
  if ((await findAnnounced(placeOf(options))) !== null) return;
  const command = `holdfast run${placeWords(options)} --session ${shortId(sessionId)}`;
  console.error(
    `No server is running. To continue a session that was cut off by the end of its process: ${command}`,
  );
}

function isNarrow({ directory, search, archived, status }: ListOptions): boolean {
  return [directory, search, archived, status].some((option) => option !== undefined);
}

const noneSuch = "No session matches.";
const none = 'No sessions yet. Start one with: holdfast run "..."';

/** Returns the title, or the first prompt if there is no title yet. */
async function nameOf({ sessionId, title }: Session, holdfast: Holdfast): Promise<string> {
  if (title !== null) return title;
  const { items } = await holdfast.session(sessionId).prompts({ limit: 1 });
  return items[0]?.text ?? "";
}

const sessionColumns: readonly Column[] = [
  { title: "SESSION", paint: (text) => onStdout("bold", text) },
  { title: "USED" },
  { title: "STATUS", cut: "end", least: 24, paint: paintStatus },
  { title: "TITLE", cut: "end", least: 24 },
  { title: "DIRECTORY", optional: 1, cut: "middle", least: 16 },
];

function paintStatus(text: string): string {
  if (text.startsWith("needs you")) return onStdout("yellow", text);
  return onStdout(text.startsWith("idle") ? "dim" : "green", text);
}

function cellsOf(session: Session, name: string): readonly string[] {
  const { sessionId, updatedAt, directory, parent, archived } = session;
  const status = [statusText(session), ...(archived ? ["archived"] : [])].join(", ");
  const title = oneLine(name, longestCell);
  const origin = parent === null ? "" : `child of ${shortId(parent.sessionId)}: `;
  const used = age(Date.now() - updatedAt);
  return [shortId(sessionId), used, status, origin + title, printable(homePath(directory))];
}

/** Maximum length of a cell if the output has no fixed width, such as a file. */
const longestCell = 120;

/** Returns a path with ~ for the user's home. */
function homePath(path: string): string {
  const home = homedir();
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

export interface PromptsOptions extends ClientOptions {
  readonly session?: string;
  readonly status?: Prompt["status"];
  /** True: list the prompts of all sessions. */
  readonly all?: true;
  readonly json?: true;
}

/** `holdfast prompts`: lists the prompts of one session or of all sessions, sorted by time. */
export async function listPrompts(options: PromptsOptions): Promise<ExitCode> {
  const { status } = options;
  await using client = await openClient(placeOf(options), "look");
  const { holdfast } = client;
  const prompts: Prompt[] = [];
  const cutOff = new Set<string>();
  for await (const session of sessionsOf(client, options)) {
    if (session.status === "cutOff") cutOff.add(session.sessionId);
    for await (const prompt of holdfast.session(session.sessionId).eachPrompt()) {
      if (status === undefined || prompt.status === status) prompts.push(prompt);
    }
  }
  prompts.sort((left, right) => left.acceptedAt - right.acceptedAt);
  if (options.json === true) for (const prompt of prompts) console.log(JSON.stringify(prompt));
  else if (prompts.length === 0) console.log("No prompts.");
  else {
    const rows = prompts.map((prompt) => {
      const isCutOff = prompt.status === "running" && cutOff.has(prompt.sessionId);
      return promptCells(prompt, isCutOff ? "cut off" : outcomeText(prompt));
    });
    printTable(promptColumns, rows);
  }
  return exitCodes.ok;
}

async function* sessionsOf(client: Client, options: PromptsOptions): AsyncGenerator<Session> {
  const { holdfast, url } = client;
  if (options.all !== true) {
    const session = await chooseSession(holdfast, options.session);
    yield await expectSession(session, { url, store: options.store });
    return;
  }
  yield* holdfast.sessions.each();
}

const promptColumns: readonly Column[] = [
  { title: "ACCEPTED", optional: 2 },
  { title: "OUTCOME", cut: "end", least: 24 },
  { title: "SESSION", optional: 1 },
  { title: "PROMPT", paint: (text) => onStdout("bold", text) },
  { title: "TEXT", cut: "end", least: 30 },
];

function promptCells(prompt: Prompt, outcome: string): readonly string[] {
  const { acceptedAt, sessionId, promptId, text } = prompt;
  return [
    timeText(acceptedAt),
    outcome,
    shortId(sessionId),
    shortId(promptId),
    oneLine(text ?? "", longestCell),
  ];
}
