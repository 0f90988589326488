import { accountsOfRun } from "../account.ts";
import type { CommandOf, RunHandle } from "../command.ts";
import { sameDirectories } from "../directories.ts";
import { emit } from "../draft.ts";
import type { Draft } from "../draft.ts";
import type { Facts } from "../facts.ts";
import { invalid, refuse } from "../refusal.ts";
import type { Refused } from "../refusal.ts";
import { activeRun, hasOpenChild, triesHandedOver } from "../state.ts";
import type { Budget, LaneState, Run, UnsettledPrompt } from "../state.ts";
import {
  bounds,
  checkBudget,
  checkDuration,
  checkId,
  checkWhole,
  firstRefusal,
} from "../validate.ts";
import { holdForCap, spentCap } from "./cap.ts";
import { openAccounts, spentAccount, waitForAccount } from "./account.ts";
import { checkInherited } from "./inherit.ts";
import { closeRun, failed, settlePrompt } from "./settle.ts";
import { expire, expirePrompts } from "./tick.ts";

/** Starts a run with the first prompt of the queue; the event names the prompt (L2). */
export function decideStart(
  draft: Draft,
  command: CommandOf<"run.start">,
  facts: Facts,
): Refused | null {
  const { runId, owner, generation, maxSteps, stopGrace, budget, askTime = null } = command;
  const refusal = firstRefusal(
    checkId("runId", runId),
    checkId("owner", owner),
    checkWhole("maxSteps", maxSteps, { least: 1, most: bounds.steps }),
    checkDuration("stopGrace", stopGrace),
    checkDuration("askTime", askTime),
    checkBudget(budget),
    checkFree(draft.state) ?? checkNotHeld(draft.state),
  );
  if (refusal !== null) return refusal;
  expirePrompts(draft);
  settleMessages(draft);
  const prompt = draft.state.queue[0];
  if (prompt?.kind !== "prompt") {
    if (draft.events.length > 0) return null;
    return refuse({ code: "idle" }, "the first item of the queue is not a prompt");
  }
  const { parent } = facts;
  const unusable = checkInherited(draft.state, { generation, parent });
  if (unusable !== null) return draft.events.length > 0 ? null : unusable;
  const cap = spentCap(draft, command.caps, prompt);
  if (cap !== null) {
    holdForCap(draft, { cap, run: null });
    return null;
  }
  emit(draft, {
    type: "run.started",
    runId,
    promptId: prompt.promptId,
    owner,
    generation,
    ...missingResources(command),
    fence: draft.state.fence + 1,
    attempt: 1,
    limits: {
      maxSteps,
      stopGrace,
      budget: tighter(prompt.budget, budget),
      ...(asksForMore(prompt, command) ? { onBudget: "ask" as const } : {}),
      ...(askTime === null ? {} : { askTime }),
    },
    deadline: prompt.maxRunTime === null ? null : command.at + prompt.maxRunTime,
  });
  const run = activeRun(draft.state);
  if (run !== null) openAccounts(draft, run);
  // Open no step if an account is used up: the agent's first `boundary` command then fails the run or asks for a
  // higher limit.
  if (command.opensStep && run !== null && spentAccount(draft, run) === null) {
    openStep(draft, { runId, fence: draft.state.fence, attempt: run.attempt });
  }
  return null;
}

/** Returns `{ without }`, or `{}` if no resource is missing. */
export function missingResources({ without = [] }: { readonly without?: readonly string[] }): {
  readonly without?: readonly string[];
} {
  return without.length === 0 ? {} : { without };
}

/** Refuses if the lane has an active run or exclusive operation (L1). */
export function checkFree(state: LaneState): Refused | null {
  if (state.status === "deleted") return refuse({ code: "deleted" }, "the session was deleted");
  if (state.active !== null)
    return refuse(
      { code: "busy" },
      "the session already has an active run or exclusive operation; wait until it ends",
    );
  return null;
}

/** Refuses to start a run while the lane is held. Exclusive operations may start: people may want to undo changes. */
function checkNotHeld(state: LaneState): Refused | null {
  if (state.holds.length === 0) return null;
  return refuse({ code: "held" }, "the session is paused; release its holds first");
}

/**
 * Gives up the run of a draining process, so that another process continues it (M9). A stopping run must not continue:
 * it ends here, as in a takeover (C5).
 */
export function decideHandOver(draft: Draft, command: CommandOf<"run.handOver">): Refused | null {
  const run = ownRun(draft, command.handle);
  if ("refusal" in run) return run;
  const { runId, fence, attempt } = command.handle;
  if (run.condition.status === "stopping") {
    const { outcome, mark } = run.condition;
    closeRun(draft, { outcome, mark, attempt: attempt + 1 });
    return null;
  }
  emit(draft, { type: "run.handedOver", runId, tries: triesHandedOver(run), fence, attempt });
  return null;
}

/**
 * Opens the next step, after the steered prompts have joined the run (L6). If an account is used up, the run fails or
 * waits instead.
 */
export function decideBoundary(draft: Draft, command: CommandOf<"run.boundary">): Refused | null {
  const run = workingRun(draft, command.handle);
  if ("refusal" in run) return run;
  const refusal = command.within === undefined ? checkSettledStep(run) : checkHost(run, command);
  if (refusal !== null) return refusal;
  const spent = spentAccount(draft, run);
  if (spent?.onBudget === "ask") {
    waitForAccount(draft, { run, account: spent });
    return null;
  }
  if (spent !== null) {
    const outcome = { ...failed("budget"), runId: run.runId };
    closeRun(draft, { outcome, mark: null, attempt: run.attempt });
    return null;
  }
  const cap = spentCap(draft, command.caps, run.prompts[0]);
  if (cap !== null) {
    holdForCap(draft, { cap, run });
    return null;
  }
  const limited = checkStepLimit(run);
  if (limited !== null) return limited;
  openStep(draft, command.handle, command);
  return null;
}

/**
 * Opens a step in a call of a hosted agent for an answer that the agent has already given. No budget is checked: the
 * answer is recorded even if the agent has used up the budget.
 */
export function openWithin(draft: Draft, handle: RunHandle, within: string): Refused | null {
  const run = workingRun(draft, handle);
  if ("refusal" in run) return run;
  if (run.stage === "model") return null;
  const refusal = checkHost(run, { within }) ?? checkStepLimit(run);
  if (refusal !== null) return refusal;
  openStep(draft, handle, { within });
  return null;
}

function checkStepLimit(run: Run): Refused | null {
  const limit = run.limits.maxSteps;
  if (run.stage === "model" || run.step < limit) return null;
  return refuse(
    { code: "stepLimit", limit },
    `the run has reached its limit of ${limit} steps; send another prompt to continue`,
  );
}

/** Refuses a hosted agent's step unless the agent's tool call is active and all other open calls are its own (H1). */
function checkHost(
  run: Run,
  { within, takes = [] }: Pick<CommandOf<"run.boundary">, "within" | "takes">,
): Refused | null {
  if (takes.length > bounds.calls) {
    return invalid("takes", `"takes" must be a list of at most ${bounds.calls} entries`);
  }
  const host = run.tools.find(({ callId }) => callId === within);
  if (host === undefined || !host.started || host.repeatable) {
    return refuse(
      { code: "outOfOrder" },
      `tool call ${within} is not active, so a hosted agent cannot report a step in it`,
    );
  }
  if (run.tools.every((tool) => tool === host || tool.seen === true)) return null;
  return refuse(
    { code: "outOfOrder" },
    `a hosted agent cannot report a step while tool calls other than ${within} are open`,
  );
}

/**
 * True if a step is open and no prompt waits to join the run, so a `boundary` command would change nothing. Always
 * false if the run has a budget: the budget must be checked again after a crash.
 */
export function isInOpenStep(
  state: LaneState,
  run: Run,
  { within, takes = [] }: Pick<CommandOf<"run.boundary">, "within" | "takes"> = {},
): boolean {
  const enters = within === undefined ? entering(state).length > 0 : takes.length > 0;
  const isOpen = run.stage === "model" && !enters;
  return isOpen && accountsOfRun(state, run).length === 0;
}

/** Ends the run. A run that would complete while steered prompts wait continues instead (L6). */
export function decideEnd(draft: Draft, command: CommandOf<"run.end">): Refused | null {
  const run = ownRun(draft, command.handle);
  if ("refusal" in run) return run;
  const { condition, runId, attempt } = run;
  if (condition.status === "stopping") {
    const { outcome, mark } = condition;
    const result = command.outcome.result ?? outcome.result;
    closeRun(draft, { outcome: { ...outcome, result }, mark, attempt });
    return null;
  }
  if (command.outcome.status === "completed") {
    const refusal = checkSettledStep(run);
    if (refusal !== null) return refusal;
    expirePrompts(draft);
    if (wantsToGoOn(draft, run)) {
      openStep(draft, command.handle);
      return null;
    }
  }
  const outcome = { ...command.outcome, runId };
  closeRun(draft, { outcome, mark: null, attempt });
  const { reason } = command.outcome;
  if (command.hold !== null && reason !== null && command.outcome.status === "failed") {
    const { retryAt } = command.hold;
    const hold = { kind: "failure", holdId: `failure:${runId}`, reason, retryAt } as const;
    emit(draft, { type: "hold.placed", hold });
  }
  return null;
}

/** Returns the active run if the handle belongs to its current owner (L5). */
export function ownRun(draft: Draft, handle: RunHandle): Run | Refused {
  const run = activeRun(draft.state);
  if (
    run === null ||
    run.owner === null ||
    run.runId !== handle.runId ||
    run.attempt !== handle.attempt ||
    draft.state.fence !== handle.fence
  ) {
    return refuse(
      { code: "fenced" },
      `run ${handle.runId} has ended or belongs to another process; stop working on it`,
    );
  }
  return run;
}

/** Like `ownRun`, but refuses a stopping run (C5). */
export function workingRun(draft: Draft, handle: RunHandle): Run | Refused {
  const run = ownRun(draft, handle);
  if ("refusal" in run || run.condition.status === "running") return run;
  return refuse({ code: "stopping" }, `run ${handle.runId} must stop; end the run`);
}

/** Moves messages that need no reply from the front of the queue to the conversation while the lane is free (P7). */
export function settleMessages(draft: Draft): void {
  while (draft.state.active === null) {
    const first = draft.state.queue[0];
    if (first?.kind !== "prompt" || first.reply) return;
    if (!expire(draft, first)) enter(draft, first, null);
  }
}

function openStep(
  draft: Draft,
  handle: RunHandle,
  { within, takes = [] }: Pick<CommandOf<"run.boundary">, "within" | "takes"> = {},
): void {
  expirePrompts(draft);
  for (const prompt of entering(draft.state)) {
    // During a call of an external agent, a prompt joins the run only if the agent has already received it (H6).
    const isTaken = prompt.binding !== null && takes.includes(prompt.promptId);
    if (within === undefined || isTaken) enter(draft, prompt, handle.runId);
  }
  const run = activeRun(draft.state);
  if (run === null || run.stage === "model") return;
  const { runId, fence, attempt } = handle;
  const step = { runId, step: run.step + 1, fence, attempt };
  emit(draft, { type: "step.opened", ...step, ...(within === undefined ? {} : { within }) });
}

/**
 * Lists the waiting prompts that join the run with its next step: prompts that were sent to the active run, and
 * messages that need no answer, if they are at the front of the queue and have the same directory limit as the run.
 */
function entering(state: LaneState): UnsettledPrompt[] {
  const limit = activeRun(state)?.directories ?? null;
  const prompts: UnsettledPrompt[] = [];
  let blocked = false;
  for (const item of state.queue) {
    const isMessage =
      item.kind === "prompt" && !item.reply && sameDirectories(item.directories, limit);
    if (item.kind === "prompt" && (item.binding !== null || (isMessage && !blocked))) {
      prompts.push(item);
    } else {
      blocked = true;
    }
  }
  return prompts;
}

/** Adds a waiting message to the conversation without a run, even if other prompts are ahead of it. */
export function enterPrompt(draft: Draft, promptId: string): void {
  for (const item of draft.state.queue) {
    if (item.kind === "prompt" && item.promptId === promptId) enter(draft, item, null);
  }
}

function enter(draft: Draft, prompt: UnsettledPrompt, runId: string | null): void {
  emit(draft, { type: "prompt.takenIn", promptId: prompt.promptId, runId });
  if (prompt.reply) return;
  const outcome = { status: "completed", reason: null, runId, result: null } as const;
  settlePrompt(draft, { prompt, outcome });
}

function wantsToGoOn(draft: Draft, run: Run): boolean {
  const { queue } = draft.state;
  const steered = queue.some((item) => item.kind === "prompt" && item.binding !== null);
  return steered && run.step < run.limits.maxSteps && spentAccount(draft, run) === null;
}

function checkSettledStep(run: Run): Refused | null {
  // Ignore questions about raising a budget: they belong to no step, and a run of another session may have asked them.
  const asks = run.asks.some((ask) => ask.accountId === undefined);
  if (run.tools.length === 0 && !asks && !hasOpenChild(run)) return null;
  return refuse(
    { code: "outOfOrder" },
    "the last step has tool calls, questions or child prompts that have not ended; end them first",
  );
}

/**
 * True if a used-up budget asks people for a higher limit instead of failing the run. If the prompt has its own
 * budget, the prompt decides; otherwise the directory does.
 */
function asksForMore(
  prompt: UnsettledPrompt,
  { budget, onBudget }: CommandOf<"run.start">,
): boolean {
  if (prompt.budget !== null) return prompt.onBudget === "ask";
  return budget !== null && onBudget === "ask";
}

function tighter(left: Budget | null, right: Budget | null): Budget | null {
  if (left === null || right === null) return left ?? right;
  return { tokens: least(left.tokens, right.tokens), cost: least(left.cost, right.cost) };
}

function least(left: number | null, right: number | null): number | null {
  return left === null || right === null ? (left ?? right) : Math.min(left, right);
}
