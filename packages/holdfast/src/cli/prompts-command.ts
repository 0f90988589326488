import { ledgerOf, openReader } from "../main.ts";
import type { LedgerRow } from "../main.ts";
import { readText } from "./body-text.ts";
import { exitCodes } from "./cli-error.ts";
import type { ExitCode } from "./cli-error.ts";
import { expectSession } from "./expect-session.ts";
import { sessionIds } from "./find-sessions.ts";
import { outcomeText } from "./outcome.ts";
import { oneLine } from "./printable.ts";

/** `holdfast prompts`: the ledger, read by pages and printed as it is read. */
export async function listPrompts(options: {
  store: string;
  session?: string;
  status?: LedgerRow["status"];
  json?: true;
}): Promise<ExitCode> {
  const { store, session, status } = options;
  const reader = await openReader(store);
  try {
    if (session !== undefined) await expectSession(reader, { sessionId: session, store });
    const sessions = session === undefined ? sessionIds(reader) : [session];
    let count = 0;
    for await (const sessionId of sessions) {
      for await (const row of ledgerOf(reader, sessionId)) {
        if (status !== undefined && row.status !== status) continue;
        const text = await readText(reader, row.body);
        if (options.json === true) console.log(JSON.stringify({ ...row, text }));
        else printRow(row, { text, isFirst: count === 0 });
        count += 1;
      }
    }
    if (count === 0 && options.json !== true) console.log("No prompts.");
    return exitCodes.ok;
  } finally {
    await reader.close();
  }
}

/** Ids are long and wanted whole, to be copied; so they stand last but for the text. */
function printRow(row: LedgerRow, options: { text: string; isFirst: boolean }): void {
  if (options.isFirst) console.log(columns(["ACCEPTED", "OUTCOME", "SESSION", "PROMPT", "TEXT"]));
  const at = new Date(row.acceptedAt).toISOString().slice(0, 19).replace("T", " ");
  const short = oneLine(options.text, 40);
  console.log(columns([at, outcomeText(row), row.sessionId, row.promptId, short]));
}

/** Wide enough for a time, for most outcomes, and for ids that were not chosen by hand. */
const widths = [19, 24, 44, 43, 0];

function columns(cells: readonly string[]): string {
  const padded = cells.map((cell, index) => cell.padEnd(widths[index] ?? 0));
  return padded.join("  ").trimEnd();
}
