import type { CommandOf } from "../command.ts";
import { emit, send } from "../draft.ts";
import type { Draft } from "../draft.ts";
import type { Facts } from "../facts.ts";
import { refuse } from "../refusal.ts";
import type { Refused } from "../refusal.ts";
import { activeRun, hasOpenChild, noUsage } from "../state.ts";
import type { ChildReference, Outcome } from "../state.ts";
import { checkChosenId, checkId, checkText, checkUsage, firstRefusal } from "../validate.ts";
import { workingRun } from "./run.ts";
import { cancelled, finishRun, isChildOf, settlePrompt, stopRun, tellParent } from "./settle.ts";

/** Commits a child prompt's id before it is sent, so that a cancel can reach it anywhere (C7). */
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
  const same = (child: ChildReference): boolean =>
    child.sessionId === childSessionId && child.promptId === childPromptId;
  const waited = run.children.some(same);
  // Once it has ended, its result stands for it.
  const sent =
    draft.state.background.some(same) || facts.prompt?.resultOf?.sessionId === childSessionId;
  if (waited || sent) {
    if (background ? sent : waited) return null;
    const message = `prompt ${childPromptId} is a child already, but in the other way`;
    return refuse({ code: "conflict" }, message);
  }
  const taken = draft.state.background.some((child) => child.promptId === childPromptId);
  if (background && (facts.prompt !== null || taken)) {
    return refuse(
      { code: "conflict" },
      `another child's result has the id of ${childPromptId}'s; choose another id for the prompt`,
    );
  }
  const own = draft.envelope.sessionId;
  if (!background && (childSessionId === own || facts.waits.includes(own))) {
    return refuse(
      { code: "cycle" },
      `session ${childSessionId} waits for this one; start the child in the background`,
    );
  }
  const { runId, fence, attempt } = command.handle;
  emit(draft, {
    type: "child.linked",
    runId,
    childSessionId,
    childPromptId,
    background,
    callId,
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

/** A child's outcome reaches its parent; the last one lets a closing parent end (C7). */
export function decideChildSettle(
  draft: Draft,
  command: CommandOf<"child.settle">,
): Refused | null {
  const { childSessionId, childPromptId, outcome, usage } = command;
  const refusal = checkUsage(usage);
  if (refusal !== null) return refusal;
  const same = (child: ChildReference): boolean =>
    child.sessionId === childSessionId && child.promptId === childPromptId;
  const run = activeRun(draft.state);
  const open = run?.children.some((child) => same(child) && child.outcome === null) === true;
  if (!open && !draft.state.background.some(same)) return null;
  emit(draft, { type: "child.settled", childSessionId, childPromptId, outcome, usage });
  const after = activeRun(draft.state);
  if (after?.condition.status === "closing" && !hasOpenChild(after)) {
    finishRun(draft, { outcome: after.condition.outcome, attempt: after.attempt });
  }
  return null;
}

/** A parent's cancel covers its child's prompt: running, waiting, or not yet arrived (C7). */
export function decideTombstone(
  draft: Draft,
  command: CommandOf<"prompt.tombstone">,
  facts: Facts,
): Refused | null {
  const { promptId, parent, reach } = command;
  const outcome = cancelled("parentCancel");
  const tell = (end: Outcome): void => {
    tellParent(draft, { parent: parent.sessionId, promptId, outcome: end, usage: noUsage });
  };
  const row = facts.prompt;
  if (row === null) {
    emit(draft, { type: "prompt.tombstoned", promptId, outcome });
    tell(outcome);
    return null;
  }
  // Another's prompt under the same id is none of the parent's business.
  if (!isChildOf(row, parent)) {
    tell(outcome);
    return null;
  }
  if (reach === "absent") return null;
  if (row.status === "settled") {
    tell(row.outcome);
    return null;
  }
  for (const item of draft.state.queue) {
    if (item.kind === "prompt" && item.promptId === promptId) {
      settlePrompt(draft, { prompt: item, outcome });
    }
  }
  if (activeRun(draft.state)?.startedBy === promptId) {
    stopRun(draft, { outcome, mark: null, enforce: reach === "enforce" });
  }
  return null;
}
