import { leaveAccounts } from "./accounts.ts";
import { findPrompt, isClosing, originOf, runOf } from "./records.ts";
import type {
  CallRecord,
  AccountRecord,
  ChildRecord,
  Ending,
  Lane,
  Model,
  Prompt,
  RunRecord,
} from "./records.ts";
import { addUsage, noUsage } from "../../../src/kernel/state.ts";
import type { ParentLink, Usage } from "../../../src/kernel/state.ts";

// Ends in the model: one outcome for each prompt, reported to every waiting parent.

export function settle(
  model: Model,
  lane: Lane,
  prompt: Prompt,
  ending: Ending,
  usage: Usage = noUsage,
): void {
  if (prompt.status === "settled") throw new Error(`model: ${prompt.id} is settled twice`);
  lane.queue = lane.queue.filter((item) => item !== prompt);
  prompt.status = "settled";
  prompt.outcome = ending;
  prompt.run = ending.runId;
  prompt.boundTo = null;
  reportToParent(model, lane, prompt, usage);
}

/** C7: reports the outcome in the transaction that settles the child: to the waiting run, or as a new prompt. */
function reportToParent(model: Model, lane: Lane, prompt: Prompt, usage: Usage): void {
  if (prompt.parent === null) return;
  const parent = model.lanes.get(prompt.parent.sessionId);
  if (parent === undefined) return;
  // A child that an earlier run waited for reports in the same way, even if a later run has linked it differently.
  const cancelled = prompt.outcome?.reason === "parentCancel" || prompt.unwanted;
  const quiet = cancelled || !prompt.parent.background;
  const { accounts } = prompt;
  const child = { sessionId: lane.id, promptId: prompt.id, quiet, usage, accounts };
  model.outbox.push(() => childSettled(model, parent, child));
}

export function childSettled(
  model: Model,
  lane: Lane,
  child: {
    sessionId: string;
    promptId: string;
    quiet: boolean;
    usage: Usage;
    accounts?: AccountRecord[];
  },
): void {
  const is = (other: ChildRecord): boolean =>
    other.sessionId === child.sessionId && other.promptId === child.promptId;
  const run = runOf(lane);
  for (const record of run?.children.filter(is) ?? []) {
    if (run !== null && !record.settled) run.usage = addUsage(run.usage, child.usage);
    record.settled = true;
  }
  if (run !== null && isClosing(run)) finishIfChildless(model, lane, run);
  const sent = lane.background.find(is);
  if (sent === undefined) return;
  sent.settled = true;
  lane.usage = addUsage(lane.usage, child.usage);
  lane.background = lane.background.filter((other) => !is(other));
  // The result of a child that the parent cancelled does not start a run of the parent (L6).
  if (lane.deleted || child.quiet) return;
  const result = blankPrompt(model, lane, `result:${child.promptId}`);
  enqueue(lane, {
    ...result,
    resultFrom: child.sessionId,
    under: originOf(sent.sender),
    accounts: child.accounts ?? [],
  });
  liftFailureHolds(lane);
}

/** A plain queued prompt, such as the result of a background child. */
function blankPrompt(model: Model, lane: Lane, id: string): Prompt {
  return {
    kind: "prompt",
    id,
    seq: model.seqOf(lane.id, id),
    hash: null,
    delivery: "queue",
    reply: true,
    parent: null,
    expiresAt: null,
    maxRunTime: null,
    budget: null,
    asksForMore: false,
    accounts: [],
    revision: 1,
    body: null,
    boundTo: null,
    expected: false,
    status: "queued",
    run: null,
    outcome: null,
    resultFrom: null,
    under: null,
    unwanted: false,
    cancelled: null,
  };
}

/** L4: the next new prompt tries again. */
export function liftFailureHolds(lane: Lane): void {
  lane.holds = lane.holds.filter((hold) => hold.kind !== "failure");
}

export function enqueue(lane: Lane, prompt: Prompt): void {
  lane.archived = false;
  lane.prompts.push(prompt);
  lane.queue.push(prompt);
}

/** Stops a run (C5): it exists until its owner or the deadline ends it. */
export function stopRun(
  model: Model,
  lane: Lane,
  run: RunRecord,
  stop: { ending: Omit<Ending, "runId">; mark: number | null },
): void {
  if (isClosing(run)) return;
  const ending: Ending = { ...stop.ending, runId: run.id };
  if (run.stop === null) {
    run.stop = { ending, mark: stop.mark, by: model.now + run.stopGrace };
  } else if (run.stop.ending.status !== "cancelled" && ending.status === "cancelled") {
    // A cancel decides which prompts end, even in a run that already stops for another reason.
    run.stop.ending = ending;
    run.stop.mark = stop.mark;
  } else if (run.stop.mark !== null) {
    // A second cancel never reduces the coverage of the first.
    run.stop.mark = stop.mark === null ? null : Math.max(run.stop.mark, stop.mark);
  }
  closeAsks(model, run);
  lane.holds = lane.holds.filter((hold) => hold.kind !== "recovery");
  cancelChildren(model, lane, run, false);
  if (run.owner === null) enforceStop(model, lane, run);
}

function closeAsks(model: Model, run: RunRecord): void {
  leaveAccounts(model, run);
  for (const ask of run.asks) ask.resolution = "withdrawn";
  run.asks = [];
  for (const call of run.calls) if (call.gate === "asking") call.gate = "denied";
}

export function cancelChildren(model: Model, lane: Lane, run: RunRecord, enforce: boolean): void {
  const parent: ParentLink = { sessionId: lane.id, runId: run.id, background: false };
  for (const child of run.children.filter((other) => !other.settled)) {
    model.outbox.push(() => cancelChild(model, lane, { child, parent, enforce }));
  }
}

/** C7: cancels this prompt of the child by its id, in any state, and no other prompt. */
export function cancelChild(
  model: Model,
  lane: Lane,
  order: { child: ChildRecord; parent: ParentLink; enforce: boolean },
): void {
  const { child, parent, enforce } = order;
  const childLane = model.lanes.get(child.sessionId);
  if (childLane === undefined) {
    childSettled(model, lane, { ...child, quiet: true, usage: noUsage });
    return;
  }
  const prompt = findPrompt(childLane, child.promptId);
  const ending: Ending = { status: "cancelled", reason: "parentCancel", runId: null };
  if (prompt === null) {
    const tombstone = { ...blankPrompt(model, childLane, child.promptId), parent };
    childLane.prompts.push(tombstone);
    settle(model, childLane, tombstone, ending);
    return;
  }
  const link = prompt.hash === null ? null : prompt.parent;
  const foreign = link?.sessionId !== parent.sessionId || link.runId !== parent.runId;
  if (foreign || prompt.status === "settled") {
    // A prompt of another sender with this id is not affected, and the parent does not wait for a prompt that has
    // ended.
    model.outbox.push(() => childSettled(model, lane, { ...child, quiet: true, usage: noUsage }));
    return;
  }
  if (prompt.status === "queued") {
    settle(model, childLane, prompt, ending);
    enterMessages(model, childLane);
    return;
  }
  const run = runOf(childLane);
  if (run === null || run.prompts[0] !== prompt || isClosing(run)) return;
  stopRun(model, childLane, run, { ending, mark: null });
  if (enforce && childLane.active === run && !isClosing(run)) enforceStop(model, childLane, run);
}

export function enforceStop(model: Model, lane: Lane, run: RunRecord): void {
  if (run.stop === null) throw new Error("model: only a stopping run is stopped by force");
  run.attempt += 1;
  closeDoubtful(lane, run);
  endRun(model, lane, run, run.stop.ending);
}

/** Commits the end: no prompt can join any more. With open children, the run waits for them. */
export function endRun(model: Model, lane: Lane, run: RunRecord, ending: Ending): void {
  run.stop = { ending, mark: run.stop?.mark ?? null, by: null };
  if (run.owner === null) closeDoubtful(lane, run);
  for (const call of run.calls) lane.results.set(call.id, "interrupted");
  run.calls = [];
  closeAsks(model, run);
  run.owner = null;
  run.stage = "boundary";
  lane.holds = lane.holds.filter((hold) => hold.kind !== "recovery");
  for (const prompt of run.prompts.filter(({ seq }) => seq > (run.stop?.mark ?? seq))) {
    run.prompts.splice(run.prompts.indexOf(prompt), 1);
    giveBack(lane, prompt);
  }
  finishIfChildless(model, lane, run);
}

/**
 * R2: a call that started and left no result is in doubt, unless it may be repeated. H4: a hosted agent's call is in
 * doubt even without a start, unless its permission was never given; then it is over, and so is its ask.
 */
export function closeDoubtful(lane: Lane, run: RunRecord): void {
  for (const call of run.calls) {
    const isOpen = call.seen && call.gate === "open";
    if ((call.started && !call.repeatable) || isOpen) lane.results.set(call.id, "inDoubt");
    else if (call.seen) lane.results.set(call.id, "interrupted");
    else continue;
    withdrawAsksOn(run, call);
  }
  run.calls = run.calls.filter((call) => !lane.results.has(call.id));
}

/** H4: withdraws asks whose answer no call can use any more. */
export function withdrawAsksOn(run: RunRecord, call: CallRecord): void {
  for (const ask of run.asks) if (ask.callId === call.id) ask.resolution = "withdrawn";
  run.asks = run.asks.filter((ask) => ask.callId !== call.id);
}

function finishIfChildless(model: Model, lane: Lane, run: RunRecord): void {
  if (run.stop === null || lane.active !== run) return;
  if (run.children.some((child) => !child.settled)) return;
  const { ending } = run.stop;
  lane.active = null;
  lane.usage = addUsage(lane.usage, run.usage);
  for (const prompt of run.prompts) {
    const usage = prompt === run.prompts[0] ? run.usage : noUsage;
    settle(model, lane, prompt, ending, usage);
  }
  releaseSteers(model, lane, run);
  enterMessages(model, lane);
  forgetUnsent(model, lane, run);
}

/** C7: a background child that its run announced and never sent is not waited for. */
function forgetUnsent(model: Model, lane: Lane, run: RunRecord): void {
  const parent: ParentLink = { sessionId: lane.id, runId: run.id, background: true };
  for (const child of lane.background.filter((other) => other.runId === run.id)) {
    model.outbox.push(() => {
      const childLane = model.lanes.get(child.sessionId);
      const prompt = childLane === undefined ? null : findPrompt(childLane, child.promptId);
      const link = prompt === null || prompt.hash === null ? null : prompt.parent;
      const arrived = link?.sessionId === lane.id && link.runId === run.id;
      if (!arrived) cancelChild(model, lane, { child, parent, enforce: false });
    });
  }
}

/**
 * C1: returns a prompt to the queue, at the position of its acceptance, because the cancel of its run does not cover
 * it.
 */
function giveBack(lane: Lane, prompt: Prompt): void {
  prompt.status = "queued";
  prompt.run = null;
  const later = lane.queue.findIndex((item) => item.seq > prompt.seq);
  lane.queue.splice(later === -1 ? lane.queue.length : later, 0, prompt);
}

/** L6: a steer whose run is over becomes an ordinary prompt, unless it wanted that run only. */
function releaseSteers(model: Model, lane: Lane, run: RunRecord): void {
  for (const item of lane.queue) {
    if (item.kind !== "prompt" || item.boundTo !== run.id) continue;
    item.boundTo = null;
    if (item.expected) {
      settle(model, lane, item, { status: "cancelled", reason: "runEnded", runId: null });
    }
  }
}

/** P7: a message at the front of a free lane's queue is added to the conversation at once. */
export function enterMessages(model: Model, lane: Lane): void {
  while (lane.active === null) {
    const first = lane.queue[0];
    if (first?.kind !== "prompt" || first.reply) return;
    if (isDue(model, first)) {
      settle(model, lane, first, { status: "failed", reason: "expired", runId: null });
    } else settle(model, lane, first, { status: "completed", reason: null, runId: null });
  }
}

export function isDue(model: Model, { expiresAt }: Prompt): boolean {
  return expiresAt !== null && expiresAt <= model.now;
}
