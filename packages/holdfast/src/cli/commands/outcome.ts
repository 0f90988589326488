import type { Hold, Holdfast, Prompt, Receipt, SessionHandle } from "@holdfast/sdk";
import type { FamilyWatch } from "../terminal/watch-family.ts";

/** Returns the prompt if it is settled or waits for a person; otherwise null. */
export async function settledOrHeld(
  session: SessionHandle,
  promptId: string,
): Promise<Prompt | null> {
  // Read the holds before the prompt. A failing run settles its prompt and holds the session in one commit. In the
  // other order, the prompt could look as if it was unsettled and held.
  const holds = await session.holds();
  const entry = await session.promptById(promptId).get();
  if (entry.status === "settled") return entry;
  const blocks = entry.status === "running" ? blocksRun : blocksStart;
  return holds.some(blocks) ? entry : null;
}

/** True for a hold that keeps an active run from continuing. Other holds let it finish. */
function blocksRun(hold: Hold): boolean {
  return hold.kind === "recovery";
}

function blocksStart(hold: Hold): boolean {
  return hold.kind !== "failure" || hold.retryAt === null;
}

/** True if neither the session nor a background child in this process has work left. */
export async function idleFamily(session: SessionHandle, watch: FamilyWatch): Promise<true | null> {
  const { active, background, queue, holds } = await session.get();
  const waits = background.some((child) => watch.isMember(child.sessionId));
  const queued = queue.length > 0 && holds.length === 0;
  return active !== null || waits || queued ? null : true;
}

/** Returns the outcome as text, or the status if there is no outcome yet. */
export function outcomeText(entry: Pick<Prompt, "status" | "outcome">): string {
  const { status, outcome } = entry;
  if (outcome === null) return status;
  return outcome.reason === null ? outcome.status : `${outcome.status} (${outcome.reason})`;
}

type ReceiptFields = Pick<Receipt, "covered" | "children" | "background" | "tree">;

/** Describes which prompts a cancel has covered. `isStopping`: a covered run has not ended yet. */
export function receiptText(receipt: ReceiptFields, { isStopping = false } = {}): string {
  const { covered, children, background, tree } = receipt;
  const running = covered.filter(wasRunning).length;
  const queued = covered.length - running;
  const ended = [
    running > 0 && !isStopping ? `${running} running` : "",
    queued > 0 ? `${queued} queued` : "",
  ].filter((part) => part !== "");
  const word = isStopping ? "stopping" : "stopped";
  const fate = tree ? `also ${word} in the background` : "still running in the background";
  return [
    ...(covered.length === 0 ? ["nothing to stop"] : []),
    ...(isStopping && running > 0 ? [`stopping ${running} running`] : []),
    ...(ended.length > 0 ? [`stopped ${ended.join(", ")}`] : []),
    ...named(`${word} with it`, children),
    ...named(fate, background),
  ].join("; ");
}

/** Maximum time to wait for cancelled runs, in milliseconds. Most runs end at once. */
const stopWait = 2_000;

/** Waits a moment until the runs that a cancel covers have ended. Returns true if one of them is still stopping. */
export async function isStopping(
  holdfast: Holdfast,
  { sessionId, receipt }: { sessionId: string; receipt: ReceiptFields },
): Promise<boolean> {
  const own = receipt.covered.filter(wasRunning).map(({ promptId }) => ({ sessionId, promptId }));
  const others = [...receipt.children, ...(receipt.tree ? receipt.background : [])];
  const signal = AbortSignal.timeout(stopWait);
  const ends = [...own, ...others].map((prompt) =>
    holdfast.session(prompt.sessionId).promptById(prompt.promptId).settled({ signal }),
  );
  // The cancel is stored. If the outcome cannot be read, the command must not fail.
  return Promise.all(ends).then(
    () => false,
    () => true,
  );
}

function wasRunning({ was }: Receipt["covered"][number]): boolean {
  return was === "running" || was === "takenIn";
}

/** Lists each session once, even with several prompts. */
function named(what: string, prompts: Receipt["background"]): string[] {
  const sessions = new Set(prompts.map(({ sessionId }) => sessionId));
  return sessions.size === 0 ? [] : [`${what}: ${[...sessions].join(", ")}`];
}
