import type { Findings } from "./findings.ts";
import { StoreError } from "../store-error.ts";
import type { StoreReader } from "../store.ts";

const pageSize = 500;
const maxKnown = 10_000;

/** Every event belongs to a session that the store lists: a lane that vanished is found by its log. */
export async function examineFeed(reader: StoreReader, findings: Findings): Promise<void> {
  const known = new Set<string>();
  let cursor: string | null = null;
  for (;;) {
    const page = await reader.feed({ after: cursor, limit: pageSize });
    await findings.progress();
    if (page.status === "reset") return;
    ({ cursor } = page);
    for (const { sessionId } of page.events) {
      if (known.has(sessionId)) continue;
      if (known.size >= maxKnown) known.clear();
      known.add(sessionId);
      if (!(await isListed(reader, sessionId))) {
        findings.report(sessionId, "P1: its log is there, and its lane is not");
      }
    }
    if (!page.more) return;
  }
}

/** An unreadable lane is there too, and named when its session is examined. */
async function isListed(reader: StoreReader, sessionId: string): Promise<boolean> {
  try {
    return (await reader.lane(sessionId)) !== null;
  } catch (error) {
    if (error instanceof StoreError && error.code === "storeCorrupt") return true;
    throw error;
  }
}
