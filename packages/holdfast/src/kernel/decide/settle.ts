import type { CommandData, TombstoneReach } from "../command.ts";
import { emit, send } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { resultId } from "../facts.ts";
import type { LedgerRow } from "../ledger.ts";
import { activeRun, hasOpenChild, mayHaveActed, noUsage } from "../state.ts";
import type {
  BackgroundChild,
  Outcome,
  ParentLink,
  Run,
  UnsettledPrompt,
  Usage,
} from "../state.ts";
import { isAncestor } from "../tree.ts";
import { leaveAccounts } from "./account.ts";
import { releaseHold } from "./hold.ts";

// Rules for the end of prompts and runs. Every outcome in the log is written here (P2).

/** Gives a prompt its only outcome and reports it to the parent in the same transaction (C7). */
export function settlePrompt(
  draft: Draft,
  settlement: { prompt: UnsettledPrompt; outcome: Outcome; usage?: Usage },
): void {
  const { prompt, outcome, usage = noUsage } = settlement;
  emit(draft, { type: "prompt.settled", promptId: prompt.promptId, outcome });
  const { parent } = prompt;
  if (parent === null) return;
  const { promptId } = prompt;
  const report = { parent: parent.sessionId, promptId, outcome, usage };
  const { sessionId } = draft.envelope;
  // A parent that cancelled its child needs no result, so the outcome must not start a new run there.
  if (parent.background && outcome.reason !== "parentCancel" && !prompt.unwanted) {
    send(draft, {
      to: parent.sessionId,
      // A deleted parent session accepts no prompt. In this case, only report to the parent that the child has ended.
      otherwise: reportTo(draft, report),
      data: {
        type: "prompt.accept",
        promptId: resultId(promptId),
        contentHash: `result:${sessionId}:${promptId}`,
        body: outcome.result,
        bytes: 0,
        delivery: "queue",
        reply: true,
        expectedRunId: null,
        expiresAt: null,
        maxRunTime: null,
        budget: null,
        accounts: prompt.accounts,
        parent: null,
        resultOf: { sessionId, promptId, outcome, usage, ...branchOf(draft, promptId) },
        directories: prompt.directories,
        limits: { maxQueue: Number.MAX_SAFE_INTEGER, maxBytes: 0, draining: false },
      },
    });
    return;
  }
  reportToParent(draft, report);
}

interface Report {
  readonly parent: string;
  readonly promptId: string;
  readonly outcome: Outcome;
  readonly usage: Usage;
}

export function reportToParent(draft: Draft, report: Report): void {
  send(draft, reportTo(draft, report));
}

function reportTo(draft: Draft, report: Report): { to: string; data: CommandData } {
  const { parent, promptId, outcome, usage } = report;
  return {
    to: parent,
    data: {
      type: "child.settle",
      childSessionId: draft.envelope.sessionId,
      childPromptId: promptId,
      outcome,
      usage,
      ...branchOf(draft, promptId),
    },
  };
}

function branchOf(draft: Draft, promptId: string): { branch?: true } {
  return isAncestor(draft.state, promptId) ? { branch: true } : {};
}

/** True if the prompt of this row was sent by the run in `parent`. */
export function isChildOf(row: LedgerRow, parent: ParentLink): boolean {
  return row.parent?.sessionId === parent.sessionId && row.parent.runId === parent.runId;
}

export interface Stop {
  readonly outcome: Omit<Outcome, "runId">;
  /**
   * Event number up to which the stop covers prompts; later prompts return to the queue (C1). Null: all prompts of
   * the run.
   */
  readonly mark: number | null;
  /** True: end the run now instead of waiting for its owner. Later writes of the owner are refused. */
  readonly enforce: boolean;
  /** True: also stop the background children of the run's children, at any depth. */
  readonly tree?: boolean;
}

/**
 * Stops the run. From this commit on no prompt can join it, it starts nothing, and it can only end with this outcome
 * (C5).
 */
export function stopRun(draft: Draft, stop: Stop): void {
  const run = activeRun(draft.state);
  if (run === null) return;
  const { enforce, tree = false } = stop;
  const reach = enforce ? "enforce" : "stop";
  if (run.condition.status === "closing") {
    if (enforce || tree) stopChildren(draft, run, { reach, tree });
    return;
  }
  const { outcome, mark } = mergeStop(run, stop);
  if (enforce || run.owner === null) {
    closeRun(draft, { outcome, mark, attempt: run.attempt + 1, reach, tree });
    return;
  }
  const { condition } = run;
  if (
    condition.status === "stopping" &&
    condition.outcome.status === outcome.status &&
    condition.mark === mark
  ) {
    if (tree) stopChildren(draft, run, { reach, tree });
    return;
  }
  const deadline =
    condition.status === "stopping" ? condition.deadline : draft.envelope.at + run.limits.stopGrace;
  emit(draft, { type: "run.stopping", runId: run.runId, outcome, mark, deadline });
  withdrawAsks(draft);
  if (condition.status === "running" || tree) stopChildren(draft, run, { reach, tree });
}

export interface RunEnd {
  readonly outcome: Outcome;
  readonly attempt: number;
}

/** Commits the end of a run. If children are still running, the run ends when the last of them has ended. */
export function closeRun(
  draft: Draft,
  end: RunEnd & { mark: number | null; reach?: TombstoneReach; tree?: boolean },
): void {
  const run = activeRun(draft.state);
  if (run === null) return;
  const { outcome, mark, attempt, reach = "stop", tree = false } = end;
  for (const tool of run.tools) {
    // If another process than the owner ends the run, it cannot know whether the open calls acted (R2).
    const inDoubt = attempt > run.attempt && mayHaveActed(tool);
    emit(draft, {
      type: "tool.ended",
      runId: run.runId,
      callId: tool.callId,
      status: inDoubt ? "inDoubt" : "interrupted",
      body: null,
      fence: draft.state.fence,
      attempt,
    });
  }
  withdrawAsks(draft);
  for (const hold of draft.state.holds) {
    if (hold.kind === "recovery") releaseHold(draft, { hold, cause: "runEnded" });
  }
  returnSpared(draft, run, mark);
  if (!hasOpenChild(run)) {
    finishRun(draft, { outcome, attempt });
    return;
  }
  emit(draft, { type: "run.closing", runId: run.runId, outcome, mark, attempt });
  stopChildren(draft, run, { reach, tree });
}

/** Puts prompts back in the queue if they were accepted after event `mark`: the cancel does not cover them (C1). */
function returnSpared(draft: Draft, run: Run, mark: number | null): void {
  if (mark === null) return;
  for (const { promptId, acceptSeq } of run.prompts) {
    if (acceptSeq > mark) emit(draft, { type: "prompt.returned", promptId, runId: run.runId });
  }
}

/**
 * Settles all prompts of the run, then ends it. Steers that still wait for this run cannot join it any more: those that
 * named it are settled as `runEnded`, the others stay in the queue as ordinary prompts (L6).
 */
export function finishRun(draft: Draft, end: RunEnd): void {
  const run = activeRun(draft.state);
  if (run === null) return;
  const { runId } = run;
  for (const prompt of run.prompts) {
    const usage = prompt.promptId === run.startedBy ? run.usage : noUsage;
    settlePrompt(draft, { prompt, outcome: end.outcome, usage });
  }
  for (const item of draft.state.queue) {
    if (item.kind === "prompt" && item.binding?.expected === true) {
      settlePrompt(draft, { prompt: item, outcome: cancelled("runEnded") });
    }
  }
  emit(draft, {
    type: "run.ended",
    runId,
    attempt: end.attempt,
    outcome: end.outcome,
    usage: run.usage,
  });
  forgetUnsent(draft, run);
}

export function cancelled(reason: NonNullable<Outcome["reason"]>): Outcome {
  return { status: "cancelled", reason, runId: null, result: null };
}

export function failed(reason: NonNullable<Outcome["reason"]>): Outcome {
  return { status: "failed", reason, runId: null, result: null };
}

/**
 * Combines a new stop with an earlier one. An earlier cancel keeps its outcome; the new stop can only make it cover more
 * prompts. A new stop replaces an earlier stop that is not a cancel.
 */
function mergeStop(run: Run, stop: Stop): { outcome: Outcome; mark: number | null } {
  const { condition } = run;
  if (condition.status !== "stopping" || condition.outcome.status !== "cancelled") {
    return { outcome: { ...stop.outcome, runId: run.runId }, mark: stop.mark };
  }
  const mark =
    condition.mark === null || stop.mark === null ? null : Math.max(condition.mark, stop.mark);
  return { outcome: condition.outcome, mark };
}

function withdrawAsks(draft: Draft): void {
  const run = activeRun(draft.state);
  if (run === null) return;
  leaveAccounts(draft, run);
  for (const { askId } of run.asks) {
    const resolution = { kind: "withdrawn" } as const;
    emit(draft, { type: "ask.closed", runId: run.runId, askId, resolution });
  }
}

export function stopChildren(
  draft: Draft,
  run: Run,
  stop: { reach: TombstoneReach; tree: boolean },
): void {
  for (const child of run.children) {
    if (child.outcome === null) {
      tombstoneChild(draft, { child, runId: run.runId, background: false, ...stop });
    }
  }
}

/** Drops background children whose prompts were never sent: their run has ended, so no result will arrive. */
function forgetUnsent(draft: Draft, run: Run): void {
  for (const child of draft.state.background) {
    if (child.runId === run.runId) {
      const reach = "absent";
      tombstoneChild(draft, { child, runId: run.runId, background: true, reach, tree: false });
    }
  }
}

/**
 * Marks a background child that a cancel covers: its outcome must not start a run of its parent, even if the child is
 * ending for another reason (C7).
 */
export function ignoreOutcome(draft: Draft, prompt: UnsettledPrompt): void {
  if (prompt.parent?.background !== true || prompt.unwanted) return;
  emit(draft, { type: "prompt.unwanted", promptId: prompt.promptId });
}

/** Cancels the selected background children and all their descendants. */
export function coverBackground(draft: Draft, covers: (child: BackgroundChild) => boolean): void {
  for (const child of [...draft.state.background, ...draft.state.branches]) {
    if (!covers(child)) continue;
    const { runId } = child;
    tombstoneChild(draft, { child, runId, background: true, reach: "stop", tree: true });
  }
}

/** Cancels a child's prompt by its id, in any state (C7). */
function tombstoneChild(
  draft: Draft,
  target: {
    child: { sessionId: string; promptId: string };
    runId: string;
    background: boolean;
    reach: TombstoneReach;
    tree: boolean;
  },
): void {
  const { child, runId, background, reach, tree } = target;
  const own = draft.envelope.sessionId;
  send(draft, {
    to: child.sessionId,
    data: {
      type: "prompt.tombstone",
      promptId: child.promptId,
      parent: { sessionId: own, runId, background },
      reach,
      tree,
    },
    otherwise: {
      to: own,
      data: {
        type: "child.settle",
        childSessionId: child.sessionId,
        childPromptId: child.promptId,
        outcome: cancelled("parentCancel"),
        usage: noUsage,
      },
    },
  });
}
