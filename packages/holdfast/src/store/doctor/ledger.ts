import type { LaneEvent } from "../../kernel/event.ts";
import type { LedgerRow } from "../../kernel/ledger.ts";
import type { StoreReader } from "../store.ts";

/** Compares the ledger with the log, both in order of `acceptSeq`, and reports prompts that are in only one of them. */
export interface LedgerWalk {
  /** Compares the event with the next ledger row and returns the problems found. */
  add(event: LaneEvent): Promise<string[]>;
  /**
   * Call this after the last event of the log, which has the number `seq`. Returns a problem for each remaining ledger
   * row, because its prompt is not in the log.
   */
  end(seq: number): Promise<string[]>;
}

const pageSize = 200;

export function walkLedger(reader: StoreReader, sessionId: string): LedgerWalk {
  const rows = ledgerRows(reader, sessionId);
  let next: Promise<IteratorResult<LedgerRow, void>> | null = null;
  const peek = async (): Promise<LedgerRow | null> => {
    next ??= rows.next();
    const { value, done } = await next;
    return done === true ? null : (value ?? null);
  };
  /**
   * Returns a problem for each prompt in the ledger that is not in the log. Checks prompts with an `acceptSeq` below
   * `seq`.
   */
  const unknownBefore = async (seq: number): Promise<string[]> => {
    const problems: string[] = [];
    for (let row = await peek(); row !== null && row.acceptSeq < seq; row = await peek()) {
      problems.push(`P4: prompt ${row.promptId} is in the ledger but not in the log`);
      next = null;
    }
    return problems;
  };
  return {
    add: async (event) => {
      if (event.type !== "prompt.accepted" && event.type !== "prompt.tombstoned") return [];
      const problems = await unknownBefore(event.seq);
      const row = await peek();
      if (row?.acceptSeq === event.seq && row.promptId === event.promptId) next = null;
      else problems.push(`P4: prompt ${event.promptId} is in the log but not in the ledger`);
      return problems;
    },
    end: (seq) => unknownBefore(seq + 1),
  };
}

async function* ledgerRows(
  reader: StoreReader,
  sessionId: string,
): AsyncGenerator<LedgerRow, void> {
  for (let after = 0; ;) {
    const page = await reader.prompts(sessionId, { after, limit: pageSize });
    yield* page;
    after = page.at(-1)?.acceptSeq ?? after;
    if (page.length < pageSize) return;
  }
}

const asksAtOnce = 200;

/**
 * Checks that open asks are listed as open and closed asks as closed. An open ask that is listed as closed would wait
 * forever (R4).
 */
export async function examineAskMarks(reader: StoreReader, sessionId: string): Promise<string[]> {
  const problems: string[] = [];
  for (const open of [true, false]) {
    for (let after: string | null = null; ;) {
      const asks = await reader.asks(sessionId, { after, limit: asksAtOnce, open });
      for (const { askId, closed } of asks) {
        if ((closed === null) === open) continue;
        problems.push(`R4: ask ${askId} is listed as ${open ? "open" : "closed"} but is not`);
      }
      after = asks.at(-1)?.askId ?? null;
      if (asks.length < asksAtOnce) break;
    }
  }
  return problems;
}
