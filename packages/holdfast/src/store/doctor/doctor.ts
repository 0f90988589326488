import { examineFeed } from "./feed.ts";
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
