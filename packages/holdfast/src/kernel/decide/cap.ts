import { isSpent } from "../account.ts";
import { capsOfPrompt } from "../cap.ts";
import type { Cap, Caps } from "../cap.ts";
import { emit } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { triesHandedOver } from "../state.ts";
import type { Run, UnsettledPrompt } from "../state.ts";

/** Returns a used-up cap of this prompt's run; if there are several, the one that resets last. */
export function spentCap(
  draft: Draft,
  caps: Caps | undefined,
  prompt: UnsettledPrompt | undefined,
): Cap | null {
  const spent = capsOfPrompt(caps, draft.envelope.at, prompt).filter(({ accountId, limit }) => {
    const account = draft.accounts.get(accountId);
    return account !== undefined && isSpent(account.spent, limit);
  });
  return spent.toSorted((left, right) => right.resetsAt - left.resetsAt)[0] ?? null;
}

const reasons = { day: "dailyCap", month: "monthlyCap", token: "tokenCap" } as const;

/**
 * Pauses the lane until the cap resets or is raised, or a person releases the hold. An active run stops now and
 * continues when the hold is released (P6).
 */
export function holdForCap(draft: Draft, met: { cap: Cap; run: Run | null }): void {
  const { cap, run } = met;
  if (run !== null) {
    const { runId, attempt } = run;
    const { fence } = draft.state;
    emit(draft, { type: "run.handedOver", runId, tries: triesHandedOver(run), fence, attempt });
  }
  const holdId = `cap:${draft.state.seq + 1}`;
  const hold = {
    kind: "failure",
    holdId,
    reason: reasons[cap.kind],
    retryAt: cap.resetsAt,
  } as const;
  emit(draft, { type: "hold.placed", hold });
}
