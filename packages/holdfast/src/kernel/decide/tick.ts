import { emit } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { activeRun } from "../state.ts";
import type { UnsettledPrompt } from "../state.ts";
import { closeAccountAsk } from "./account.ts";
import { releaseHold } from "./hold.ts";
import { closeRun, failed, settlePrompt, stopRun } from "./settle.ts";

/** Handles everything that is due by now: expiries, retries and deadlines. Any node may trigger it. */
export function decideTick(draft: Draft): null {
  expirePrompts(draft);
  expireAsks(draft);
  retryFailures(draft);
  // Enforce earlier stops before starting new ones, so that a new stop gets its whole grace period.
  enforceStop(draft);
  stopOverdueRun(draft);
  return null;
}

export function expirePrompts(draft: Draft): void {
  for (const item of draft.state.queue) if (item.kind === "prompt") expire(draft, item);
}

/** Settles a waiting prompt as expired if its `expiresAt` has passed (P6). Returns true in that case. */
export function expire(draft: Draft, prompt: UnsettledPrompt): boolean {
  const due = isDue(draft, prompt.expiresAt);
  if (due) settlePrompt(draft, { prompt, outcome: failed("expired") });
  return due;
}

function expireAsks(draft: Draft): void {
  const run = activeRun(draft.state);
  if (run === null) return;
  for (const { askId, expiresAt, accountId } of run.asks) {
    if (!isDue(draft, expiresAt)) continue;
    emit(draft, { type: "ask.closed", runId: run.runId, askId, resolution: { kind: "expired" } });
    if (accountId === undefined) continue;
    closeAccountAsk(draft, { accountId, raise: null, answered: false });
  }
}

function retryFailures(draft: Draft): void {
  for (const hold of draft.state.holds) {
    if (hold.kind === "failure" && isDue(draft, hold.retryAt)) {
      releaseHold(draft, { hold, cause: "retryTime" });
    }
  }
}

/** Ends the stopping run or exclusive operation when its grace period is over. Later writes of its owner are refused (C5). */
function enforceStop(draft: Draft): void {
  const { active } = draft.state;
  if (active?.condition.status !== "stopping" || !isDue(draft, active.condition.deadline)) return;
  if (active.kind === "work") {
    emit(draft, { type: "work.ended", workId: active.workId, cause: "enforced", body: null });
    return;
  }
  const { outcome, mark } = active.condition;
  closeRun(draft, { outcome, mark, attempt: active.attempt + 1 });
}

function stopOverdueRun(draft: Draft): void {
  const run = activeRun(draft.state);
  if (run?.condition.status !== "running" || !isDue(draft, run.deadline)) return;
  stopRun(draft, { outcome: failed("runTime"), mark: null, enforce: false });
}

function isDue(draft: Draft, time: number | null): boolean {
  return time !== null && time <= draft.envelope.at;
}
