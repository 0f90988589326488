import type { CommandOf } from "../command.ts";
import { allows, sameDirectories } from "../directories.ts";
import { checkOpen, emit } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { resultId } from "../facts.ts";
import type { Facts } from "../facts.ts";
import type { LedgerRow } from "../ledger.ts";
import { invalid, refuse } from "../refusal.ts";
import type { Refused } from "../refusal.ts";
import { activeRun, noUsage } from "../state.ts";
import type { SteerBinding } from "../state.ts";
import {
  bounds,
  checkBudget,
  checkChosenId,
  checkDirectories,
  checkDuration,
  checkOptionalId,
  checkTime,
  checkWhole,
  firstRefusal,
} from "../validate.ts";
import { coverSession } from "./cancel.ts";
import { releaseHold } from "./hold.ts";
import { enterPrompt } from "./run.ts";
import { isChildOf, reportToParent } from "./settle.ts";
import { ownWork } from "./work.ts";

type Accept = CommandOf<"prompt.accept">;

export function decideAccept(draft: Draft, command: Accept, facts: Facts): Refused | null {
  const repeated = checkPromptId(command) ?? checkRepeat(command, facts);
  if (repeated !== null) return repeated;
  if (facts.prompt !== null) {
    answerParent(draft, command, facts.prompt);
    return null;
  }
  const refusal =
    checkContent(command) ??
    checkLane(draft, command) ??
    checkDirectory(draft, command) ??
    checkDelivery(draft, command) ??
    checkWork(draft, command);
  if (refusal !== null) return refusal;

  const { promptId, contentHash, body, delivery, reply, parent, resultOf } = command;
  const { expiresAt, maxRunTime, budget, onBudget, accounts = [], directories = null } = command;
  const before = draft.state.seq;
  emit(draft, {
    type: "prompt.accepted",
    promptId,
    contentHash,
    body,
    delivery,
    binding: bindingOf(draft, command),
    reply,
    expiresAt,
    maxRunTime,
    budget,
    ...(onBudget === "ask" ? { onBudget } : {}),
    ...(accounts.length === 0 ? {} : { accounts }),
    parent,
    resultOf,
    ...(directories === null ? {} : { directories }),
  });
  if (delivery === "interrupt") {
    coverSession(draft, {
      cancelId: `interrupt:${promptId}`,
      mark: before,
      tree: false,
      reason: "interrupt",
      promptId,
      facts,
    });
  }
  if (reply) liftFailureHolds(draft);
  // An exclusive operation announces its action with this message. Add the message to the conversation at once, so
  // that no cancel can remove it from the queue.
  if (command.work !== undefined) enterPrompt(draft, promptId);
  return null;
}

/** Sends the outcome of a settled prompt to the parent again, because the parent has repeated the prompt. */
function answerParent(draft: Draft, command: Accept, row: LedgerRow): void {
  const { parent } = command;
  if (parent === null || parent.background || row.outcome === null) return;
  if (!isChildOf(row, parent)) return;
  const { promptId, outcome } = row;
  reportToParent(draft, { parent: parent.sessionId, promptId, outcome, usage: noUsage });
}

function checkPromptId(command: Accept): Refused | null {
  const { promptId, resultOf } = command;
  if (resultOf !== null && promptId === resultId(resultOf.promptId)) return null;
  return checkChosenId("promptId", promptId);
}

/** Refuses an id that was used before, unless the prompt is the same. Checked before limits, drain and holds (P3). */
function checkRepeat(command: Accept, facts: Facts): Refused | null {
  const row = facts.prompt;
  if (row === null) return null;
  if (row.contentHash === null) {
    return refuse(
      { code: "tombstoned" },
      `prompt ${row.promptId} was cancelled before it was sent; send it with a new id`,
    );
  }
  if (row.contentHash === command.contentHash) return null;
  return refuse(
    { code: "conflict" },
    `prompt ${row.promptId} already exists with different content; send new content with a new id`,
  );
}

function checkContent(command: Accept): Refused | null {
  const { limits, bytes, body, resultOf } = command;
  if (resultOf !== null) return null;
  if (body === null || bytes === 0) return invalid("body", "a prompt needs text or an attachment");
  const refusal = firstRefusal(
    checkWhole("limits.maxQueue", limits.maxQueue, { least: 1, most: bounds.queue }),
    checkWhole("limits.maxBytes", limits.maxBytes, { least: 1, most: bounds.bytes }),
    checkWhole("bytes", bytes, { least: 1, most: Number.MAX_SAFE_INTEGER }),
    checkOptionalId("expectedRunId", command.expectedRunId),
    checkTime("expiresAt", command.expiresAt),
    checkDuration("maxRunTime", command.maxRunTime),
    checkBudget(command.budget),
    checkDirectories(command.directories),
  );
  if (refusal !== null) return refusal;
  if (bytes > limits.maxBytes) {
    return refuse(
      { code: "tooLarge", limit: limits.maxBytes },
      `the prompt has ${bytes} bytes, and the limit is ${limits.maxBytes}; shorten it or attach a file`,
    );
  }
  return null;
}

/** Refuses the prompt if the lane is deleted, draining or full (P5). */
function checkLane(draft: Draft, command: Accept): Refused | null {
  const { limits } = command;
  const waiting = draft.state.queue.length;
  const deleted = checkOpen(draft);
  if (deleted !== null) return deleted;
  if (limits.draining) {
    return refuse({ code: "draining" }, "this process is stopping; send the prompt again");
  }
  if (waiting >= limits.maxQueue) {
    return refuse(
      { code: "queueFull", limit: limits.maxQueue },
      `the queue is full: ${waiting} prompts are waiting, and the limit is ${limits.maxQueue}; wait or clear the queue`,
    );
  }
  return null;
}

/**
 * Refuses a prompt if its sender is limited to other directories. Prompts from the sender's runs have the same limit.
 */
function checkDirectory(draft: Draft, { directories = null, resultOf }: Accept): Refused | null {
  if (resultOf !== null || allows(directories, draft.state.directory)) return null;
  const { sessionId } = draft.state;
  return refuse(
    { code: "forbidden" },
    `session ${sessionId} is outside of the directories that the sender is limited to`,
  );
}

function checkDelivery(draft: Draft, command: Accept): Refused | null {
  const { active, queue, holds } = draft.state;
  if (command.delivery === "ifIdle" && (active !== null || queue.length > 0 || holds.length > 0)) {
    return refuse(
      { code: "busy" },
      "the session is not idle; wait, or send the prompt with another delivery",
    );
  }
  if (command.delivery !== "steer") {
    if (command.expectedRunId === null) return null;
    return invalid("expectedRunId", 'delivery must be "steer" if expectedRunId is given');
  }
  if (command.parent !== null) {
    return invalid(
      "delivery",
      'a prompt for a child session cannot have delivery "steer"; use "queue"',
    );
  }
  const { expectedRunId } = command;
  if (expectedRunId === null || bindingOf(draft, command) !== null) return null;
  const activeRunId = activeRun(draft.state)?.runId ?? null;
  const why = activeRunId === expectedRunId ? "has another directory limit" : "is not active";
  return refuse(
    { code: "runMismatch", activeRunId },
    `run ${expectedRunId} ${why}; send the prompt without expectedRunId to queue it`,
  );
}

/** Refuses a message about an exclusive operation unless this operation is active now and sends the message itself. */
function checkWork(draft: Draft, { work, reply, delivery }: Accept): Refused | null {
  if (work === undefined) return null;
  if (reply || delivery !== "queue") {
    return invalid(
      "work",
      'a message that an exclusive operation (such as an undo) sends must have delivery "queue" and reply false',
    );
  }
  return ownWork(draft, work);
}

/**
 * Returns the run that a steered prompt waits to join. Null: the prompt is queued, because no run is active (L6), or
 * because its directory limit differs from the run's: a run never acts on a prompt that has other permissions.
 */
function bindingOf(draft: Draft, command: Accept): SteerBinding | null {
  const { delivery, expectedRunId, directories = null } = command;
  const run = activeRun(draft.state);
  if (delivery !== "steer" || run === null) return null;
  if (!sameDirectories(directories, run.directories)) return null;
  if (expectedRunId !== null && expectedRunId !== run.runId) return null;
  return { runId: run.runId, expected: expectedRunId !== null };
}

/** Releases failure holds when a new prompt arrives: the cause of the failure may be gone (L4). */
function liftFailureHolds(draft: Draft): void {
  for (const hold of draft.state.holds) {
    if (hold.kind === "failure") releaseHold(draft, { hold, cause: "newPrompt" });
  }
}
