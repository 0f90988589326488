import { createBodyCheck } from "./bodies.ts";
import { examineSession } from "./session.ts";
import { createFindings } from "./findings.ts";
import type { Findings, Tally, Violation } from "./findings.ts";
import { StoreError } from "../store-error.ts";
import type { StoreReader } from "../store.ts";

export type { Tally, Violation } from "./findings.ts";

export interface Examination extends Tally {
  /** The first of them; `violationCount` counts all. */
  readonly violations: readonly Violation[];
  readonly violationCount: number;
}

const pageSize = 200;

/**
 * Holds a whole store against everything that must be true of it: each log, each row that follows
 * from one, each body, each link between sessions. It reads by pages and changes nothing, and works
 * beside processes that write: what they add meanwhile is left for the next time.
 */
export async function examine(
  reader: StoreReader,
  options: { onProgress?: (tally: Tally) => void } = {},
): Promise<Examination> {
  const findings = createFindings(options.onProgress ?? (() => {}));
  const bodies = createBodyCheck(reader, findings);
  await examineFeed(reader, findings);
  for (let after: string | null = null; ;) {
    const sessions: readonly string[] = await reader.sessions({ after, limit: pageSize });
    for (const sessionId of sessions) {
      await guarded(findings, sessionId, () =>
        examineSession(reader, { sessionId, findings, bodies }),
      );
      findings.count("sessions");
      await findings.progress();
    }
    after = sessions.at(-1) ?? null;
    if (sessions.length < pageSize) return findings.result();
  }
}

/** What can't be read or understood is a finding as well; a store that went away is not. */
async function guarded(
  findings: Findings,
  sessionId: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof StoreError && error.code !== "storeCorrupt") throw error;
    const message = error instanceof Error ? error.message : String(error);
    findings.report(sessionId, `P1: its records can't be read: ${message}`);
  }
}

const eventsAtOnce = 500;
const maxKnown = 10_000;

/** Every event belongs to a session that the store lists: a lane that vanished is found by its log. */
async function examineFeed(reader: StoreReader, findings: Findings): Promise<void> {
  const known = new Set<string>();
  let cursor: string | null = null;
  for (;;) {
    const page = await reader.feed({ after: cursor, limit: eventsAtOnce });
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
