import type { Command } from "../../../src/kernel/command.ts";
import type { LaneEvent } from "../../../src/kernel/event.ts";
import { evolve } from "../../../src/kernel/evolve.ts";
import { activeRun } from "../../../src/kernel/state.ts";
import type { LaneState, UnsettledPrompt } from "../../../src/kernel/state.ts";
import type { LaneBatch } from "../../../src/kernel/transaction.ts";
import { checkCancel } from "./check-cancel.ts";
import { checkEvent } from "./check-event.ts";
import type { Fail } from "./check-event.ts";
import { checkTakeover, checkTick } from "./check-recovery.ts";
import { equal } from "./equal.ts";
import { laneOf } from "./world.ts";
import type { Transaction, World } from "./world.ts";

/** Holds a committed command against SPEC. Answers which prompts a cancel now covers (C2). */
export function checkTransition(
  step: { world: World; command: Command; transaction: Transaction },
  fail: Fail,
): readonly string[] {
  const { world, command, transaction } = step;
  const { answer, writes } = transaction;
  const doomed = new Set(world.doomed);
  if (answer.status === "refused") {
    if (writes.length > 0) fail("P3: a refused command changes something");
    return world.doomed;
  }
  for (const write of writes) {
    const sessionId = write.state?.sessionId ?? "";
    const lane = laneOf(world, sessionId);
    if (lane === null) continue;
    for (const promptId of covers(write, lane.state, command))
      doomed.add(`${sessionId}/${promptId}`);
    let state = lane.state;
    for (const event of write.events) {
      checkEvent({ state, event, command, lane }, fail);
      checkSettled({ state, event, command, doomed }, fail);
      state = evolve(state, event);
    }
    if (!equal(state, write.state)) fail("T2: the events do not fold to the decided state");
  }
  const own = writes.find((write) => write.state?.sessionId === command.sessionId);
  const lane = laneOf(world, command.sessionId);
  if (lane !== null && lane.state !== null) {
    const { state: before, lostAt } = lane;
    const events = own?.events ?? [];
    const context = { before, after: answer.state, command, events, answer, lostAt };
    checkCancel(context, fail);
    checkTick(context, fail);
    checkTakeover(context, fail);
    checkEnd(context, fail);
    checkLift(context, fail);
  }
  return [...doomed].toSorted();
}

/** The prompts that this transaction dooms: those of receipts, and of runs that it stops whole. */
function covers(write: LaneBatch, before: LaneState | null, command: Command): string[] {
  const own = write.state?.sessionId === command.sessionId;
  const run = before === null ? null : activeRun(before);
  const covered = write.events.flatMap((event) =>
    event.type === "cancel.committed" ? event.receipt.covered.map(({ promptId }) => promptId) : [],
  );
  if (before === null || run?.condition.status === "closing") return covered;
  const stops = write.events.some(
    (event) =>
      (event.type === "run.stopping" ||
        event.type === "run.closing" ||
        event.type === "run.ended") &&
      event.outcome.status === "cancelled",
  );
  const promoted = own && command.type === "prompt.promote" && run?.condition.status === "running";
  const deleted = own && command.type === "session.delete";
  const parentCancel = !own && (run?.prompts[0]?.parent ?? null) !== null;
  if (run !== null && stops && (promoted || deleted || parentCancel)) {
    covered.push(...idsOf(run.prompts));
  }
  if (deleted) covered.push(...idsOf(before.queue.filter((item) => item.kind === "prompt")));
  return covered;
}

function idsOf(prompts: readonly UnsettledPrompt[]): string[] {
  return prompts.map(({ promptId }) => promptId);
}

/** Who is covered ends cancelled; who is not, never does (C1, C2). */
function checkSettled(
  met: { state: LaneState | null; event: LaneEvent; command: Command; doomed: Set<string> },
  fail: Fail,
): void {
  const { state, event, command, doomed } = met;
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
    prompt.parent.sessionId === command.sessionId;
  if (!wasDoomed && !runEnded && !byParent) fail("C1: a prompt is cancelled that nobody covered");
}

/** A run that would complete takes in what was steered and goes on (L6). */
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
}

/** The next new prompt lifts a hold after a failure, and the first in the queue tries (L4). */
function checkLift(
  context: { after: LaneState; command: Command; events: readonly LaneEvent[] },
  fail: Fail,
): void {
  const { after, command, events } = context;
  if (command.type !== "prompt.accept" || !command.reply || events.length === 0) return;
  if (after.holds.some((hold) => hold.kind === "failure")) fail("L4: a new prompt lifts no hold");
}
