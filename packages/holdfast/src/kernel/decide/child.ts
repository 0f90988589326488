import type { CommandOf } from "../command.ts";
import { allows } from "../directories.ts";
import { emit, send } from "../draft.ts";
import type { Draft } from "../draft.ts";
import type { Facts } from "../facts.ts";
import { refuse } from "../refusal.ts";
import type { Refused } from "../refusal.ts";
import { activeRun, hasOpenChild, noUsage } from "../state.ts";
import type { ChildReference, Outcome } from "../state.ts";
import { childOfRun, resultsUnder, sameChild } from "../tree.ts";
import {
  bounds,
  checkChosenId,
  checkId,
  checkText,
  checkUsage,
  firstRefusal,
} from "../validate.ts";
import { workingRun } from "./run.ts";
import {
  cancelled,
  coverBackground,
  finishRun,
  ignoreOutcome,
  isChildOf,
  settlePrompt,
  stopRun,
  reportToParent,
} from "./settle.ts";

/** Records a child of a run before the child gets its prompt, so that a cancel can always reach the child (C7). */
export function decideLink(
  draft: Draft,
  command: CommandOf<"child.link">,
  facts: Facts,
): Refused | null {
  const run = workingRun(draft, command.handle);
  if ("refusal" in run) return run;
  const { childSessionId, childPromptId, background, callId, create } = command;
  const refusal = firstRefusal(
    checkId("childSessionId", childSessionId),
    checkChosenId("childPromptId", childPromptId),
    create === null ? null : checkText("directory", create.directory),
  );
  if (refusal !== null) return refusal;
  // Children have the run's directory limit: a run can neither create nor prompt a session outside of it.
  const directory = facts.childDirectory ?? create?.directory ?? null;
  if (directory !== null && !allows(run.directories, directory)) {
    return refuse(
      { code: "forbidden" },
      `session ${childSessionId} is outside of the directories that this run is limited to`,
    );
  }
  const reference = { sessionId: childSessionId, promptId: childPromptId };
  const same = (child: ChildReference): boolean => sameChild(child, reference);
  const waited = run.children.some(same);
  // A background child that has ended is no longer in `background`. Its result is then a prompt of this session.
  const sent =
    draft.state.background.some(same) || facts.prompt?.resultOf?.sessionId === childSessionId;
  if (waited || sent) {
    if (background ? sent : waited) return null;
    const message = `prompt ${childPromptId} was already sent, as a ${background ? "foreground" : "background"} child; choose another prompt id`;
    return refuse({ code: "conflict" }, message);
  }
  const taken = draft.state.background.some((child) => child.promptId === childPromptId);
  if (background && (facts.prompt !== null || taken)) {
    return refuse(
      { code: "conflict" },
      `this session already has a prompt or a background child with the id ${childPromptId}; choose another prompt id`,
    );
  }
  const limit = bounds.descendants;
  if (facts.treeSize >= limit) {
    return refuse(
      { code: "treeFull", limit },
      `the tree of this prompt already has ${facts.treeSize} unfinished child prompts, and the limit is ${limit}; ` +
        "wait until some of them have finished",
    );
  }
  const own = draft.envelope.sessionId;
  if (!background && (childSessionId === own || facts.waits.includes(own))) {
    return refuse(
      { code: "cycle" },
      `session ${childSessionId} already waits for this session, so neither would ever end; start the child in the background`,
    );
  }
  const { runId, fence, attempt } = command.handle;
  const { origin, acceptSeq } = childOfRun(run, reference);
  emit(draft, {
    type: "child.linked",
    runId,
    childSessionId,
    childPromptId,
    background,
    callId,
    ...(origin === null ? {} : { origin, acceptSeq }),
    fence,
    attempt,
  });
  if (create !== null) {
    send(draft, {
      to: childSessionId,
      data: {
        type: "session.create",
        ...create,
        parent: { sessionId: own, runId },
        budget: null,
        origin: null,
      },
    });
  }
  return null;
}

/** Records a child's outcome at its parent. A parent run that waits only for this child then ends (C7). */
export function decideChildSettle(
  draft: Draft,
  command: CommandOf<"child.settle">,
): Refused | null {
  const { childSessionId, childPromptId, outcome, usage, branch } = command;
  const refusal = checkUsage(usage);
  if (refusal !== null) return refusal;
  const same = (child: ChildReference): boolean =>
    child.sessionId === childSessionId && child.promptId === childPromptId;
  const run = activeRun(draft.state);
  const open = run?.children.some((child) => same(child) && child.outcome === null) === true;
  if (!open && !draft.state.background.some(same)) return null;
  const kept = branch === undefined ? {} : { branch };
  emit(draft, { type: "child.settled", childSessionId, childPromptId, outcome, usage, ...kept });
  const after = activeRun(draft.state);
  if (after?.condition.status === "closing" && !hasOpenChild(after)) {
    finishRun(draft, { outcome: after.condition.outcome, attempt: after.attempt });
  }
  return null;
}

/** Drops a settled child whose last live descendant has ended. */
export function decideBranchEnd(draft: Draft, command: CommandOf<"branch.end">): null {
  const { childSessionId, childPromptId } = command;
  const reference = { sessionId: childSessionId, promptId: childPromptId };
  if (draft.state.branches.some((branch) => sameChild(branch, reference))) {
    emit(draft, { type: "branch.ended", childSessionId, childPromptId });
  }
  return null;
}

/** Cancels a child's prompt because its parent was cancelled, even if the prompt has not arrived yet (C7). */
export function decideTombstone(
  draft: Draft,
  command: CommandOf<"prompt.tombstone">,
  facts: Facts,
): Refused | null {
  const { promptId, parent, reach, tree } = command;
  const outcome = cancelled("parentCancel");
  const report = (end: Outcome): void => {
    reportToParent(draft, { parent: parent.sessionId, promptId, outcome: end, usage: noUsage });
  };
  const row = facts.prompt;
  if (row === null) {
    emit(draft, { type: "prompt.tombstoned", promptId, outcome });
    report(outcome);
    return null;
  }
  // A prompt with this id from another sender is not the parent's child.
  if (!isChildOf(row, parent)) {
    report(outcome);
    return null;
  }
  if (reach === "absent") return null;
  if (row.status === "settled") report(row.outcome);
  const results = tree ? resultsUnder(draft.state, promptId) : [];
  const covered = new Set([promptId, ...results.map((result) => result.promptId)]);
  for (const item of draft.state.queue) {
    if (item.kind === "prompt" && covered.has(item.promptId)) {
      settlePrompt(draft, { prompt: item, outcome });
    }
  }
  const run = activeRun(draft.state);
  if (run !== null && covered.has(run.startedBy)) {
    const starting = run.prompts[0];
    if (tree && starting !== undefined) ignoreOutcome(draft, starting);
    stopRun(draft, { outcome, mark: null, enforce: reach === "enforce", tree });
  }
  if (tree) coverBackground(draft, (child) => child.origin === promptId);
  return null;
}
