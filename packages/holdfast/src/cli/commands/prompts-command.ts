import { openClient } from "../../compose/client.ts";
import type { Holdfast, Prompt } from "@holdfast/sdk";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { expectSession, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { outcomeText } from "./outcome.ts";
import { oneLine } from "../terminal/printable.ts";

export interface PromptsOptions extends ClientOptions {
  readonly session?: string;
  readonly status?: Prompt["status"];
  readonly json?: true;
}

/** `holdfast prompts`: the ledger, read by pages and printed as it is read. */
export async function listPrompts(options: PromptsOptions): Promise<ExitCode> {
  const { store, session, status } = options;
  await using client = await openClient(placeOf(options), "look");
  const { holdfast, url } = client;
  if (session !== undefined) await expectSession(holdfast.session(session), { url, store });
  const sessions = session === undefined ? sessionIds(holdfast) : [session];
  let count = 0;
  for await (const sessionId of sessions) {
    for await (const prompt of holdfast.session(sessionId).eachPrompt()) {
      if (status !== undefined && prompt.status !== status) continue;
      if (options.json === true) console.log(JSON.stringify(prompt));
      else print(prompt, { isFirst: count === 0 });
      count += 1;
    }
  }
  if (count === 0 && options.json !== true) console.log("No prompts.");
  return exitCodes.ok;
}

async function* sessionIds(holdfast: Holdfast): AsyncGenerator<string> {
  for await (const { sessionId } of holdfast.sessions.each()) yield sessionId;
}

/** Ids are long and wanted whole, to be copied; so they stand last but for the text. */
function print(prompt: Prompt, options: { isFirst: boolean }): void {
  if (options.isFirst) console.log(columns(["ACCEPTED", "OUTCOME", "SESSION", "PROMPT", "TEXT"]));
  const { acceptedAt, sessionId, promptId, text } = prompt;
  const at = new Date(acceptedAt).toISOString().slice(0, 19).replace("T", " ");
  console.log(columns([at, outcomeText(prompt), sessionId, promptId, oneLine(text ?? "", 40)]));
}

/** Wide enough for a time, for most outcomes, and for ids that were not chosen by hand. */
const widths = [19, 24, 44, 43, 0];

function columns(cells: readonly string[]): string {
  const padded = cells.map((cell, index) => cell.padEnd(widths[index] ?? 0));
  return padded.join("  ").trimEnd();
}
