import { activeRun } from "../../../src/kernel/state.ts";
import type { Run } from "../../../src/kernel/state.ts";
import type { Committed } from "./check-cancel.ts";
import type { Fail } from "./check-event.ts";

const anHour = 3_600_000;

/** A stop is enforced when its grace time is over, and not before (C5). */
export function checkTick(committed: Committed, fail: Fail): void {
  const { before, after, command, events } = committed;
  const { active } = before;
  if (command.type !== "lane.tick") return;
  const expired = after.queue.some(
    (item) => item.kind === "prompt" && item.expiresAt !== null && item.expiresAt <= command.at,
  );
  if (expired) fail("P6: a prompt waits past its time");
  const run = activeRun(after);
  const overdue = run !== null && run.deadline !== null && run.deadline <= command.at;
  if (overdue && run.condition.status === "running") fail("P6: a run goes on past its time");
  if (active?.condition.status !== "stopping") return;
  const due = active.condition.deadline <= command.at;
  const stops = after.active?.condition.status === "stopping";
  if (due && stops) fail("C5: a stop is not enforced after its deadline");
  if (!due && !stops) fail("C5: a stop is enforced before its deadline");
  if (!due || active.kind === "work") return;
  const raised = events.some(
    (event) =>
      (event.type === "run.ended" || event.type === "run.closing") &&
      event.attempt === active.attempt + 1,
  );
  if (!raised) fail("L5: an enforced stop does not raise the attempt");
}

/** A takeover settles a stopping run, counts the attempt, and repeats no unrepeatable call (R1 to R3). */
export function checkTakeover(committed: Committed, fail: Fail): void {
  const { before, after, command, events } = committed;
  if (command.type !== "lane.takeover") return;
  if (committed.lease.alive) fail("L1: takeover from an owner that is alive");
  if (before.active?.kind === "work") {
    if (after.active?.kind === "work") fail("M8: takeover does not release exclusive work");
    return;
  }
  const run = activeRun(before);
  if (run === null) {
    fail("R1: takeover of a lane without a run");
    return;
  }
  const ended = events.some(({ type }) => type === "run.ended" || type === "run.closing");
  if (run.condition.status === "stopping" && !ended) fail("C5: takeover keeps a stopping run");
  const waits = waitsForAnswer(run);
  const tooOften = (run.tries.sinceStep >= 3 && !waits) || run.tries.total >= 10;
  const counted = (activeRun(after)?.tries.sinceStep ?? 0) - run.tries.sinceStep;
  const resumed = events.some(({ type }) => type === "run.resumed");
  if (resumed && counted !== (waits ? 0 : 1)) fail("R3: a takeover is counted wrongly");
  if (tooOften && !ended) fail("R3: a run that was begun too often goes on");
  if (!ended && !tooOften) checkPolicy({ committed, run }, fail);
  if (ended && !tooOften && run.condition.status === "running") {
    if (expectedRecovery(committed, run) !== "settle") fail("R1: takeover settles a run unasked");
  }
  if (events.some(({ type }) => type === "run.suspended")) return;
  if (activeRun(after)?.tools.some((tool) => tool.started) === true) {
    fail("R2: a call that may be repeated cannot be begun again");
  }
  for (const { callId, started, repeatable, seen, gate } of run.tools) {
    const mayHaveActed = (started && !repeatable) || (seen === true && gate === "open");
    if (!mayHaveActed && seen === undefined) continue;
    const status = mayHaveActed ? "inDoubt" : "interrupted";
    const told = events.some(
      (event) => event.type === "tool.ended" && event.callId === callId && event.status === status,
    );
    if (ended ? mayHaveActed && !told : !told) {
      fail("R2, H4: a call of a lost process is not in doubt, or not ended");
    }
  }
}

/** True if the run can continue only after a person's answer (R3). */
function waitsForAnswer(run: Run): boolean {
  const acts = run.tools.some(
    (tool) =>
      tool.started ||
      ((tool.repeatable || tool.seen === true) && !["asking", "denied"].includes(tool.gate)),
  );
  const waitsForChild = run.children.some((child) => child.outcome === null);
  const isAsked = run.asks.some((ask) => ask.accountId === undefined) && run.stage !== "model";
  return (isAsked || run.waitsFor !== null) && !acts && !waitsForChild;
}

/** The promised recovery of an interrupted run (R1). A drained run was not interrupted, so no policy applies to it. */
function expectedRecovery(committed: Committed, run: Run): "resume" | "hold" | "settle" {
  const { command, lease } = committed;
  if (command.type !== "lane.takeover" || run.released) return "resume";
  const policy = run.owner === null ? "resume" : command.recovery;
  const cutOffAt = run.cutOffAt ?? lease.lostAt ?? command.at;
  return policy === "resume" && command.at - cutOffAt > anHour ? "hold" : policy;
}

function checkPolicy(takeover: { committed: Committed; run: Run }, fail: Fail): void {
  const { committed, run } = takeover;
  const { after, events } = committed;
  const resumed = events.some(({ type }) => type === "run.resumed");
  const held = after.holds.some((hold) => hold.kind === "recovery");
  const expected = expectedRecovery(committed, run);
  if (resumed !== (expected === "resume")) fail(`R1: a run is resumed against ${expected}`);
  if (held !== (expected === "hold")) fail(`R1: a run is held against ${expected}`);
}
