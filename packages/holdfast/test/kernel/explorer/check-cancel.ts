import type { Command } from "../../../src/kernel/command.ts";
import type { CoveredPrompt, LaneEvent, Receipt } from "../../../src/kernel/event.ts";
import type { OwnerLease } from "../../../src/kernel/facts.ts";
import { activeRun, itemId } from "../../../src/kernel/state.ts";
import type { LaneState } from "../../../src/kernel/state.ts";
import type { Done } from "../../../src/kernel/transaction.ts";
import type { Fail } from "./check-event.ts";
import { checkNamed } from "./check-tree.ts";
import { equal } from "./equal.ts";
import type { Scenario } from "./scenario.ts";
import type { World } from "./world.ts";

export interface Committed {
  readonly before: LaneState;
  readonly after: LaneState;
  readonly command: Command;
  readonly events: readonly LaneEvent[];
  readonly answer: Done;
  /** The lease of the process that owned the lane before. */
  readonly lease: OwnerLease;
  /** The world before the cancel. */
  readonly world: World;
  readonly scenario: Scenario;
}

/**
 * Checks that a cancel's receipt names exactly the prompts that it must cover, and that no other prompt is affected
 * (C1, C2, C3, C6).
 */
export function checkCancel(committed: Committed, fail: Fail): void {
  const { before, after, command, events, answer } = committed;
  if (command.type === "prompt.promote") {
    const waits = after.queue.some((item) => itemId(item) === command.promptId);
    if (waits && after.queue[0] !== undefined && itemId(after.queue[0]) !== command.promptId) {
      fail("L2: a promoted prompt is not first");
    }
    if (activeRun(after)?.condition.status === "running")
      fail("L2: a promotion lets the run go on");
    return;
  }
  const expected = expectedCover(before, command);
  if (expected === null) return;
  const receipt = command.type === "cancel" ? answer.receipt : (answer.prompt?.receipt ?? null);
  const covered = byId(receipt?.covered ?? []);
  if (!equal(covered, byId(expected.covered))) {
    fail("C1: the receipt covers other prompts than those accepted before the cancel");
  }
  if (!equal(receipt?.work ?? [], expected.work)) fail("M8: the receipt names other work");
  checkWork(after, expected.work, fail);
  checkNamed(committed, receipt, fail);
  const nothing = expected.covered.length === 0 && expected.work.length === 0;
  if (nothing && receipt?.tree !== true && command.type === "cancel") {
    if (events.length > 0) fail("C3: an idle cancel leaves an event");
    if (receipt === null || receipt.mark !== null) fail("C3: an idle cancel has a mark");
  }
  for (const { promptId, was } of covered) {
    if (was !== "queued" && was !== "steering") continue;
    const told = events.some(
      (event) =>
        event.type === "prompt.settled" &&
        event.promptId === promptId &&
        event.outcome.status === "cancelled",
    );
    if (!told) fail("C2: a waiting prompt is covered and not settled by the cancel");
  }
  checkUntouched(committed, receipt, fail);
  const run = activeRun(after);
  if (covered.some(({ was }) => was === "running") && run?.condition.status === "running") {
    fail("C5: a covered run is not stopping");
  }
}

interface Cover {
  readonly covered: readonly CoveredPrompt[];
  readonly work: readonly string[];
}

/** Lists what a cancel must cover according to the promises; null for other commands. */
function expectedCover(before: LaneState, command: Command): Cover | null {
  const open = openPrompts(before);
  if (command.type === "prompt.accept") {
    if (command.delivery !== "interrupt") return null;
    return upTo(before, before.seq);
  }
  if (command.type !== "cancel") return null;
  const { scope } = command;
  switch (scope.kind) {
    case "session":
      return upTo(before, scope.upTo ?? before.seq);
    case "queue":
      return { covered: open.filter(({ was }) => isWaiting(was)), work: [] };
    case "run":
      return {
        covered: open.filter(({ was, runId }) => !isWaiting(was) && runId === scope.runId),
        work: [],
      };
    case "prompt": {
      const target = open.find(({ promptId }) => promptId === scope.promptId);
      if (target === undefined) return { covered: [], work: [] };
      if (target.was !== "running") return { covered: [target], work: [] };
      return { covered: open.filter(({ was }) => !isWaiting(was)), work: [] };
    }
  }
}

function upTo(before: LaneState, mark: number): Cover {
  const items = [before.active, ...before.queue];
  const work = items.flatMap((item) =>
    item?.kind === "work" && item.acceptSeq <= mark ? [item.workId] : [],
  );
  return { covered: openPrompts(before).filter(({ acceptSeq }) => acceptSeq <= mark), work };
}

/** Every unsettled prompt, except those of a run whose end was committed first (C5). */
function openPrompts(before: LaneState): CoveredPrompt[] {
  const run = activeRun(before);
  const open: CoveredPrompt[] = [];
  if (run !== null && run.condition.status !== "closing") {
    for (const { promptId, acceptSeq } of run.prompts) {
      const was = promptId === run.startedBy ? "running" : "takenIn";
      open.push({ promptId, acceptSeq, was, runId: run.runId });
    }
  }
  for (const item of before.queue) {
    if (item.kind !== "prompt") continue;
    const { promptId, acceptSeq, binding } = item;
    const was = binding === null ? "queued" : "steering";
    open.push({ promptId, acceptSeq, was, runId: binding?.runId ?? null });
  }
  return open;
}

function checkUntouched(committed: Committed, receipt: Receipt | null, fail: Fail): void {
  const { before, after, events } = committed;
  const covered = (receipt?.covered ?? []).map(({ promptId }) => promptId);
  const ended = events.some((event) => event.type === "run.ended");
  const where = new Map<string, string>();
  for (const item of after.queue) where.set(itemId(item), "waiting");
  for (const { promptId } of activeRun(after)?.prompts ?? []) where.set(promptId, "running");
  for (const item of before.queue) {
    if (item.kind !== "prompt" || covered.includes(item.promptId)) continue;
    const runEnded = ended && item.binding?.expected === true;
    if (where.get(item.promptId) !== "waiting" && !runEnded && item.reply) {
      fail("C1: a cancel touches a waiting prompt that it does not cover");
    }
  }
  const run = activeRun(before);
  const stopped = run?.condition.status === "stopping" ? run.condition : null;
  for (const { promptId, acceptSeq } of run?.prompts ?? []) {
    // An earlier stop may cover the prompt: then the prompt ends with the run.
    const earlier = stopped !== null && (stopped.mark === null || acceptSeq <= stopped.mark);
    if (covered.includes(promptId) || (earlier && ended)) continue;
    if (where.get(promptId) !== (ended ? "waiting" : "running")) {
      fail("C1: a cancel touches a running prompt that it does not cover");
    }
  }
}

/** Checks that a session cancel ends exclusive operations: waiting ones at once, the active one after a grace time. */
function checkWork(after: LaneState, covered: readonly string[], fail: Fail): void {
  for (const item of [after.active, ...after.queue]) {
    if (item?.kind !== "work" || !covered.includes(item.workId)) continue;
    const stops = item === after.active && after.active.condition.status === "stopping";
    if (!stops) fail("M8: a session cancel leaves exclusive work alone");
  }
}

function isWaiting(was: CoveredPrompt["was"]): boolean {
  return was === "queued" || was === "steering";
}

function byId(covered: readonly CoveredPrompt[]): CoveredPrompt[] {
  return covered.toSorted((left, right) => left.acceptSeq - right.acceptSeq);
}
