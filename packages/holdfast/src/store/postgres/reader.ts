import type { LaneEvent } from "../../kernel/event.ts";
import type { AskRow, LedgerRow } from "../../kernel/ledger.ts";
import type { LaneState } from "../../kernel/state.ts";
import { checkLimit } from "../limits.ts";
import type { Page } from "../store.ts";
import type { Database } from "./database.ts";
import { storable } from "./lane-read.ts";

export async function readState(database: Database, sessionId: string): Promise<LaneState | null> {
  const [row] = await database.rows<{ state: LaneState }>({
    text: "SELECT state FROM lanes WHERE session_id = $1",
    values: [storable(sessionId)],
  });
  return row?.state ?? null;
}

export async function readPrompt(
  database: Database,
  key: { sessionId: string; promptId: string },
): Promise<LedgerRow | null> {
  const [row] = await database.rows<{ entry: LedgerRow }>({
    text: "SELECT entry FROM prompts WHERE session_id = $1 AND prompt_id = $2",
    values: [storable(key.sessionId), storable(key.promptId)],
  });
  return row?.entry ?? null;
}

export async function readPrompts(
  database: Database,
  read: { sessionId: string; page: Page<number> },
): Promise<LedgerRow[]> {
  const rows = await database.rows<{ entry: LedgerRow }>({
    text: `SELECT entry FROM prompts WHERE session_id = $1 AND accept_seq > $2
      ORDER BY accept_seq LIMIT $3`,
    values: [storable(read.sessionId), read.page.after ?? 0, checkLimit(read.page.limit)],
  });
  return rows.map(({ entry }) => entry);
}

export async function readAsk(
  database: Database,
  key: { sessionId: string; askId: string },
): Promise<AskRow | null> {
  const [row] = await database.rows<{ entry: AskRow }>({
    text: "SELECT entry FROM asks WHERE session_id = $1 AND ask_id = $2",
    values: [storable(key.sessionId), storable(key.askId)],
  });
  return row?.entry ?? null;
}

export async function readEvents(
  database: Database,
  read: { sessionId: string; page: Page<number> },
): Promise<LaneEvent[]> {
  const rows = await database.rows<{ event: LaneEvent }>({
    text: `SELECT event FROM events WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
    values: [storable(read.sessionId), read.page.after ?? 0, checkLimit(read.page.limit)],
  });
  return rows.map(({ event }) => event);
}

export async function readBody(database: Database, hash: string): Promise<Uint8Array | null> {
  const [row] = await database.rows<{ content: Buffer }>({
    text: "SELECT content FROM bodies WHERE hash = $1",
    values: [storable(hash)],
  });
  return row === undefined ? null : new Uint8Array(row.content);
}

export async function readSessions(database: Database, page: Page<string>): Promise<string[]> {
  const rows = await database.rows<{ session_id: string }>({
    text: "SELECT session_id FROM lanes WHERE session_id > $1 ORDER BY session_id LIMIT $2",
    values: [storable(page.after ?? ""), checkLimit(page.limit)],
  });
  return rows.map((row) => row.session_id);
}
