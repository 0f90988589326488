import { activeRun } from "../../../src/kernel/state.ts";
import type { ChildReference, LaneState } from "../../../src/kernel/state.ts";
import type { LedgerRow } from "../../../src/kernel/ledger.ts";
import type { Scenario } from "./scenario.ts";
import { laneOf } from "./world.ts";
import type { World, WorldLane } from "./world.ts";

// Computes the tree of prompts from the ledgers only. The tests compare the links in the kernel's lanes with it.

/** A prompt that waits or runs, or that a run has announced and not sent yet. */
export interface Live extends ChildReference {
  /** The path to the root: each step leads from a prompt to the prompt whose run sent it. */
  readonly steps: readonly Step[];
}

export interface Step {
  readonly child: ChildReference;
  readonly isSettled: boolean;
  readonly isResult: boolean;
  /** True if the run that sent the prompt does not wait for it. */
  readonly isBackground: boolean;
  readonly parent: WorldLane;
  readonly sender: LedgerRow;
}

export function livePrompts(world: World, scenario: Scenario): Live[] {
  const live: Live[] = [];
  for (const lane of world.lanes) {
    for (const row of lane.prompts.values()) {
      if (row.status === "settled") continue;
      const { sessionId, promptId } = row;
      live.push({ sessionId, promptId, steps: stepsUp(world, lane, row) });
    }
  }
  for (const { promptId, from, to, background } of scenario.children) {
    const runId = world.linkedBy[promptId];
    const parent = laneOf(world, from);
    if (runId === undefined || parent === null || parent.state === null) continue;
    if (laneOf(world, to)?.prompts.has(promptId) === true) continue;
    const child = { sessionId: to, promptId };
    const sender = isAwaited(parent.state, child) ? starterOf(parent, runId) : null;
    if (sender === null) continue;
    const first = { child, isSettled: false, isResult: false, isBackground: background };
    const steps = [{ ...first, parent, sender }, ...stepsUp(world, parent, sender)];
    live.push({ ...child, steps });
  }
  return live;
}

/** The parent's lane expects the child's outcome. */
export function isAwaited(state: LaneState, child: ChildReference): boolean {
  const same = (other: ChildReference): boolean =>
    other.sessionId === child.sessionId && other.promptId === child.promptId;
  const open = activeRun(state)?.children.filter(({ outcome }) => outcome === null) ?? [];
  return open.some(same) || state.background.some(same);
}

function stepsUp(world: World, lane: WorldLane, row: LedgerRow): Step[] {
  const steps: Step[] = [];
  let at: { lane: WorldLane; row: LedgerRow } | null = { lane, row };
  while (at !== null) {
    const step = stepUp(world, at.lane, at.row);
    if (step !== null) steps.push(step);
    at = step === null ? null : { lane: step.parent, row: step.sender };
  }
  return steps;
}

function stepUp(world: World, lane: WorldLane, row: LedgerRow): Step | null {
  const { sessionId, promptId, resultOf } = row;
  const child = { sessionId, promptId };
  const isSettled = row.status === "settled";
  if (resultOf !== null) {
    const from = laneOf(world, resultOf.sessionId)?.prompts.get(resultOf.promptId);
    const link = from?.parent ?? null;
    const sender = link === null ? null : starterOf(lane, link.runId);
    const known = { child, isSettled, isResult: true, isBackground: true, parent: lane };
    return sender === null ? null : { ...known, sender };
  }
  const parent = row.parent === null ? null : laneOf(world, row.parent.sessionId);
  if (row.parent === null || parent === null) return null;
  const sender = starterOf(parent, row.parent.runId);
  const isBackground = row.parent.background;
  return sender === null
    ? null
    : { child, isSettled, isResult: false, isBackground, parent, sender };
}

/** The prompt that started the run: of all that ran in it the one that was accepted first. */
function starterOf(lane: WorldLane, runId: string): LedgerRow | null {
  const rows = [...lane.prompts.values()].filter((row) => row.runId === runId);
  return rows.toSorted((left, right) => left.acceptSeq - right.acceptSeq)[0] ?? null;
}

export function nameOf(child: ChildReference): string {
  return `${child.sessionId}/${child.promptId}`;
}
