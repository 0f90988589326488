import type { Prompt, SessionHandle } from "@holdfast/sdk";
import type { FamilyWatch } from "./watch-family.ts";

/** The prompt's entry once it is settled, or while nothing but a person can make it start. */
export async function settledOrHeld(
  session: SessionHandle,
  promptId: string,
): Promise<Prompt | null> {
  const entry = await session.promptById(promptId).get();
  if (entry.status === "settled") return entry;
  const holds = await session.holds();
  const lasts = holds.some((hold) => hold.kind !== "failure" || hold.retryAt === null);
  return lasts ? entry : null;
}

/** True when neither the session nor a background child of it has anything left to do here. */
export async function idleFamily(session: SessionHandle, watch: FamilyWatch): Promise<true | null> {
  const { active, background, queue, holds } = await session.get();
  const waits = background.some((child) => watch.isMember(child.sessionId));
  const queued = queue.length > 0 && holds.length === 0;
  return active !== null || waits || queued ? null : true;
}

/** An outcome in words, or what stands in its place. */
export function outcomeText(entry: Pick<Prompt, "status" | "outcome">): string {
  const { status, outcome } = entry;
  if (outcome === null) return status;
  return outcome.reason === null ? outcome.status : `${outcome.status} (${outcome.reason})`;
}
