import type { StoreReader } from "../store.ts";

const pageSize = 200;

/** People find open asks by a mark beside each: an ask without it would wait for ever (R4). */
export async function examineAskMarks(reader: StoreReader, sessionId: string): Promise<string[]> {
  const problems: string[] = [];
  for (const open of [true, false]) {
    for (let after: string | null = null; ;) {
      const asks = await reader.asks(sessionId, { after, limit: pageSize, open });
      for (const { askId, closed } of asks) {
        if ((closed === null) === open) continue;
        problems.push(`R4: ask ${askId} is listed as ${open ? "open" : "closed"}, and is not`);
      }
      after = asks.at(-1)?.askId ?? null;
      if (asks.length < pageSize) break;
    }
  }
  return problems;
}
