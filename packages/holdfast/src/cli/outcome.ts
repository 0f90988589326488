import type { Runtime, LedgerRow } from "../main.ts";
import type { FamilyWatch } from "./watch-family.ts";

/** The prompt's entry once it is settled, or while nothing but a person can make it start. */
export async function settledOrHeld(
  runtime: Runtime,
  target: { sessionId: string; promptId: string },
): Promise<LedgerRow | null> {
  const row = await runtime.store.prompt(target.sessionId, target.promptId);
  if (row === null || row.status === "settled") return row;
  const { holds = [] } = (await runtime.store.lane(target.sessionId)) ?? {};
  const lasts = holds.some((hold) => hold.kind !== "failure" || hold.retryAt === null);
  return lasts ? row : null;
}

/** True when neither the session nor a background child of it has anything left to do here. */
export async function idleFamily(
  runtime: Runtime,
  target: { sessionId: string; watch: FamilyWatch },
): Promise<true | null> {
  const lane = await runtime.store.lane(target.sessionId);
  if (lane === null) return true;
  const waits = lane.background.some((child) => target.watch.isMember(child.sessionId));
  const queued = lane.queue.length > 0 && lane.holds.length === 0;
  return lane.active !== null || waits || queued ? null : true;
}

/** An outcome in words, or what stands in its place. */
export function outcomeText(row: LedgerRow): string {
  if (row.status !== "settled") return row.status;
  const { status, reason } = row.outcome;
  return reason === null ? status : `${status} (${reason})`;
}
