import { activeRun } from "../../../src/kernel/state.ts";
import type { LaneState, Run } from "../../../src/kernel/state.ts";
import { asksFor } from "./check-account.ts";
import { laneOf } from "./world.ts";
import type { World } from "./world.ts";

/** True if every prompt is settled, or waits for a hold or an ask that only people can end. */
export function isAtRest(world: World): boolean {
  return world.lanes.every(
    ({ state }) =>
      state === null || isFree(state) || isKept(world, state) || waitsForKept(world, state),
  );
}

function isFree(state: LaneState): boolean {
  return state.active === null && state.queue.length === 0;
}

function isKept(world: World, state: LaneState): boolean {
  const run = activeRun(state);
  if (run !== null) {
    const asks = run.asks.some((ask) => ask.expiresAt === null && ask.accountId === undefined);
    return (
      asks || waitsForRaise(world, run) || state.holds.some((hold) => hold.kind === "recovery")
    );
  }
  const waits = state.active === null && state.queue[0]?.kind !== "work";
  return waits && state.holds.some((hold) => !liftsItself(hold));
}

/** True if a run waits for a child whose lane waits for people. */
function waitsForKept(world: World, state: LaneState): boolean {
  const open = activeRun(state)?.children.filter((child) => child.outcome === null) ?? [];
  return open.some(({ sessionId }) => {
    const child = laneOf(world, sessionId)?.state ?? null;
    return child !== null && (isKept(world, child) || waitsForKept(world, child));
  });
}

/** True if the run waits for a higher limit and an ask for it is open in some lane. */
function waitsForRaise(world: World, run: Run): boolean {
  if (run.waitsFor === null) return false;
  return asksFor(world, run.waitsFor).some((ask) => ask.expiresAt === null);
}

function liftsItself(hold: LaneState["holds"][number]): boolean {
  return hold.kind === "failure" && hold.retryAt !== null;
}
