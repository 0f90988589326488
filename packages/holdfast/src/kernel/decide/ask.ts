import type { CommandOf } from "../command.ts";
import { covers } from "../directories.ts";
import type { Directories } from "../directories.ts";
import { emit } from "../draft.ts";
import type { Draft } from "../draft.ts";
import type { Facts } from "../facts.ts";
import { invalid, refuse } from "../refusal.ts";
import type { Refused } from "../refusal.ts";
import { activeRun } from "../state.ts";
import type { Ask, Budget, Run } from "../state.ts";
import {
  checkBudget,
  checkChosenId,
  checkDirectories,
  checkTime,
  firstRefusal,
} from "../validate.ts";
import { closeAccountAsk } from "./account.ts";
import { releaseRun } from "./hold.ts";
import { workingRun } from "./run.ts";

/** Opens an ask. A resumed run asks again under the same id and finds its open ask (R4). */
export function decideAskOpen(
  draft: Draft,
  command: CommandOf<"ask.open">,
  facts: Facts,
): Refused | null {
  const run = workingRun(draft, command.handle);
  if ("refusal" in run) return run;
  const { askId, callId, within, body, expiresAt } = command;
  const refusal = firstRefusal(checkChosenId("askId", askId), checkTime("expiresAt", expiresAt));
  if (refusal !== null) return refusal;
  if (facts.ask !== null) {
    if (facts.ask.runId === run.runId && facts.ask.callId === callId) return null;
    return refuse(
      { code: "conflict" },
      `a question (ask) with the id ${askId} already exists; choose another id`,
    );
  }
  const tool = run.tools.find((candidate) => candidate.callId === callId);
  if (callId !== null && (tool === undefined || tool.started || tool.gate === "asking")) {
    return refuse(
      { code: "outOfOrder" },
      `tool call ${callId} cannot ask for permission: it has started, has ended or is already waiting for an answer`,
    );
  }
  if (within !== undefined && !run.tools.some((candidate) => candidate.callId === within)) {
    return refuse(
      { code: "outOfOrder" },
      `tool call ${within} has ended or never started, so it cannot ask a question`,
    );
  }
  const { runId, fence, attempt } = command.handle;
  const place = within === undefined ? { callId } : { callId, within };
  emit(draft, { type: "ask.opened", runId, askId, ...place, body, expiresAt, fence, attempt });
  return null;
}

/**
 * Withdraws the open questions and permission requests of this tool call, including those of a hosted agent. The call
 * has ended, so no answer can reach it (R4, H4).
 */
export function withdrawAsksOf(draft: Draft, ended: string): void {
  const run = activeRun(draft.state);
  for (const { askId, callId, within } of run?.asks ?? []) {
    if (run === null || (within !== ended && callId !== ended)) continue;
    const resolution = { kind: "withdrawn" } as const;
    emit(draft, { type: "ask.closed", runId: run.runId, askId, resolution });
  }
}

/**
 * Answers an ask. The first commit among answer, expiry and cancel wins; later ones are refused, and the refusal names
 * the winner (R4).
 */
export function decideAskAnswer(
  draft: Draft,
  command: CommandOf<"ask.answer">,
  facts: Facts,
): Refused | null {
  const { askId, verdict, body, actor, directories = null } = command;
  const run = activeRun(draft.state);
  const open = run?.asks.find((ask) => ask.askId === askId);
  if (run !== null && open !== undefined) {
    const refusal =
      checkDirectories(directories) ?? checkReach(run, directories) ?? checkRaise(open, command);
    if (refusal !== null) return refusal;
    const { accountId } = open;
    const answer = { kind: "answered", verdict, body } as const;
    const raise = accountId === undefined ? null : raiseOf(draft, { accountId, command });
    const resolution = raise === null ? answer : { ...answer, raise };
    emit(draft, { type: "ask.closed", runId: run.runId, askId, resolution });
    releaseRun(draft);
    if (accountId !== undefined) closeAccountAsk(draft, { accountId, raise, answered: true });
    return null;
  }
  const { ask } = facts;
  if (ask === null)
    return refuse({ code: "unknownAsk" }, `there is no question (ask) with the id ${askId}`);
  const given = ask.closed?.resolution;
  const repeated =
    given?.kind === "answered" &&
    given.verdict === verdict &&
    given.body === body &&
    ask.closed?.actor.kind === actor.kind &&
    ask.closed.actor.id === actor.id;
  if (repeated) return null;
  return refuse(
    { code: "askClosed", ask },
    `the question ${askId} was already answered or withdrawn; only the first answer counts`,
  );
}

/**
 * Checks the directories of the answering user: an answer can allow an action only in directories that this user may
 * reach.
 */
function checkReach(run: Run, directories: Directories): Refused | null {
  if (covers(directories, run.directories)) return null;
  return refuse(
    { code: "forbidden" },
    `run ${run.runId} has access to directories that your token does not have; let another user answer, or cancel the run`,
  );
}

function checkRaise(ask: Ask, { raise = null }: CommandOf<"ask.answer">): Refused | null {
  if (raise === null) return null;
  if (ask.accountId !== undefined) return checkBudget(raise);
  return invalid(
    "raise",
    `the question ${ask.askId} is not about a budget; leave out the field "raise"`,
  );
}

/** Returns the amount that the answer to a budget request adds to the budget limit; null if the answer is "deny". */
function raiseOf(
  draft: Draft,
  answer: { accountId: string; command: CommandOf<"ask.answer"> },
): Budget | null {
  const { verdict, raise = null } = answer.command;
  if (verdict === "deny") return null;
  return raise ?? draft.accounts.get(answer.accountId)?.raise ?? null;
}
