import { activeRun } from "../../../src/kernel/state.ts";
import type { Receipt } from "../../../src/kernel/event.ts";
import type { Committed } from "./check-cancel.ts";
import type { Fail } from "./check-event.ts";
import { equal } from "./equal.ts";
import { livePrompts, nameOf } from "./family.ts";
import type { Live } from "./family.ts";
import type { ChildKind, Scenario } from "./scenario.ts";
import { laneOf } from "./world.ts";
import type { World } from "./world.ts";

/** Checks that a receipt names the live descendants of the covered prompts, even those that it does not cover (C7). */
export function checkNamed(committed: Committed, receipt: Receipt | null, fail: Fail): void {
  const { before, command, world, scenario } = committed;
  if (receipt === null) return;
  const scope = command.type === "cancel" ? command.scope : null;
  const isSession = scope === null || scope.kind === "session";
  const tree = scope?.kind === "session" && scope.tree;
  const mark = scope?.kind === "session" ? (scope.upTo ?? before.seq) : before.seq;
  const stopsRun = receipt.covered.some(({ was }) => was === "running");
  const runId = activeRun(before)?.runId;
  const children: string[] = [];
  const background: string[] = [];
  for (const live of livePrompts(world, scenario)) {
    if (live.sessionId === before.sessionId) continue;
    const via = live.steps.find((step) => step.parent.sessionId === before.sessionId);
    if (via === undefined) continue;
    const sent = via.sender;
    const below = isSession ? sent.acceptSeq <= mark : stopsRun && sent.runId === runId;
    const isWaitedFor = !via.isBackground && !via.isSettled;
    if (!below || (isWaitedFor && !tree && !stopsRun)) continue;
    const steps = live.steps.slice(0, live.steps.indexOf(via) + 1);
    const list = steps.some((step) => step.isBackground) ? background : children;
    list.push(nameOf(live));
  }
  const covers = receipt.covered.length + receipt.work.length > 0 || tree;
  if (!equal(receipt.children.map(nameOf).toSorted(), children.toSorted())) {
    fail("C7: the receipt names other children");
  }
  if (!equal(receipt.background.map(nameOf).toSorted(), covers ? background.toSorted() : [])) {
    fail("C7: the receipt names other background descendants");
  }
}

/** The prompts of other sessions that a committed cancel covers. */
export function coveredBelow(receipt: Receipt): string[] {
  const { children, background, tree } = receipt;
  return [...children, ...(tree ? background : [])].map(nameOf);
}

/** Checks that the links in the lanes lead to every live descendant, through settled ones, and to nothing else (C7). */
export function checkTree(world: World, scenario: Scenario, fail: Fail): void {
  if (scenario.children.length === 0) return;
  const live = livePrompts(world, scenario);
  for (const { sessionId, state } of world.lanes) {
    if (state === null) continue;
    const steps = live.flatMap((prompt) => prompt.steps);
    const here = steps.filter((step) => step.parent.sessionId === sessionId && !step.isResult);
    const branches = here.filter((step) => step.isSettled).map((step) => nameOf(step.child));
    if (!equal(state.branches.map(nameOf).toSorted(), distinct(branches))) {
      fail("C7: a settled child is kept that has no live descendant, or one with some is not");
    }
    const ancestors = settledSenders(live, sessionId);
    if (!equal(state.ancestors.map(({ promptId }) => promptId).toSorted(), distinct(ancestors))) {
      fail("C7: a settled prompt is kept that has no live descendant, or one with some is not");
    }
  }
  for (const child of scenario.children) checkChild(world, child, fail);
}

function settledSenders(live: readonly Live[], sessionId: string): string[] {
  return live
    .flatMap(({ steps }) => steps.map(({ sender }) => sender))
    .filter((row) => row.sessionId === sessionId)
    .filter((row) => row.status === "settled" && row.resultOf === null)
    .map((row) => row.promptId);
}

function checkChild(world: World, kind: ChildKind, fail: Fail): void {
  const { promptId } = kind;
  const [parent, child] = [laneOf(world, kind.from), laneOf(world, kind.to)];
  const state = parent?.state ?? null;
  if (parent === null || state === null || child === null) return;
  const run = activeRun(state);
  const row = child.prompts.get(promptId);
  const open = run?.children.some((each) => each.promptId === promptId && each.outcome === null);
  if (open === true && row?.status === "settled") {
    fail("C7: a parent waits for a child that has settled");
  }
  if (open === true && run?.condition.status !== "running" && child.state !== null) {
    const childRun = activeRun(child.state);
    const stops = childRun?.startedBy === promptId && childRun.condition.status !== "running";
    if (!stops) fail("C7: the parent is stopping and its child is not");
  }
  const result = parent.prompts.get(`result:${promptId}`);
  const link = row?.parent ?? null;
  if (result !== undefined && row?.status !== "settled") fail("C7: a result before its outcome");
  if (row?.status !== "settled" || link?.background !== true) return;
  const isSilent = world.silenced.includes(`${kind.to}/${promptId}`);
  const wanted = row.outcome.reason !== "parentCancel" && !isSilent && state.status === "open";
  if (wanted && result === undefined) fail("C7: a background result is not delivered");
  if (!wanted && state.status === "open" && result !== undefined) {
    fail("C7: a prompt that a cancel with tree covered wakes its parent");
  }
  if (state.background.some((each) => each.promptId === promptId)) {
    fail("C7: a settled background child is still awaited");
  }
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted();
}
