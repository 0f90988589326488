import { attention } from "../../../src/kernel/attention.ts";
import { checkState } from "../../../src/kernel/invariants.ts";
import { activeRun } from "../../../src/kernel/state.ts";
import type { LaneState } from "../../../src/kernel/state.ts";
import { timesOf } from "./actions.ts";
import { checkAccounts } from "./check-account.ts";
import type { Fail } from "./check-event.ts";
import { checkTree } from "./check-tree.ts";
import type { Scenario } from "./scenario.ts";
import type { World, WorldLane } from "./world.ts";

/** Invariants of every world. */
export function checkWorld(world: World, scenario: Scenario, fail: Fail): void {
  for (const lane of world.lanes) {
    if (lane.state === null) continue;
    for (const problem of checkState(lane.state)) fail(problem);
    checkLedger(lane, lane.state, fail);
    checkWorks(lane, lane.state, fail);
    checkAttention(lane.state, fail);
    if (!world.moved) checkOrder(lane.state, fail);
  }
  checkDoomed(world, fail);
  checkTree(world, scenario, fail);
  checkAccounts(world, fail);
}

/** Checks that the ledger agrees with the lane's state about each prompt (P4). */
function checkLedger(lane: WorldLane, state: LaneState, fail: Fail): void {
  const run = activeRun(state);
  let open = 0;
  for (const { promptId, status, runId } of lane.prompts.values()) {
    const inRun = run?.prompts.some((prompt) => prompt.promptId === promptId) === true;
    const waits = state.queue.some((item) => item.kind === "prompt" && item.promptId === promptId);
    if (inRun || waits) open += 1;
    const actual = inRun ? "running" : waits ? "queued" : "settled";
    if (status !== actual) fail(`P1: the ledger has ${status} for a prompt that is ${actual}`);
    if (inRun && runId !== run.runId) fail("P4: the ledger names another run");
  }
  const held =
    (run?.prompts.length ?? 0) + state.queue.filter((item) => item.kind === "prompt").length;
  if (open !== held) fail("P4: a prompt is in the lane and not in the ledger");
}

/** Checks that an exclusive operation is in the lane until its end, and started while it is active (M8). */
function checkWorks(lane: WorldLane, state: LaneState, fail: Fail): void {
  const { active } = state;
  for (const { workId, started, ended } of lane.works.values()) {
    const isActive = active?.kind === "work" && active.workId === workId;
    const waits = state.queue.some((item) => item.kind === "work" && item.workId === workId);
    if ((isActive || waits) !== (ended === null)) fail("M8: work is lost, or outlives its end");
    if (waits && started !== null) fail("M8: work that was begun waits");
    if (isActive && started?.owner !== active.owner) fail("M8: work is begun by another");
  }
}

/** Checks that a free lane with work reports it, and the next time at which it changes (L3). */
function checkAttention(state: LaneState, fail: Fail): void {
  const { ready, dueAt } = attention(state);
  const first = state.queue[0];
  const kept = state.holds.length > 0 && first?.kind === "prompt";
  const free = state.active === null && !kept;
  if (free && first !== undefined) {
    const wanted = first.kind === "work" ? "work" : "start";
    if (ready !== wanted) fail(`L3: a free lane with a queue is ${ready ?? "not"} ready`);
  } else if (ready === "start" || ready === "work") {
    fail(`L3: a lane is ready to ${ready} that is not free`);
  }
  const times = timesOf(state);
  const next = times.length === 0 ? null : Math.min(...times);
  if (dueAt !== next) fail("L3: attention misses a time that the lane waits for");
}

function checkOrder(state: LaneState, fail: Fail): void {
  const seqs = state.queue.map((item) => item.acceptSeq);
  if (seqs.some((seq, index) => seq < (seqs[index - 1] ?? 0))) {
    fail("L2: the queue is out of order and nobody moved anything");
  }
}

/** Exactly the covered prompts are in a run that can only end cancelled (C1, C2). */
function checkDoomed(world: World, fail: Fail): void {
  const expected: string[] = [];
  for (const { sessionId, state } of world.lanes) {
    const run = state === null ? null : activeRun(state);
    if (run === null || run.condition.status === "running") continue;
    const { outcome } = run.condition;
    const mark = run.condition.status === "stopping" ? run.condition.mark : null;
    if (outcome.status !== "cancelled") continue;
    for (const { promptId, acceptSeq } of run.prompts) {
      if (mark === null || acceptSeq <= mark) expected.push(`${sessionId}/${promptId}`);
    }
  }
  const actual = world.doomed;
  if (expected.length !== actual.length || expected.some((id) => !actual.includes(id))) {
    fail("C2: covered prompts and stopping runs do not agree");
  }
}
