import { createBodyCheck } from "./bodies.ts";
import { examineSession } from "./session.ts";
import { createFindings } from "./findings.ts";
import type { Findings, Tally, Violation } from "./findings.ts";
import { StoreError } from "../store-error.ts";
import type { StoreReader } from "../store.ts";

export interface Examination extends Tally {
  /** The first problems found; `violationCount` counts all of them. */
  readonly violations: readonly Violation[];
  readonly violationCount: number;
}

const pageSize = 200;

/**
 * Verifies a whole store: each log, each row derived from a log, all stored content, and each link between sessions.
 * Reads in pages, changes nothing, and can run while other processes write. Data added meanwhile is not checked.
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

/** Runs a check and reports unreadable data as a problem. Throws if the store is unavailable. */
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
    findings.report(sessionId, `P1: its records cannot be read: ${message}`);
  }
}

const eventsAtOnce = 500;
const maxKnown = 10_000;

/** Checks that every event belongs to an existing session. This finds logs whose lane row is missing. */
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
        findings.report(sessionId, "P1: the session has a log but no lane");
      }
    }
    if (!page.more) return;
  }
}

/** True if the session exists, even if its lane is unreadable: the examination of the session reports that. */
async function isListed(reader: StoreReader, sessionId: string): Promise<boolean> {
  try {
    return (await reader.lane(sessionId)) !== null;
  } catch (error) {
    if (error instanceof StoreError && error.code === "storeCorrupt") return true;
    throw error;
  }
}
