import type { LaneState, StoreReader } from "../main.ts";

/** A session that was not made by another, and when something last happened in it. */
export interface FoundSession {
  readonly lane: LaneState;
  readonly lastAt: number;
}

const pageSize = 200;

/** All session ids, read by pages. */
export async function* sessionIds(reader: StoreReader): AsyncGenerator<string> {
  for (let after: string | null = null; ;) {
    const page: readonly string[] = await reader.sessions({ after, limit: pageSize });
    yield* page;
    after = page.at(-1) ?? null;
    if (page.length < pageSize) return;
  }
}

/** Sessions that are not deleted, newest first. */
export async function findSessions(
  reader: StoreReader,
  filter: { directory: string | null; children: boolean },
): Promise<readonly FoundSession[]> {
  const found: FoundSession[] = [];
  for await (const sessionId of sessionIds(reader)) {
    const lane = await reader.lane(sessionId);
    if (lane === null || lane.status !== "open") continue;
    if (lane.parent !== null && !filter.children) continue;
    if (filter.directory !== null && lane.directory !== filter.directory) continue;
    const [last] = await reader.events(sessionId, { after: lane.seq - 1, limit: 1 });
    found.push({ lane, lastAt: last?.at ?? 0 });
  }
  return found.toSorted((left, right) => right.lastAt - left.lastAt);
}
