import type { Command, CommandData, RunHandle } from "../../../src/kernel/command.ts";
import { activeRun } from "../../../src/kernel/state.ts";
import type { LaneState } from "../../../src/kernel/state.ts";
import * as make from "../support/commands.ts";
import type { Fail } from "./check-event.ts";
import { equal } from "./equal.ts";
import { linkCommand, ownerCommands } from "./runner-actions.ts";
import type { Scenario } from "./scenario.ts";
import { client, laneOf, transact } from "./world.ts";
import type { Execute, Transaction, World, WorldLane } from "./world.ts";

export interface Probing {
  readonly world: World;
  readonly scenario: Scenario;
  readonly execute: Execute;
  /** Lanes whose state has not been probed before, in any world. */
  readonly newLanes: ReadonlySet<WorldLane>;
}

/** Commands that must never change anything, so the exploration does not branch on them. */
export function probe(probing: Probing, fail: Fail): void {
  for (const lane of probing.world.lanes) {
    if (lane.state === null) continue;
    probeRepeatedAccepts(probing, lane, fail);
    probeRepeatedCancels(probing, lane, fail);
    probeRepeatedWork(probing, lane, fail);
    probeRepeatedLink(probing, lane.state, fail);
    // Only the state of the lane decides whether a handle is valid, so each lane state is probed once.
    if (probing.newLanes.has(lane)) {
      probeStaleOwners(probing, { lane, state: lane.state }, fail);
    }
  }
}

function send(probing: Probing, lane: WorldLane, data: CommandData): Transaction {
  const { world, execute } = probing;
  const command: Command = { sessionId: lane.sessionId, actor: client, at: world.now, ...data };
  return transact(world, command, execute);
}

/** Commands that clients repeat after a lost acknowledgement: all prompts, cancels and exclusive operations so far. */
export function repetitions(lane: WorldLane): CommandData[] {
  const accepts = [...lane.prompts.values()]
    .filter((row) => row.resultOf === null)
    .map(({ promptId, contentHash }) =>
      make.accept(promptId, { contentHash: contentHash ?? promptId }),
    );
  const cancels = [...lane.receipts.keys()]
    .filter((cancelId) => !cancelId.startsWith("interrupt:"))
    .map((cancelId) => make.cancel(cancelId));
  const works = [...lane.works.values()].map(({ workId, name, body }) =>
    make.queueWork(workId, { name, body }),
  );
  return [...accepts, ...cancels, ...works];
}

/**
 * A client repeats a prompt after a lost acknowledgement: the same id gets the same answer, and other content is
 * refused (P3).
 */
function probeRepeatedAccepts(probing: Probing, lane: WorldLane, fail: Fail): void {
  for (const row of lane.prompts.values()) {
    if (row.resultOf !== null) continue;
    const { promptId } = row;
    // Limits at which a process would refuse any new prompt. A repeated prompt is recognized before limits are
    // checked.
    const limits = { maxQueue: 1, maxBytes: 1, draining: true };
    const same = make.accept(promptId, { contentHash: row.contentHash ?? promptId, limits });
    const again = send(probing, lane, same);
    if (again.writes.length > 0) fail("P3: a repeated prompt changes something");
    if (row.contentHash === null) {
      const refused = again.answer.status === "refused" && again.answer.refusal.code;
      if (refused !== "tombstoned") fail("C7: a tombstone lets its prompt in");
      continue;
    }
    if (again.answer.status !== "done" || !equal(again.answer.prompt, row)) {
      fail("P3: a repeated prompt answers otherwise");
    }
    if (!probing.newLanes.has(lane)) continue;
    const other = send(probing, lane, make.accept(promptId, { contentHash: "other", limits }));
    const refused = other.answer.status === "refused" && other.answer.refusal.code;
    if (refused !== "conflict" || other.writes.length > 0) {
      fail("P3: other content under a used id is not a conflict");
    }
  }
}

/** The same cancel id answers its receipt and covers nothing more (C4). */
function probeRepeatedCancels(probing: Probing, lane: WorldLane, fail: Fail): void {
  for (const [cancelId, receipt] of lane.receipts) {
    if (cancelId.startsWith("interrupt:")) continue;
    const { answer, writes } = send(probing, lane, make.cancel(cancelId, { tree: true }));
    if (writes.length > 0) fail("C4: a repeated cancel changes something");
    if (answer.status !== "done" || !equal(answer.receipt, receipt)) {
      fail("C4: a repeated cancel answers otherwise");
    }
  }
}

/**
 * An exclusive operation that is requested again, even after its end, is the same operation; other content is
 * refused.
 */
function probeRepeatedWork(probing: Probing, lane: WorldLane, fail: Fail): void {
  for (const row of lane.works.values()) {
    const { workId, name, body } = row;
    const same = send(probing, lane, make.queueWork(workId, { name, body }));
    if (same.writes.length > 0) fail("P3: repeated work changes something");
    if (same.answer.status !== "done" || !equal(same.answer.work, row)) {
      fail("P3: repeated work answers otherwise");
    }
    for (const fields of [
      { name: "other", body },
      { name, body: "other" },
    ]) {
      const { answer, writes } = send(probing, lane, make.queueWork(workId, fields));
      const refused = answer.status === "refused" && answer.refusal.code;
      if (refused !== "conflict" || writes.length > 0) {
        fail("P3: other work under a used id is not a conflict");
      }
    }
  }
}

/** A run that repeats a step after a crash links its child again, and nothing changes (C7). */
function probeRepeatedLink(probing: Probing, state: LaneState, fail: Fail): void {
  const { world, scenario } = probing;
  const run = activeRun(state);
  const lane = laneOf(world, state.sessionId);
  for (const child of scenario.children) {
    const { promptId, from, to } = child;
    if (run === null || run.runId !== world.linkedBy[promptId] || lane?.sessionId !== from)
      continue;
    // A child that was refused and never arrived is forgotten, so linking it again is a new link.
    const arrived = laneOf(world, to)?.prompts.has(promptId) === true;
    if (!arrived && run.children.length + state.background.length === 0) continue;
    const handle = { runId: run.runId, fence: state.fence, attempt: run.attempt };
    const { writes } = send(probing, lane, linkCommand(handle, child));
    if (writes.length > 0) fail("C7: a repeated link changes something");
  }
}

/** A former owner of the lane can write nothing (L5). */
function probeStaleOwners(
  probing: Probing,
  target: { lane: WorldLane; state: LaneState },
  fail: Fail,
): void {
  const { lane, state } = target;
  const { scenario, world } = probing;
  if (state.fence === 0) return;
  const run = activeRun(state);
  for (const handle of staleHandles(state)) {
    const work = make.endWork("w1", handle.fence);
    const owned = ownerCommands(handle, { run, scenario, now: world.now });
    for (const data of [...owned.map((command) => command.data), work]) {
      if (data === work && state.active?.kind === "work" && handle.fence === state.fence) continue;
      const { answer, writes } = send(probing, lane, data);
      const fenced = answer.status === "refused" && answer.refusal.code === "fenced";
      if (!fenced || writes.length > 0) fail(`L5: a former owner's ${data.type} is not fenced`);
    }
  }
}

/** Handles of former owners, and handles that never existed. */
function staleHandles(state: LaneState): RunHandle[] {
  const { fence } = state;
  const run = activeRun(state);
  if (run === null) return [{ runId: `r${fence}`, fence, attempt: 1 }];
  const { runId, attempt } = run;
  const stale = [
    { runId, fence: fence - 1, attempt },
    { runId, fence, attempt: attempt - 1 },
    { runId: "r0", fence, attempt },
  ];
  // While no process executes the run, even the last handle belongs to a former owner.
  return run.owner === null ? [...stale, { runId, fence, attempt }] : stale;
}
