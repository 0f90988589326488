import type { CommandOf } from "../../../src/kernel/command.ts";
import { isClosing, isStopping, runOf, waitingPrompts } from "./records.ts";
import type { Ending, Lane, Model, RunRecord, WorkItem } from "./records.ts";
import { closeAsk, expire } from "./runs.ts";
import {
  cancelChildren,
  closeDoubtful,
  endRun,
  enforceStop,
  enterMessages,
  settle,
  stopRun,
} from "./settle.ts";

export function rename(lane: Lane, command: CommandOf<"session.rename">): string[] {
  const { title } = command;
  const length = Array.from(title).length;
  if (title.trim() === "" || length > 200 || title.includes("\n")) return ["invalid"];
  if (lane.deleted) return ["deleted"];
  if (lane.title === null || !command.auto) lane.title = command.title;
  return [];
}

export function archive(lane: Lane, command: CommandOf<"session.archive">): string[] {
  if (lane.deleted) return ["deleted"];
  lane.archived = command.archived;
  return [];
}

export function setMode(lane: Lane, command: CommandOf<"session.setMode">): string[] {
  if (lane.deleted) return ["deleted"];
  lane.mode = command.mode;
  return [];
}

export function setAgent(lane: Lane, command: CommandOf<"session.setAgent">): string[] {
  if (lane.deleted) return ["deleted"];
  lane.agent = command.agent;
  return [];
}

export function placeHold(lane: Lane, command: CommandOf<"hold.place">): string[] {
  if (lane.deleted) return ["deleted"];
  if (lane.holds.some((hold) => hold.id === command.holdId)) return [];
  lane.holds.push({ kind: "person", id: command.holdId, retryAt: null, reason: null });
  return [];
}

export function releaseHold(lane: Lane, command: CommandOf<"hold.release">): string[] {
  const { target } = command;
  if (target.kind === "refresh") {
    lane.holds = lane.holds.filter((hold) => hold.kind !== "failure");
    return [];
  }
  const run = runOf(lane);
  const index = lane.holds.findIndex((hold) => hold.id === target.holdId);
  if (index === -1) return lane.deleted ? ["unknownHold", "deleted"] : ["unknownHold"];
  const [released] = lane.holds.splice(index, 1);
  if (released?.kind === "recovery" && run !== null) run.released = true;
  return [];
}

/** P3 for exclusive operations: one id is one operation, however often it is requested. */
export function queueWork(model: Model, lane: Lane, command: CommandOf<"work.queue">): string[] {
  const { workId: id, name, body } = command;
  const known = lane.works.find((item) => item.id === id);
  if (known !== undefined) {
    return known.name === name && known.body === body ? [] : ["conflict"];
  }
  if (lane.deleted) return ["deleted"];
  const seq = model.seqOf(lane.id, id);
  const fresh = { owner: null, stopGrace: 0, stopBy: null, ended: null };
  const work: WorkItem = { kind: "work", id, seq, name, body, ...fresh };
  lane.works.push(work);
  lane.queue.push(work);
  return [];
}

export function startWork(lane: Lane, command: CommandOf<"work.start">): string[] {
  const first = lane.queue[0];
  const refusals: string[] = [];
  if (lane.active !== null) refusals.push("busy");
  if (lane.deleted) refusals.push("deleted");
  if (!lane.queue.some((item) => item.kind === "work" && item.id === command.workId)) {
    refusals.push("unknownWork");
  } else if (first?.id !== command.workId) refusals.push("outOfOrder", "unknownWork");
  if (first?.kind !== "work" || refusals.length > 0) return refusals;
  lane.queue = lane.queue.slice(1);
  lane.fence += 1;
  lane.active = first;
  first.owner = command.owner;
  first.stopGrace = command.stopGrace;
  return [];
}

export function endWork(model: Model, lane: Lane, command: CommandOf<"work.end">): string[] {
  const { active } = lane;
  if (active?.kind !== "work" || active.id !== command.workId) return ["unknownWork", "fenced"];
  if (lane.fence !== command.fence) return ["fenced"];
  const cause = active.stopBy === null ? "done" : "cancelled";
  finishWork(model, lane, active, { cause, result: command.body });
  return [];
}

function finishWork(model: Model, lane: Lane, work: WorkItem, ended: WorkItem["ended"]): void {
  work.ended = ended;
  lane.active = null;
  enterMessages(model, lane);
}

const hour = 3_600_000;

/** R1: decides about a run whose owner is gone. */
export function takeover(model: Model, lane: Lane, command: CommandOf<"lane.takeover">): string[] {
  const { active } = lane;
  if (active === null) return ["idle"];
  if (active.owner !== null && model.alive.has(active.owner)) return ["owned"];
  if (active.kind === "work") {
    finishWork(model, lane, active, { cause: "takeover", result: null });
    return [];
  }
  if (isClosing(active)) return ["idle", "busy", "stopping", "held"];
  if (lane.holds.some((hold) => hold.kind === "recovery")) return ["held"];
  if (active.owner !== null) active.cutOffAt = model.lostAt.get(active.owner) ?? model.now;
  active.attempt += 1;
  active.owner = null;
  if (isStopping(active) && active.stop !== null) {
    endRun(model, lane, active, active.stop.ending);
    return [];
  }
  recover(model, lane, active, command);
  return [];
}

/** R3: true if nothing that could crash a process is active: the run only waits for answers. */
function waitsForPeople(run: RunRecord): boolean {
  const asks = run.asks.some((ask) => ask.account === null);
  if (run.waitsFor === null && (run.stage === "model" || !asks)) return false;
  const atWork = run.calls.filter(
    (call) => call.started || (call.gate === "open" && (call.repeatable || call.seen)),
  );
  return atWork.length === 0 && run.children.every((child) => child.settled);
}

function recover(
  model: Model,
  lane: Lane,
  run: RunRecord,
  command: CommandOf<"lane.takeover">,
): void {
  const planned = run.released || run.handedOver;
  const late = run.cutOffAt !== null && model.now - run.cutOffAt > hour;
  const waits = waitsForPeople(run);
  if (run.tries >= 10 || (run.triesSinceStep >= 3 && !waits)) {
    fail(model, lane, run, "crashLoop");
  } else if (!planned && command.recovery === "settle") {
    fail(model, lane, run, "interrupted");
  } else if ((!planned && command.recovery === "hold") || (!run.released && late)) {
    lane.fence += 1;
    lane.holds.push({ kind: "recovery", id: `recovery:${run.id}`, retryAt: null, reason: null });
  } else {
    lane.fence += 1;
    run.owner = command.owner;
    run.tries += 1;
    if (!waits) run.triesSinceStep += 1;
    run.cutOffAt = null;
    run.released = false;
    run.handedOver = false;
    closeDoubtful(lane, run);
    for (const call of run.calls) call.started = false;
  }
}

function fail(model: Model, lane: Lane, run: RunRecord, reason: "interrupted" | "crashLoop"): void {
  cancelChildren(model, lane, run, false);
  endRun(model, lane, run, { status: "failed", reason, runId: run.id });
}

/** Handles everything that is due at this time. */
export function tick(model: Model, lane: Lane): string[] {
  const due = (time: number | null): boolean => time !== null && time <= model.now;
  expire(model, lane);
  lane.holds = lane.holds.filter((hold) => hold.kind !== "failure" || !due(hold.retryAt));
  const { active } = lane;
  if (active?.kind === "work") tickWork(model, lane, active);
  if (active?.kind === "run") tickRun(model, lane, active);
  enterMessages(model, lane);
  return [];
}

function tickWork(model: Model, lane: Lane, work: WorkItem): void {
  if (work.stopBy === null || work.stopBy > model.now) return;
  finishWork(model, lane, work, { cause: "enforced", result: null });
}

function tickRun(model: Model, lane: Lane, run: RunRecord): void {
  for (const ask of run.asks) {
    if (ask.expiresAt !== null && ask.expiresAt <= model.now) closeAsk(model, lane, ask, "expired");
  }
  if (run.stop === null && run.deadline !== null && run.deadline <= model.now) {
    stopRun(model, lane, run, { ending: { status: "failed", reason: "runTime" }, mark: null });
  }
  const stopBy = run.stop?.by ?? null;
  if (stopBy !== null && stopBy <= model.now) enforceStop(model, lane, run);
}

/** M8: one commit that settles everything unsettled. */
export function deleteSession(model: Model, lane: Lane): string[] {
  if (lane.deleted) return [];
  lane.deleted = true;
  for (const prompt of waitingPrompts(lane)) {
    settle(model, lane, prompt, { status: "cancelled", reason: "deleted", runId: null });
  }
  for (const item of [lane.active, ...lane.queue]) {
    if (item?.kind === "work") item.ended = { cause: "deleted", result: null };
  }
  lane.queue = [];
  lane.holds = [];
  const run = runOf(lane);
  if (run === null) {
    lane.active = null;
    return [];
  }
  cancelChildren(model, lane, run, true);
  if (!isClosing(run)) {
    const deleted: Ending = { status: "cancelled", reason: "deleted", runId: run.id };
    const ending = run.stop?.ending.status === "cancelled" ? run.stop.ending : deleted;
    run.stop = null;
    run.attempt += 1;
    closeDoubtful(lane, run);
    endRun(model, lane, run, ending);
  }
  return [];
}
