import { activeRun } from "../../../src/kernel/state.ts";
import type { LaneState, Run } from "../../../src/kernel/state.ts";
import { asksFor } from "./check-account.ts";
import { laneOf } from "./world.ts";
import type { World } from "./world.ts";

/** Every prompt is settled, or kept by a hold or an ask that only people can lift. */
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

/** A run waits for a child in a lane that people keep. */
function waitsForKept(world: World, state: LaneState): boolean {
  const open = activeRun(state)?.children.filter((child) => child.outcome === null) ?? [];
  return open.some(({ sessionId }) => {
    const child = laneOf(world, sessionId)?.state ?? null;
    return child !== null && (isKept(world, child) || waitsForKept(world, child));
  });
}

/** The run waits for a higher limit, which somebody is asked for, in whatever lane. */
function waitsForRaise(world: World, run: Run): boolean {
  if (run.waitsFor === null) return false;
  return asksFor(world, run.waitsFor).some((ask) => ask.expiresAt === null);
}

function liftsItself(hold: LaneState["holds"][number]): boolean {
  return hold.kind === "failure" && hold.retryAt !== null;
}

/** The first world from which no path of edges leads to a goal; null when there is none. */
export function findStuck(graph: {
  readonly goals: readonly boolean[];
  readonly from: readonly number[];
  readonly to: readonly number[];
}): number | null {
  const { goals, from, to } = graph;
  const first = new Uint32Array(goals.length + 1);
  for (const state of to) first[state + 1] = (first[state + 1] ?? 0) + 1;
  for (let state = 0; state < goals.length; state += 1) {
    first[state + 1] = (first[state + 1] ?? 0) + (first[state] ?? 0);
  }
  const place = first.slice();
  const back = new Uint32Array(to.length);
  to.forEach((state, edge) => {
    const at = place[state] ?? 0;
    back[at] = from[edge] ?? 0;
    place[state] = at + 1;
  });
  const live = Uint8Array.from(goals, Number);
  const open = goals.flatMap((goal, state) => (goal ? [state] : []));
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const end = first[state + 1] ?? 0;
    for (let edge = first[state] ?? 0; edge < end; edge += 1) {
      const before = back[edge] ?? 0;
      if (live[before] === 1) continue;
      live[before] = 1;
      open.push(before);
    }
  }
  const stuck = live.indexOf(0);
  return stuck === -1 ? null : stuck;
}
