import type { Account } from "../../../src/kernel/account.ts";
import type { LaneState, Outcome, QueueItem, Run, Work } from "../../../src/kernel/state.ts";
import type { Scenario } from "./scenario.ts";
import { leaseOf } from "./world.ts";
import type { World, WorldLane } from "./world.ts";

/**
 * Returns a key for everything in a world that its future can depend on. Two worlds with the same key differ only in
 * details: ids of runs and of equal prompts, absolute seqs and times, and settled items.
 */
export function canonical(world: World, scenario: Scenario): Canonical {
  const { left } = world;
  let key = world.moved ? "m" : "";
  key += `${left.crashes},${left.cancels},${left.handOvers},${left.holds},${left.works},${left.asks},`;
  key += `${left.moves},${left.edits},${left.deletes},${left.links},${left.hours},${left.labels},`;
  for (const count of world.unsent) key += count;
  const lanes = world.lanes.map((lane) => laneKey(world, { scenario, lane }));
  key += world.silenced.join();
  key += accountsKey(world);
  return { key: key + lanes.join(""), lanes };
}

export interface Canonical {
  readonly key: string;
  /** The part of the key for each lane. */
  readonly lanes: readonly string[];
}

interface Naming {
  readonly now: number;
  readonly lane: WorldLane;
  readonly state: LaneState;
  /** The seqs that can still be compared with one another, in order. */
  readonly seqs: readonly number[];
  readonly scenario: Scenario;
}

/** The remaining amount of each account that a prompt can still be charged to. */
function accountsKey(world: World): string {
  let key = "";
  for (const account of world.accounts.values()) {
    if (!isUsed(world, account)) continue;
    const { id, limit, spent, onBudget, ask, waiting } = account;
    key += `$${id}${(limit.cost ?? 0) - spent.cost}${onBudget[0]}${ask?.sessionId ?? ""}`;
    key += `<${waiting.map(({ sessionId }) => sessionId).join()}`;
  }
  return key;
}

function isUsed(world: World, { id, carrier }: Account): boolean {
  for (const { sessionId, state } of world.lanes) {
    const run = state?.active?.kind === "run" ? state.active.prompts : [];
    for (const item of [...run, ...(state?.queue ?? [])]) {
      if (item.kind === "work") continue;
      const carries = sessionId === carrier.sessionId && item.promptId === carrier.promptId;
      if (carries || item.accounts.includes(id)) return true;
    }
  }
  // A child prompt that a run has announced may arrive late.
  return Object.entries(world.inherited).some(
    ([promptId, ids]) =>
      ids.includes(id) && !world.lanes.some((lane) => lane.prompts.has(promptId)),
  );
}

function laneKey(world: World, target: { scenario: Scenario; lane: WorldLane }): string {
  const { lane, scenario } = target;
  const { state } = lane;
  if (state === null) return "|none";
  const naming: Naming = { now: world.now, lane, state, seqs: comparedSeqs(state), scenario };
  let key = state.status === "open" ? "|" : "|deleted";
  if (state.title !== null) key += `"${state.title}"`;
  if (state.mode !== null) key += `m${state.mode}`;
  if (state.agent !== null) key += `g${state.agent}`;
  if (state.archived) key += "archived";
  for (const hold of state.holds) {
    key += hold.kind === "failure" ? `f${rest(naming, hold.retryAt)}` : hold.kind[0];
  }
  key += "/";
  for (const item of state.queue) key += itemKey(naming, item);
  key += "/";
  const { active } = state;
  if (active?.kind === "work") key += workKey(naming, active);
  if (active?.kind === "run") key += runKey(naming, active);
  if (scenario.children.length > 0) key += treeKey(world, naming);
  return key;
}

function comparedSeqs(state: LaneState): number[] {
  const seqs = state.queue.map((item) => item.acceptSeq);
  const { active } = state;
  for (const child of [...state.background, ...state.branches]) seqs.push(child.acceptSeq);
  if (active?.kind === "work") seqs.push(active.acceptSeq);
  if (active?.kind === "run") {
    for (const prompt of active.prompts) seqs.push(prompt.acceptSeq);
    const { condition } = active;
    if (condition.status === "stopping" && condition.mark !== null) seqs.push(condition.mark);
  }
  return seqs.toSorted((left, right) => left - right);
}

function rank(naming: Naming, seq: number | null): string {
  return seq === null ? "*" : `${naming.seqs.indexOf(seq)}`;
}

/** The remaining time until `time`. A time that has passed stays due until a `lane.tick` command handles it. */
function rest(naming: Naming, time: number | null): string {
  return time === null ? "*" : `${Math.max(0, time - naming.now)};`;
}

function itemKey(naming: Naming, item: QueueItem): string {
  if (item.kind === "work") return `W${rank(naming, item.acceptSeq)}`;
  const { promptId, acceptSeq, binding, revision, expiresAt } = item;
  const isResult = promptId.startsWith("result:");
  const letter = isResult ? `R${promptId.at(-1)}` : promptId[0];
  let key = `${letter}${rank(naming, acceptSeq)}`;
  if (binding !== null) key += binding.expected ? "!" : "?";
  if (item.unwanted) key += "u";
  if (revision > 1) key += `v${revision}`;
  if (item.directories !== null) key += `[${item.directories.join()}]`;
  if (expiresAt !== null) key += `x${rest(naming, expiresAt)}`;
  return key;
}

function workKey(naming: Naming, work: Work): string {
  const { condition } = work;
  const stop = condition.status === "stopping" ? `s${rest(naming, condition.deadline)}` : "";
  return `W${rank(naming, work.acceptSeq)}${ownerKey(naming)}${stop}`;
}

function runKey(naming: Naming, run: Run): string {
  const { lane, now } = naming;
  let key = `${ownerKey(naming)}${run.stage[0]}${run.step}t${run.tries.total},${run.tries.sinceStep}`;
  key += conditionKey(naming, run);
  for (const prompt of run.prompts) key += itemKey(naming, prompt);
  for (const tool of run.tools) {
    const asked = lane.asks.has(`${run.runId}:${run.step}:${tool.callId}`);
    key += `${tool.seen === true ? tool.callId : ""}${tool.repeatable ? "T" : "O"}${tool.started ? "s" : "-"}${tool.gate[0]}${asked ? "a" : "-"}`;
  }
  for (const ask of run.asks) key += `A${ask.accountId ?? ""}${rest(naming, ask.expiresAt)}`;
  if (run.waitsFor !== null) key += `w${run.waitsFor}`;
  if (run.agent !== null) key += `g${run.agent}`;
  for (const child of run.children) key += child.outcome === null ? "C" : "c";
  if (run.deadline !== null) key += `d${rest(naming, run.deadline)}`;
  if (run.released) key += "R";
  const cutOffAt = run.cutOffAt ?? (ownerKey(naming) === "x" ? lane.lostAt : null);
  if (cutOffAt !== null && now - cutOffAt > 3_600_000) key += "L";
  return key;
}

function conditionKey(naming: Naming, run: Run): string {
  const { condition } = run;
  if (condition.status === "running") return "r";
  const end = outcomeKey(condition.outcome);
  if (condition.status === "closing") return `c${end}`;
  return `s${end}${rank(naming, condition.mark)}${rest(naming, condition.deadline)}`;
}

/** The reason for a stop decides only whether a later cancel outranks it, and which outcome the parent gets. */
function outcomeKey(outcome: Outcome): string {
  if (outcome.status !== "cancelled") return outcome.status === "failed" ? "F" : "K";
  return outcome.reason === "parentCancel" ? "P" : "X";
}

function ownerKey(naming: Naming): string {
  if (naming.state.active?.owner === null) return "0";
  return leaseOf(naming.lane).alive ? "a" : "x";
}

/** The sessions of the child prompts, and whether the run that sent each one is still active. */
function treeKey(world: World, naming: Naming): string {
  const { lane, state, scenario } = naming;
  let key = "~";
  for (const child of state.background) key += `b${child.promptId}${rank(naming, child.acceptSeq)}`;
  for (const child of state.branches) key += `B${child.promptId}${rank(naming, child.acceptSeq)}`;
  for (const { promptId } of state.ancestors) key += `A${promptId}`;
  for (const { promptId, from, to } of scenario.children) {
    if (from === lane.sessionId) {
      const active = state.active?.kind === "run" ? state.active.runId : null;
      const linkedBy = world.linkedBy[promptId];
      key += linkedBy === undefined ? "-" : linkedBy === active ? "=" : "o";
    }
    if (to === lane.sessionId) key += arrivalKey(lane, promptId);
  }
  return key;
}

function arrivalKey(lane: WorldLane, promptId: string): string {
  const row = lane.prompts.get(promptId);
  if (row === undefined) return "-";
  return row.contentHash === null ? "t" : row.status === "settled" ? "s" : "u";
}
