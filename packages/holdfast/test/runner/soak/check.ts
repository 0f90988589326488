import { readFileSync } from "node:fs";
import { examine } from "../../../src/store/doctor/doctor.ts";
import type { LaneEvent } from "../../../src/kernel/event.ts";
import type { StoreReader } from "../../../src/store/store.ts";
import { allSessions } from "../../store/audit.ts";
import { readLog } from "../../store/lane-client.ts";
import type { Acknowledged } from "./load.ts";

export interface Verdict {
  readonly problems: readonly string[];
  /** Number of acknowledged prompts by outcome. */
  readonly outcomes: Record<string, number>;
  readonly events: number;
  readonly resumed: number;
  /** Number of actions by calls that must not be repeated, and of calls for which it is unknown whether they acted. */
  readonly acts: number;
  readonly inDoubt: number;
}

/** Checks an idle store against all promises. */
export async function judge(
  store: StoreReader,
  told: { acknowledged: Acknowledged; effectsFile: string },
): Promise<Verdict> {
  const { acknowledged, effectsFile } = told;
  const { violations } = await examine(store);
  const problems = violations.map((violation) => JSON.stringify(violation));
  const log: LaneEvent[] = [];
  for (const sessionId of await allSessions(store)) log.push(...(await readLog(store, sessionId)));

  const outcomes: Record<string, number> = {};
  const settled = countBy(log, (event) =>
    event.type === "prompt.settled" || event.type === "prompt.tombstoned"
      ? `${event.sessionId} ${event.promptId}`
      : null,
  );
  for (const { sessionId, promptId } of acknowledged.prompts) {
    const row = await store.prompt(sessionId, promptId);
    const name = `prompt ${promptId} of ${sessionId}`;
    if (row === null) problems.push(`P1: ${name} is lost`);
    const times = settled.get(`${sessionId} ${promptId}`) ?? 0;
    if (times !== 1) problems.push(`P2: ${name} has ${times} outcomes`);
    const outcome = row?.outcome ?? null;
    const key = outcome === null ? "none" : `${outcome.status} ${outcome.reason ?? ""}`.trim();
    outcomes[key] = (outcomes[key] ?? 0) + 1;
  }
  for (const { sessionId, receipt } of acknowledged.receipts) {
    for (const { promptId } of receipt.covered) {
      const row = await store.prompt(sessionId, promptId);
      if (row?.outcome?.status === "cancelled") continue;
      problems.push(`C2: ${promptId} was covered by ${receipt.cancelId} and is not cancelled`);
    }
  }

  for (const sessionId of await allSessions(store)) {
    const state = await store.lane(sessionId);
    for (const { promptId } of state?.background ?? []) {
      problems.push(`C7: ${sessionId} waits for child prompt ${promptId}, which never arrived`);
    }
  }

  const lines = readEffects(effectsFile);
  const acts = countBy(lines, (line) => line);
  const started = new Set(
    log.flatMap((event) => (event.type === "tool.started" ? [event.callId] : [])),
  );
  for (const [callId, times] of acts) {
    if (times > 1) problems.push(`R2: call ${callId} has acted ${times} times`);
    if (!started.has(callId)) problems.push(`R2: call ${callId} acted before its start`);
  }
  let inDoubt = 0;
  for (const event of log) {
    if (event.type !== "tool.ended" || !started.has(event.callId)) continue;
    if (event.status === "inDoubt") inDoubt += 1;
    if (event.status === "completed" && !acts.has(event.callId)) {
      problems.push(`R2: call ${event.callId} has a result and never acted`);
    }
  }
  const resumed = log.filter(({ type }) => type === "run.resumed").length;
  return { problems, outcomes, events: log.length, resumed, acts: lines.length, inDoubt };
}

function countBy<T>(items: readonly T[], keyOf: (item: T) => string | null): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function readEffects(file: string): string[] {
  return readFileSync(file, "utf8").split("\n").filter(Boolean);
}
