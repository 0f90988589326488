import { homedir } from "node:os";
import { defaultStore, openReader } from "../main.ts";
import type { StoreReader } from "../main.ts";
import { existsSync } from "node:fs";
import { readText } from "./body-text.ts";
import { exitCodes } from "./cli-error.ts";
import type { ExitCode } from "./cli-error.ts";
import { findSessions } from "./find-sessions.ts";
import type { FoundSession } from "./find-sessions.ts";
import { realFolder } from "./folder.ts";
import { laneStatus } from "./lane-status.ts";
import { oneLine } from "./printable.ts";
import { onStdout } from "./style.ts";

const shown = 20;

/** `holdfast sessions`: newest first. */
export async function listSessions(options: {
  store: string;
  directory?: string;
  all?: true;
  json?: true;
}): Promise<ExitCode> {
  const { store, all } = options;
  const directory = options.directory === undefined ? null : realFolder(options.directory);
  if (store === defaultStore(process.env, homedir()) && !existsSync(store)) {
    if (options.json !== true) console.log(none);
    return exitCodes.ok;
  }
  const reader = await openReader(store);
  try {
    const found = await findSessions(reader, { directory, children: all === true });
    const listed = all === true || options.json === true ? found : found.slice(0, shown);
    for (const session of listed) {
      const first = await firstWords(reader, session.lane.sessionId);
      if (options.json === true) console.log(JSON.stringify(asJson(session, first)));
      else print(session, first);
    }
    if (options.json === true) return exitCodes.ok;
    if (found.length === 0) console.log(none);
    const more = found.length - listed.length;
    if (more > 0) console.log(`and ${more} older; --all shows them`);
    return exitCodes.ok;
  } finally {
    await reader.close();
  }
}

const none = 'No sessions yet. `holdfast run "..."` starts one.';

async function firstWords(reader: StoreReader, sessionId: string): Promise<string> {
  const [first] = await reader.prompts(sessionId, { after: 0, limit: 1 });
  return first === undefined ? "" : readText(reader, first.body);
}

function asJson({ lane, lastAt }: FoundSession, text: string): object {
  const { sessionId, directory, parent, usage } = lane;
  const at = new Date(lastAt).toISOString();
  return { sessionId, directory, parent, at, status: laneStatus(lane), usage, text };
}

function print({ lane, lastAt }: FoundSession, text: string): void {
  const status = laneStatus(lane);
  const paint = status.startsWith("needs you") ? "yellow" : status === "idle" ? "dim" : "green";
  const words = [
    onStdout("bold", lane.sessionId),
    age(Date.now() - lastAt),
    onStdout(paint, status),
  ];
  console.log(words.join("  "));
  const child = lane.parent === null ? "" : `child of ${lane.parent.sessionId}; `;
  console.log(`  ${child}${lane.directory}`);
  if (text !== "") console.log(`  ${onStdout("dim", `“${oneLine(text, 70)}”`)}`);
}

function age(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`;
}
