import type { DatabaseSync } from "node:sqlite";
import { ledgerChange } from "../../kernel/ledger.ts";
import type { LedgerRow } from "../../kernel/ledger.ts";
import { eventTable } from "../../kernel/event-table.ts";
import type { Reads } from "./reads.ts";
import type { Recent } from "./recent.ts";
import type { RowTable } from "./row-table.ts";
import { packSettled } from "./settled-row.ts";
import { settledTwice } from "./places.ts";
import { ledgerKey } from "./ledger-reads.ts";

/**
 * Writes prompt rows. Unsettled prompts change often, so their rows are stored in log order: one database page then
 * contains rows of many lanes. Settled prompts move to the ledger, where a lookup by key finds them.
 */
export function prepareLedgerWrites(
  database: DatabaseSync,
  memory: { reads: Reads; recent: Recent },
): RowTable<LedgerRow> {
  const { reads, recent } = memory;
  const save = database.prepare(
    `INSERT INTO prompts (position, row) VALUES (?, ?)
     ON CONFLICT (position) DO UPDATE SET row = excluded.row`,
  );
  const remove = database.prepare("DELETE FROM prompts WHERE position = ?");
  const settle = database.prepare(
    `INSERT INTO settled (key, lane, position, row) VALUES (?, ?, ?, ?)
     ON CONFLICT (key) DO NOTHING`,
  );
  const index = database.prepare(
    `UPDATE events SET once = ${eventTable["prompt.settled"].once.number} WHERE position = ?`,
  );
  return {
    changeOf: ledgerChange,
    read: (lane, { sessionId, id }) =>
      recent.prompt(sessionId, id) ?? reads.prompt({ sessionId, lane, promptId: id }),
    save(row, { lane, places, isAsBrought }) {
      if (isAsBrought) return;
      const { promptId, acceptSeq } = row;
      const broughtAt = places.at(acceptSeq) ?? reads.broughtAt(lane, promptId);
      if (broughtAt === null) throw new Error(`no event in the log created prompt ${promptId}`);
      if (row.status !== "settled") {
        save.run(broughtAt, JSON.stringify(row));
        return;
      }
      const settledAt = places.settled(promptId);
      if (settledAt === null) throw settledTwice(row);
      const key = ledgerKey(lane, promptId);
      const { changes } = settle.run(key, lane, settledAt, packSettled(row));
      if (changes === 1) {
        if (!places.isNew(acceptSeq)) remove.run(broughtAt);
        return;
      }
      // The table `settled` already has a row with this key. If that row belongs to this prompt, the prompt was settled
      // twice, which is an error. If not, two different prompts have the same key. This prompt's row then stays in the
      // table `prompts`, and its `prompt.settled` event is added to the index of events.
      if (reads.settledAt(lane, promptId) !== null) throw settledTwice(row);
      index.run(settledAt);
      save.run(broughtAt, JSON.stringify(row));
    },
  };
}
