import type { DatabaseSync } from "node:sqlite";
import type { LaneEvent } from "../../kernel/event.ts";
import { ledgerChange } from "../../kernel/ledger.ts";
import type { LedgerRow } from "../../kernel/ledger.ts";
import type { Page } from "../store.ts";
import { eventTable } from "../../kernel/event-table.ts";
import { inOrder, optional, optionalText, text, whole } from "./row.ts";
import type { SqlRow } from "./row.ts";
import { unpackSettled } from "./settled-row.ts";

/** All reads of prompt rows, on prepared statements. */
export interface LedgerReads {
  prompt(key: PromptKey): LedgerRow | null;
  /**
   * Reads a prompt whose id is probably new. Looks in the index of events first. For a new id, this reads only the
   * index page that is needed anyway to store the prompt.
   */
  promptIfAny(key: PromptKey): LedgerRow | null;
  prompts(session: { sessionId: string; lane: number }, page: Page<number>): LedgerRow[];
  /** Returns the position of the event that created the prompt. */
  broughtAt(lane: number, promptId: string): number | null;
  /** Returns the position of the event that settled the prompt; null if the prompt has no row in the ledger. */
  settledAt(lane: number, promptId: string): number | null;
}

export interface PromptKey {
  readonly sessionId: string;
  readonly lane: number;
  readonly promptId: string;
}

export function prepareLedgerReads(database: DatabaseSync): LedgerReads {
  database.function("ledger_key", { deterministic: true }, ledgerKeyOf);
  const isBrought = `events.once <= ${eventTable["prompt.tombstoned"].once.number}`;
  const broughtAt = database.prepare(
    `SELECT position FROM events WHERE lane = ? AND subject = ? AND ${isBrought}`,
  );
  // Read the event's data only if the prompt has not changed since this event created it.
  const byEvent = `SELECT NULL AS settled, row, iif(row IS NULL, data, NULL) AS data
    FROM events LEFT JOIN prompts USING (position)
    WHERE lane = ?1 AND subject = ?2 AND ${isBrought}`;
  // One statement reads a consistent snapshot, even while the owner of the database writes.
  const prompt = database.prepare(
    `SELECT row AS settled, NULL AS row, NULL AS data FROM settled WHERE key = ?3 AND lane = ?1
     UNION ALL ${byEvent} LIMIT 1`,
  );
  const promptByEvent = database.prepare(byEvent);
  const prompts = database.prepare(
    inOrder({
      select:
        "events.subject AS subject, settled.row AS settled, prompts.row AS row, events.data AS data",
      from: `events
        LEFT JOIN prompts ON prompts.position = events.position
        LEFT JOIN settled
          ON settled.key = ledger_key(events.lane, events.subject) AND settled.lane = events.lane`,
      where: isBrought,
    }),
  );
  const settledAt = database.prepare(
    "SELECT position FROM settled WHERE key = ?3 AND lane = ?1 AND row ->> 0 = ?2",
  );
  const reads: LedgerReads = {
    prompt: (key) => {
      const { lane, promptId } = key;
      const found = prompt.get(lane, promptId, ledgerKey(lane, promptId));
      if (found === undefined) return null;
      if (found["settled"] === null) return readOther(found);
      return (
        unpackSettled(text(found, "settled"), key) ??
        optional(promptByEvent.get(lane, promptId), readOther)
      );
    },
    promptIfAny: (key) =>
      reads.broughtAt(key.lane, key.promptId) === null ? null : reads.prompt(key),
    prompts: ({ sessionId, lane }, { after, limit }) =>
      prompts.all({ lane, after: after ?? 0, limit }).map((row) => {
        const settled = optionalText(row, "settled");
        const key = { sessionId, promptId: text(row, "subject") };
        return (settled === null ? null : unpackSettled(settled, key)) ?? readOther(row);
      }),
    broughtAt: (lane, promptId) => optional(broughtAt.get(lane, promptId), readPosition),
    settledAt: (lane, promptId) =>
      optional(settledAt.get(lane, promptId, ledgerKey(lane, promptId)), readPosition),
  };
  return reads;
}

function readPosition(row: SqlRow): number {
  return whole(row, "position");
}

/** SQL function: returns the key of a prompt in the table of prompts, as a SQLite integer. */
function ledgerKeyOf(lane: unknown, promptId: unknown): bigint | null {
  if (typeof lane !== "number" || typeof promptId !== "string") return null;
  return BigInt(ledgerKey(lane, promptId));
}

/**
 * Returns the row of an unsettled prompt. If the prompt has not changed since its creation, builds the row from the
 * event that created it.
 */
function readOther(row: SqlRow): LedgerRow {
  if (row["row"] !== null) return JSON.parse(text(row, "row"));
  const event: LaneEvent = JSON.parse(text(row, "data"));
  const brought = ledgerChange(event)?.row ?? null;
  if (brought === null)
    throw new TypeError(`expected an event that creates a prompt, not ${event.type}`);
  return brought;
}

/** A key combines one of 2^21 lane numbers with one of 2^32 id hashes: 53 bits, as in a JavaScript integer. */
const lanes = 2 ** 21;
const ids = 2 ** 32;

/**
 * Returns the key of a finished prompt's row: the session's number first, so that rows of a session are stored
 * together, then a hash of the prompt id. If two prompts have the same key, the first to finish is stored under it, and
 * the other one stays in the table `prompts`. Databases contain these keys, so this function must never change.
 */
export function ledgerKey(lane: number, promptId: string): number {
  return (lane % lanes) * ids + numberOf(promptId);
}

/** Hashes the id with FNV-1a and a final mix, so that ids that differ only at the end are spread as well. */
function numberOf(promptId: string): number {
  let number = 0x811c9dc5;
  for (let index = 0; index < promptId.length; index += 1) {
    number = Math.imul(number ^ promptId.charCodeAt(index), 0x01000193);
  }
  number = Math.imul(number ^ (number >>> 15), 0x2c1b3c6d);
  return (number ^ (number >>> 12)) >>> 0;
}
