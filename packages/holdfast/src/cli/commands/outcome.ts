import type { Hold, Prompt, Receipt, SessionHandle } from "@holdfast/sdk";
import type { FamilyWatch } from "../terminal/watch-family.ts";

/** The prompt's entry once it is settled, or while nothing but a person can make it go on. */
export async function settledOrHeld(
  session: SessionHandle,
  promptId: string,
): Promise<Prompt | null> {
  // The holds come first: a run that fails settles its prompt and holds the session in one commit.
  const holds = await session.holds();
  const entry = await session.promptById(promptId).get();
  if (entry.status === "settled") return entry;
  const stops = entry.status === "running" ? stopsRun : stopsStart;
  return holds.some(stops) ? entry : null;
}

/** Other holds let an active run end. */
function stopsRun(hold: Hold): boolean {
  return hold.kind === "recovery";
}

function stopsStart(hold: Hold): boolean {
  return hold.kind !== "failure" || hold.retryAt === null;
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

type Told = Pick<Receipt, "covered" | "children" | "background" | "tree">;

/** What a cancel has covered, in words. */
export function receiptText(receipt: Told): string {
  const { covered, children, background, tree } = receipt;
  const running = covered.filter(({ was }) => was === "running" || was === "takenIn").length;
  const queued = covered.length - running;
  const stopped = [
    running > 0 ? `${running} running` : "",
    queued > 0 ? `${queued} queued` : "",
  ].filter((part) => part !== "");
  const fate = tree ? "stopped in the background as well" : "still at work in the background";
  return [
    stopped.length === 0 ? "nothing was left to stop" : `stopped ${stopped.join(", ")}`,
    ...named("stopped with it", children),
    ...named(fate, background),
  ].join("; ");
}

/** Each session once, however many of its prompts are meant. */
function named(what: string, prompts: Receipt["background"]): string[] {
  const sessions = new Set(prompts.map(({ sessionId }) => sessionId));
  return sessions.size === 0 ? [] : [`${what}: ${[...sessions].join(", ")}`];
}
