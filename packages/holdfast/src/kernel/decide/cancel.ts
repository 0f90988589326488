import type { CommandOf } from "../command.ts";
import { emit } from "../draft.ts";
import type { Draft } from "../draft.ts";
import type { CoveredPrompt, Receipt } from "../event.ts";
import type { Facts } from "../facts.ts";
import { refuse } from "../refusal.ts";
import type { Refused } from "../refusal.ts";
import { activeRun } from "../state.ts";
import type {
  BackgroundChild,
  CancelReason,
  ChildReference,
  QueueItem,
  Run,
  UnsettledPrompt,
} from "../state.ts";
import { sameChild } from "../tree.ts";
import { checkChosenId, checkId, checkWhole } from "../validate.ts";
import type { Descendant } from "../walk.ts";
import {
  cancelled,
  coverBackground,
  ignoreOutcome,
  settlePrompt,
  stopChildren,
  stopRun,
} from "./settle.ts";

type Cancel = CommandOf<"cancel">;

/** Cancels the prompts in the command's scope. Repeating a cancel id returns the same receipt and changes nothing. */
export function decideCancel(draft: Draft, command: Cancel, facts: Facts): Refused | null {
  const refusal = checkCancelId(command);
  if (refusal !== null) return refusal;
  if (facts.receipt !== null) {
    draft.receipt = facts.receipt;
    return null;
  }
  const { scope, cancelId } = command;
  switch (scope.kind) {
    case "session": {
      const bad =
        scope.upTo === null
          ? null
          : checkWhole("upTo", scope.upTo, { least: 0, most: Number.MAX_SAFE_INTEGER });
      if (bad !== null) return bad;
      const mark = Math.min(scope.upTo ?? draft.state.seq, draft.state.seq);
      const reason = command.reason ?? "sessionCancel";
      const { tree } = scope;
      coverSession(draft, { cancelId, mark, tree, reason, promptId: null, facts });
      return null;
    }
    case "prompt":
      return coverPrompt(draft, { command, promptId: scope.promptId, facts });
    case "queue": {
      const waiting = draft.state.queue.filter(isPrompt);
      cover(draft, { cancelId, waiting, reason: command.reason ?? "queueCleared", facts });
      return null;
    }
    case "run": {
      const run = stoppable(draft);
      const reason = command.reason ?? "promptCancel";
      cover(draft, { cancelId, run: run?.runId === scope.runId ? run : null, reason, facts });
      return null;
    }
  }
}

/** Cancels every unsettled prompt whose accept event has at most the number `mark`, and nothing else (C1). */
export function coverSession(
  draft: Draft,
  cancel: {
    cancelId: string;
    mark: number;
    tree: boolean;
    reason: CancelReason;
    promptId: string | null;
    facts: Facts;
  },
): void {
  const run = stoppable(draft);
  const below = (item: { acceptSeq: number }): boolean => item.acceptSeq <= cancel.mark;
  const starting = run?.prompts[0];
  cover(draft, {
    ...cancel,
    waiting: draft.state.queue.filter(isPrompt).filter(below),
    run: starting !== undefined && below(starting) ? run : null,
  });
}

function coverPrompt(
  draft: Draft,
  target: { command: Cancel; promptId: string; facts: Facts },
): Refused | null {
  const { command, promptId, facts } = target;
  const { cancelId } = command;
  const reason = command.reason ?? "promptCancel";
  if (facts.prompt === null) {
    return refuse({ code: "unknownPrompt" }, `there is no prompt ${promptId} in this session`);
  }
  const run = stoppable(draft);
  if (run?.startedBy === promptId) {
    cover(draft, { cancelId, run, reason, facts });
    return null;
  }
  if (run?.prompts.some((prompt) => prompt.promptId === promptId) === true) {
    return refuse(
      { code: "takenIn", runId: run.runId },
      `prompt ${promptId} is part of run ${run.runId}; cancel that run to stop it`,
    );
  }
  const waiting = draft.state.queue.filter(isPrompt).filter((item) => item.promptId === promptId);
  cover(draft, { cancelId, waiting, reason, facts });
  return null;
}

interface Cover {
  readonly cancelId: string;
  readonly reason: CancelReason;
  readonly waiting?: readonly UnsettledPrompt[];
  readonly run?: Run | null;
  /**
   * Set if the whole session is cancelled. Exclusive operations that were queued up to this event number are cancelled
   * as well (M8).
   */
  readonly mark?: number;
  readonly tree?: boolean;
  readonly promptId?: string | null;
  readonly facts: Facts;
}

/** Creates the cancel's `Receipt`, ends waiting prompts in the same transaction, and stops the active run (C2). */
function cover(draft: Draft, target: Cover): void {
  const { cancelId, reason, waiting = [], run = null, tree = false, promptId = null } = target;
  const mark = target.mark ?? null;
  const work = mark === null ? [] : coveredWork(draft, mark);
  const descendants = named(target);
  const receipt: Receipt = {
    cancelId,
    mark,
    covered: [...coveredOfRun(run, mark), ...waiting.map(coveredWaiting)],
    work,
    children: references(descendants.filter(({ background }) => !background)),
    background: references(descendants.filter(({ background }) => background)),
    tree,
  };
  const nothing =
    receipt.covered.length === 0 && work.length === 0 && (!tree || descendants.length === 0);
  // A cancel that covers nothing writes no event, only its receipt (C3).
  if (nothing) {
    draft.receipt = { ...receipt, mark: null, background: [] };
    return;
  }
  draft.receipt = receipt;
  emit(draft, { type: "cancel.committed", receipt, promptId });
  const { sessionId } = draft.envelope;
  // True if a run that this cancel also stops has sent the prompt. When the session of that run receives the outcome of
  // the prompt, it must not start another run.
  const isUnwanted = (prompt: UnsettledPrompt): boolean =>
    tree && descendants.some((each) => sameChild(each, { sessionId, promptId: prompt.promptId }));
  for (const prompt of waiting) {
    const covered = isUnwanted(prompt) ? { ...prompt, unwanted: true } : prompt;
    settlePrompt(draft, { prompt: covered, outcome: cancelled(reason) });
  }
  const starting = run?.prompts[0];
  if (starting !== undefined && isUnwanted(starting)) ignoreOutcome(draft, starting);
  const outcome = { status: "cancelled", reason, result: null } as const;
  if (run !== null) stopRun(draft, { outcome, mark, enforce: false, tree });
  for (const workId of work) stopWork(draft, workId);
  if (!tree) return;
  const active = activeRun(draft.state);
  // The outcome of the active run was committed before the cancel, so the cancel does not change this outcome. The
  // cancel only stops the run's child sessions and the background tasks of these sessions.
  if (run === null && active !== null && descendants.some(({ via }) => via.foreground)) {
    stopChildren(draft, active, { reach: "stop", tree });
  }
  coverBackground(draft, (child) => isBelow(child, target));
}

/** Lists the unfinished prompts that the cancelled run or session caused in child sessions, for the cancel's answer. */
function named(target: Cover): readonly Descendant[] {
  const { run = null, tree = false, facts } = target;
  return facts.descendants.filter(({ via }) => {
    const isOpen = tree || run !== null || !via.foreground;
    return isOpen && isBelow(via, target);
  });
}

/** True if the cancelled run started the child; if `mark` is set: if a prompt with `acceptSeq` <= `mark` did (C1). */
function isBelow(child: BackgroundChild, { mark, run = null }: Cover): boolean {
  return mark === undefined ? child.runId === run?.runId : child.acceptSeq <= mark;
}

function coveredWork(draft: Draft, mark: number): readonly string[] {
  const { active, queue } = draft.state;
  const items = [...(active?.kind === "work" ? [active] : []), ...queue];
  return items.flatMap((item) =>
    item.kind === "work" && item.acceptSeq <= mark ? [item.workId] : [],
  );
}

function stopWork(draft: Draft, workId: string): void {
  const { active } = draft.state;
  if (active?.kind !== "work" || active.workId !== workId) {
    emit(draft, { type: "work.ended", workId, cause: "cancelled", body: null });
    return;
  }
  if (active.condition.status === "stopping") return;
  const deadline = draft.envelope.at + active.stopGrace;
  emit(draft, { type: "work.stopping", workId, deadline });
}

function coveredOfRun(run: Run | null, mark: number | null): CoveredPrompt[] {
  if (run === null) return [];
  return run.prompts
    .filter((prompt) => mark === null || prompt.acceptSeq <= mark)
    .map((prompt) => ({
      promptId: prompt.promptId,
      acceptSeq: prompt.acceptSeq,
      was: prompt.promptId === run.startedBy ? "running" : "takenIn",
      runId: run.runId,
    }));
}

function coveredWaiting(prompt: UnsettledPrompt): CoveredPrompt {
  return {
    promptId: prompt.promptId,
    acceptSeq: prompt.acceptSeq,
    was: prompt.binding === null ? "queued" : "steering",
    runId: prompt.binding?.runId ?? null,
  };
}

/**
 * Returns the active run, unless its end is already committed: a cancel no longer covers such a run (C5).
 */
function stoppable(draft: Draft): Run | null {
  const run = activeRun(draft.state);
  return run === null || run.condition.status === "closing" ? null : run;
}

/** Checks the id of a cancel. Only the runtime sends forced cancels, with a reserved prefix (M5). */
function checkCancelId({ cancelId, reason }: Cancel): Refused | null {
  const isForce = reason === "force" && cancelId.startsWith("force:");
  return isForce ? checkId("cancelId", cancelId) : checkChosenId("cancelId", cancelId);
}

function isPrompt(item: QueueItem): item is UnsettledPrompt {
  return item.kind === "prompt";
}

/**
 * Removes duplicates: if a run has prompted its own session,
 * the descendants of that prompt are found twice (C7).
 */
function references(descendants: readonly Descendant[]): ChildReference[] {
  const found: ChildReference[] = [];
  for (const { sessionId, promptId } of descendants) {
    const child = { sessionId, promptId };
    if (!found.some((other) => sameChild(other, child))) found.push(child);
  }
  return found;
}
