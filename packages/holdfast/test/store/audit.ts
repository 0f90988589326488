import { isDeepStrictEqual } from "node:util";
import type { LaneEvent } from "../../src/kernel/event.ts";
import { evolve } from "../../src/kernel/evolve.ts";
import { checkHistory } from "../kernel/support/check-history.ts";
import { checkState } from "../../src/kernel/invariants.ts";
import { askChange, ledgerChange } from "../../src/kernel/ledger.ts";
import type { AskRow, LedgerRow, RowChange } from "../../src/kernel/ledger.ts";
import type { LaneState } from "../../src/kernel/state.ts";
import { besideState } from "../../src/store/session-list.ts";
import type { StoreReader } from "../../src/store/store.ts";
import { readLog } from "./lane-client.ts";

/** Lists all data in a store that differs from its logs, and every promise that a log breaks. */
export async function audit(store: StoreReader): Promise<string[]> {
  const problems: string[] = [];
  for (const sessionId of await allSessions(store)) {
    const found = await auditSession(store, sessionId);
    problems.push(...found.map((problem) => `${sessionId}: ${problem}`));
  }
  return problems;
}

export async function allSessions(store: StoreReader): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const page = await store.sessions({ after: ids.at(-1) ?? null, limit: 100 });
    ids.push(...page);
    if (page.length < 100) return ids;
  }
}

async function auditSession(store: StoreReader, sessionId: string): Promise<string[]> {
  const log = await readLog(store, sessionId);
  const problems = checkHistory(log);
  const folded = log.reduce<LaneState | null>(evolve, null);
  const state = await store.lane(sessionId);
  if (state !== null) problems.push(...checkState(state));
  if (!isDeepStrictEqual(folded, state)) problems.push("the log does not fold to the stored state");
  const stored = await store.storedLane(sessionId);
  const expected = state === null ? null : { ...besideState(state), ...timesOf(log), state };
  if (!isDeepStrictEqual(stored, expected)) problems.push("what stands beside the state is wrong");
  const rows = [...project(log, ledgerChange).values()];
  const ledger = await readLedger(store, sessionId);
  if (!isDeepStrictEqual(rows, ledger)) problems.push("the ledger is not the log's");
  for (const row of rows) {
    const stored = await store.prompt(sessionId, row.promptId);
    if (!isDeepStrictEqual(row, stored)) problems.push(`prompt ${row.promptId} is not the log's`);
  }
  for (const [askId, row] of project<AskRow>(log, askChange)) {
    const stored = await store.ask(sessionId, askId);
    if (!isDeepStrictEqual(row, stored)) problems.push(`ask ${askId} is not the log's`);
  }
  return problems;
}

function timesOf(log: readonly LaneEvent[]): { createdAt: number; updatedAt: number } {
  return { createdAt: log.at(0)?.at ?? 0, updatedAt: log.at(-1)?.at ?? 0 };
}

/** The rows that follow from a log, in order of creation. */
function project<Row>(
  log: readonly LaneEvent[],
  changeOf: (event: LaneEvent) => RowChange<Row> | null,
): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (const event of log) {
    const change = changeOf(event);
    if (change === null) continue;
    const row = rows.get(change.id);
    const next = row === undefined ? change.row : { ...row, ...change.patch };
    if (next !== null) rows.set(change.id, next);
  }
  return rows;
}

export async function readLedger(store: StoreReader, sessionId: string): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  for (;;) {
    const page = await store.prompts(sessionId, {
      after: rows.at(-1)?.acceptSeq ?? null,
      limit: 200,
    });
    rows.push(...page);
    if (page.length < 200) return rows;
  }
}
