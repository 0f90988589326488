import type { LaneEvent } from "../../kernel/event.ts";
import { foldRow, workChange } from "../../kernel/ledger.ts";
import type { AskRow, LedgerRow, WorkRow } from "../../kernel/ledger.ts";
import { checkLimit } from "../limits.ts";
import type { AskKey, AskPage, Page } from "../store.ts";
import type { Database } from "./database.ts";
import { storable } from "./lane-read.ts";
import { Together } from "./together.ts";

export function promptReads(database: Database): Together<LedgerRow> {
  return new Together(async (keys) => {
    const named = keys.map((key) => key.split(keySeparator));
    const rows = await database.rows<{ session_id: string; prompt_id: string; entry: LedgerRow }>({
      name: "read-prompts",
      text: `SELECT session_id, prompt_id, entry FROM prompts
        JOIN unnest($1::text[], $2::text[]) AS wanted (session_id, prompt_id)
          USING (session_id, prompt_id)`,
      values: [named.map(([sessionId]) => sessionId), named.map(([, promptId]) => promptId)],
    });
    return new Map(
      rows.map((row) => [
        promptKey({ sessionId: row.session_id, promptId: row.prompt_id }),
        row.entry,
      ]),
    );
  });
}

export function promptKey(prompt: { sessionId: string; promptId: string }): string {
  return storable(prompt.sessionId) + keySeparator + storable(prompt.promptId);
}

/** Separates the two ids of a key. No stored id contains it. */
const keySeparator = "\0";

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

export async function readWork(
  database: Database,
  key: { sessionId: string; workId: string },
): Promise<WorkRow | null> {
  const rows = await database.rows<{ event: LaneEvent }>({
    text: `
      SELECT event FROM events
      WHERE session_id = $1 AND subject = $2
        AND type IN ('work.queued', 'work.started', 'work.ended')
      ORDER BY seq`,
    values: [storable(key.sessionId), storable(key.workId)],
  });
  return foldRow(
    null,
    key.workId,
    rows.map(({ event }) => workChange(event)),
  );
}

/**
 * Reads a page of asks in order of their opening time. The page key is an ask id; the row of that ask contains the
 * opening time, even after the ask was answered.
 */
export async function readAsks(
  database: Database,
  read: { sessionId: string; page: AskPage },
): Promise<AskRow[]> {
  const { after, limit, open } = read.page;
  const rows = await database.rows<{ entry: AskRow }>({
    text: `
      SELECT entry FROM asks
      WHERE session_id = $1 AND ($3::boolean IS NULL OR open = $3)
        AND ($2::text IS NULL OR (opened_at, ask_id) >
          (SELECT opened_at, ask_id FROM asks WHERE session_id = $1 AND ask_id = $2))
      ORDER BY opened_at, ask_id LIMIT $4`,
    values: [
      storable(read.sessionId),
      after === null ? null : storable(after),
      open ?? null,
      checkLimit(limit),
    ],
  });
  return rows.map(({ entry }) => entry);
}

export async function readOpenAsks(database: Database, page: Page<AskKey>): Promise<AskRow[]> {
  const { after, limit } = page;
  const rows = await database.rows<{ entry: AskRow }>({
    text: `
      SELECT entry FROM asks
      WHERE open AND ($1::text IS NULL OR (opened_at, session_id, ask_id) >
        (SELECT opened_at, session_id, ask_id FROM asks WHERE session_id = $1 AND ask_id = $2))
      ORDER BY opened_at, session_id, ask_id LIMIT $3`,
    values: [
      after === null ? null : storable(after.sessionId),
      after === null ? null : storable(after.askId),
      checkLimit(limit),
    ],
  });
  return rows.map(({ entry }) => entry);
}

export function bodyReads(database: Database): Together<Uint8Array> {
  return new Together<Uint8Array>(async (hashes) => {
    const rows = await database.rows<{ hash: string; content: Buffer }>({
      name: "read-bodies",
      text: "SELECT hash, content FROM bodies WHERE hash = ANY ($1::text[])",
      values: [hashes],
    });
    return new Map(rows.map(({ hash, content }) => [hash, new Uint8Array(content)]));
  });
}
