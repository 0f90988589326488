import type { Command } from "../../../src/kernel/command.ts";
import type { LaneEvent, Receipt } from "../../../src/kernel/event.ts";
import { evolve } from "../../../src/kernel/evolve.ts";
import { activeRun } from "../../../src/kernel/state.ts";
import type { LaneState, UnsettledPrompt } from "../../../src/kernel/state.ts";
import type { LaneBatch } from "../../../src/kernel/transaction.ts";
import { checkAnswer, checkCharges, checkSteps } from "./check-account.ts";
import { checkCancel } from "./check-cancel.ts";
import { checkEvent } from "./check-event.ts";
import type { Fail } from "./check-event.ts";
import { checkLabels } from "./check-labels.ts";
import { checkTakeover, checkTick } from "./check-recovery.ts";
import { coveredBelow } from "./check-tree.ts";
import { equal } from "./equal.ts";
import { isAwaited, nameOf } from "./family.ts";
import type { Scenario } from "./scenario.ts";
import { laneOf, leaseOf } from "./world.ts";
import type { Transaction, World } from "./world.ts";

/** Checks a committed command against the promises. Returns the prompts that a cancel now covers (C2). */
export function checkTransition(
  step: { world: World; scenario: Scenario; command: Command; transaction: Transaction },
  fail: Fail,
): Pick<World, "doomed" | "silenced"> {
  const { world, scenario, command, transaction } = step;
  const { answer, writes } = transaction;
  if (answer.status === "refused") {
    if (writes.length > 0) fail("P3: a refused command changes something");
    return world;
  }
  const doomed = new Set(world.doomed);
  const silenced = new Set(world.silenced);
  for (const receipt of writes.flatMap((write) => newReceipts(write.events))) {
    for (const name of coveredBelow(receipt)) {
      if (isStoppable(world, name)) doomed.add(name);
      if (receipt.tree) silenced.add(name);
    }
  }
  for (const write of writes) {
    const sessionId = write.state?.sessionId ?? "";
    const lane = laneOf(world, sessionId);
    if (lane === null) continue;
    for (const promptId of covers(write, lane.state, command))
      doomed.add(`${sessionId}/${promptId}`);
    let state = lane.state;
    const settled = new Set<string>();
    for (const event of write.events) {
      if (event.type === "prompt.settled") {
        if (settled.has(event.promptId)) fail("P2: two outcomes in one transaction");
        settled.add(event.promptId);
      }
      checkEvent({ state, event, command, lane }, fail);
      checkSettled({ state, event, command, doomed, writes }, fail);
      checkArrival(world, event, fail);
      checkSilence({ event, doomed, silenced }, fail);
      const next = evolve(state, event);
      checkFreed({ before: state, after: next, event }, fail);
      state = next;
    }
    if (!equal(state, write.state)) fail("T2: the events do not fold to the decided state");
  }
  checkSteps(step, fail);
  checkCharges(step, fail);
  checkAnswer(step, fail);
  const own = writes.find((write) => write.state?.sessionId === command.sessionId);
  const lane = laneOf(world, command.sessionId);
  if (lane !== null && lane.state !== null) {
    const events = own?.events ?? [];
    const { state: before } = lane;
    const lease = leaseOf(lane);
    const context = {
      before,
      after: answer.state,
      command,
      events,
      answer,
      lease,
      world,
      scenario,
    };
    checkCancel(context, fail);
    checkTick(context, fail);
    checkTakeover(context, fail);
    checkEnd(context, fail);
    checkLift(context, fail);
    checkLabels(context, fail);
  }
  return { doomed: [...doomed].toSorted(), silenced: [...silenced].toSorted() };
}

function newReceipts(events: readonly LaneEvent[]): Receipt[] {
  return events.flatMap((event) => (event.type === "cancel.committed" ? [event.receipt] : []));
}

/** True if the prompt waits, or runs and its end is not committed: a cancel decides how it ends. */
function isStoppable(world: World, name: string): boolean {
  const [sessionId = "", promptId = ""] = name.split("/");
  const lane = laneOf(world, sessionId);
  if (lane?.prompts.get(promptId)?.status === "queued") return true;
  const run = lane?.state === undefined || lane.state === null ? null : activeRun(lane.state);
  return run?.startedBy === promptId && run.condition.status !== "closing";
}

/** Checks that no covered prompt starts a run, and that its outcome starts no run of its parent (C7). */
function checkSilence(
  met: { event: LaneEvent; doomed: Set<string>; silenced: Set<string> },
  fail: Fail,
): void {
  const { event, doomed, silenced } = met;
  if (event.type === "run.started" && doomed.has(`${event.sessionId}/${event.promptId}`)) {
    fail("C7: a run starts for a prompt that a cancel covers");
  }
  if (event.type !== "prompt.accepted" || event.resultOf === null) return;
  if (silenced.has(nameOf(event.resultOf))) {
    fail("C7: a prompt that a cancel with tree covered wakes its parent");
  }
}

/** Checks that the active run or operation owns the lane until its end is in the log (L1). */
function checkFreed(
  change: { before: LaneState | null; after: LaneState; event: LaneEvent },
  fail: Fail,
): void {
  const { after, event } = change;
  const had = change.before?.active ?? null;
  if (had === null) return;
  if (had.kind === "work") {
    const keeps = after.active?.kind === "work" && after.active.workId === had.workId;
    const ends = event.type === "work.ended" && event.workId === had.workId;
    if (keeps === ends) fail("L1: exclusive work loses the lane before its end");
    return;
  }
  const keeps = after.active?.kind === "run" && after.active.runId === had.runId;
  const ends = event.type === "run.ended" && event.runId === had.runId;
  if (keeps === ends) fail("L1: a run loses the lane before its end");
}

/** Prompts that this transaction cancels: those in receipts, and those of runs that it stops completely. */
function covers(write: LaneBatch, before: LaneState | null, command: Command): string[] {
  const own = write.state?.sessionId === command.sessionId;
  const run = before === null ? null : activeRun(before);
  const covered = write.events.flatMap((event) =>
    event.type === "cancel.committed" ? event.receipt.covered.map(({ promptId }) => promptId) : [],
  );
  if (before === null) return covered;
  const deleted = own && command.type === "session.delete";
  if (deleted) covered.push(...idsOf(before.queue.filter((item) => item.kind === "prompt")));
  // An end that was committed first stays: later commands do not cover that run (C5).
  if (run?.condition.status === "closing") return covered;
  const stops = write.events.some(
    (event) =>
      (event.type === "run.stopping" ||
        event.type === "run.closing" ||
        event.type === "run.ended") &&
      event.outcome.status === "cancelled",
  );
  const promoted = own && command.type === "prompt.promote" && run?.condition.status === "running";
  const parentCancel = !own && (run?.prompts[0]?.parent ?? null) !== null;
  if (run !== null && stops && (promoted || deleted || parentCancel)) {
    covered.push(...idsOf(run.prompts));
  }
  return covered;
}

function idsOf(prompts: readonly UnsettledPrompt[]): string[] {
  return prompts.map(({ promptId }) => promptId);
}

/** A covered prompt ends cancelled; any other prompt never does (C1, C2). */
function checkSettled(
  met: {
    state: LaneState | null;
    event: LaneEvent;
    command: Command;
    doomed: Set<string>;
    writes: readonly LaneBatch[];
  },
  fail: Fail,
): void {
  const { state, event, command, doomed, writes } = met;
  if (event.type !== "prompt.settled" && event.type !== "prompt.returned") return;
  const id = `${event.sessionId}/${event.promptId}`;
  const wasDoomed = doomed.delete(id);
  if (event.type === "prompt.returned") {
    if (wasDoomed) fail("C2: a covered prompt goes back to the queue");
    return;
  }
  const { status, reason } = event.outcome;
  if (status !== "cancelled") {
    if (wasDoomed) fail(`C5: a covered prompt is settled ${status}`);
    return;
  }
  const item = state?.queue.find(
    (candidate) => candidate.kind === "prompt" && candidate.promptId === event.promptId,
  );
  const prompt = item?.kind === "prompt" ? item : null;
  const runEnded = reason === "runEnded" && prompt?.binding?.expected === true;
  const byParent =
    reason === "parentCancel" &&
    prompt !== null &&
    prompt.parent !== null &&
    (prompt.parent.sessionId === command.sessionId || isForegroundOfStopped(prompt.parent, writes));
  if (!wasDoomed && !runEnded && !byParent) fail("C1: a prompt is cancelled that nobody covered");
}

/** True if the transaction also stops the run that waits for this child, for example because its own parent has failed. */
function isForegroundOfStopped(
  parent: NonNullable<UnsettledPrompt["parent"]>,
  writes: readonly LaneBatch[],
): boolean {
  const events = writes.flatMap((write) => write.events);
  return (
    !parent.background &&
    events.some(
      (event) =>
        event.type === "run.stopping" &&
        event.sessionId === parent.sessionId &&
        event.runId === parent.runId &&
        event.outcome.status === "cancelled",
    )
  );
}

/** Checks that a child prompt is accepted only while its parent waits for it: later it is refused (C7). */
function checkArrival(world: World, event: LaneEvent, fail: Fail): void {
  if (event.type !== "prompt.accepted" || event.parent === null) return;
  const { sessionId, runId, background } = event.parent;
  const parent = laneOf(world, sessionId)?.state ?? null;
  if (parent === null || (background && parent.status === "deleted")) return;
  const run = activeRun(parent);
  const awaited = (background || run?.runId === runId) && isAwaited(parent, event);
  if (!awaited) fail("C7: a child prompt arrives that was cancelled before");
}

/** Checks that a run that would complete while steered prompts wait continues with them (L6). */
function checkEnd(
  context: { before: LaneState; command: Command; events: readonly LaneEvent[] },
  fail: Fail,
): void {
  const { before, command, events } = context;
  const run = activeRun(before);
  if (command.type !== "run.end" || run?.condition.status !== "running") return;
  const ends = events.some((event) => event.type === "run.ended" || event.type === "run.closing");
  const steered = before.queue.some(
    (item) =>
      item.kind === "prompt" &&
      item.binding !== null &&
      (item.expiresAt === null || item.expiresAt > command.at),
  );
  const completes = command.outcome.status === "completed";
  if (ends && completes && steered && run.step < run.limits.maxSteps) {
    fail("L6: a run completes without the prompts that were steered to it");
  }
  if (!completes && !ends) fail("L4: a failed run goes on");
  if (completes && !ends && !steered) fail("L6: a run goes on though nothing was steered to it");
}

/** Checks that the next new prompt releases a failure hold, and that the first prompt of the queue starts (L4). */
function checkLift(
  context: { after: LaneState; command: Command; events: readonly LaneEvent[] },
  fail: Fail,
): void {
  const { after, command, events } = context;
  if (command.type !== "prompt.accept" || !command.reply || events.length === 0) return;
  if (after.holds.some((hold) => hold.kind === "failure")) fail("L4: a new prompt lifts no hold");
}
