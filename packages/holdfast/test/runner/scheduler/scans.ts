import type { Target } from "../../../src/runner/scheduler/state.ts";
import { targetOf, wantsOf } from "./world.ts";
import type { Pending, StoredLane, World } from "./world.ts";

/** Sends a tick to each overdue lane, as after a scan. */
export function tickOverdue({ lanes, pending }: World): void {
  for (const { id, isOverdue } of lanes) {
    const isTicking = pending.some((one) => one.kind === "tick" && one.sessionId === id);
    if (isOverdue && !isTicking) pending.push({ kind: "tick", sessionId: id });
  }
}

/** Lists ready lanes, oldest first. A lane that needs a tick is not a target, but takes up room in the window. */
export function readScan(
  { lanes }: World,
  { limit, full, absent, takeOvers }: Extract<Pending, { kind: "scan" }>["scan"],
): { targets: readonly Target[]; isWhole: boolean } {
  const ready = lanes
    .filter((lane) => !needsTick(lane))
    .flatMap((lane) => targetOf(lane) ?? [])
    .filter(({ directory }) => !absent.includes(directory))
    .filter(({ directory, wants }) => wants !== "start" || !full.includes(directory))
    .filter(({ wants }) => takeOvers || wants !== "takeOver")
    .toSorted((left, right) => (left.since ?? 0) - (right.since ?? 0));
  const room = Math.max(0, limit - lanes.filter(needsTick).length);
  return { targets: ready.slice(0, room), isWhole: ready.length < room };
}

function needsTick(lane: StoredLane): boolean {
  return lane.isOverdue && wantsOf(lane) !== "takeOver";
}
