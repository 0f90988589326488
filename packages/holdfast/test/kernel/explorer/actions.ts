import type { LaneState } from "../../../src/kernel/state.ts";
import type { Action, Choices } from "./action.ts";
import { offerClientActions } from "./client-actions.ts";
import { offerChildPrompts, offerRunnerActions } from "./runner-actions.ts";
import type { Scenario } from "./scenario.ts";
import { leaseOf } from "./world.ts";
import type { World } from "./world.ts";

const moreThanAnHour = 3_600_001;

/** Lists all possible next steps in a fixed order, so that a path can be replayed by number. */
export function actionsOf(world: World, scenario: Scenario): Action[] {
  const choices: Choices = { world, actions: [] };
  for (const lane of world.lanes) {
    offerClientActions(choices, scenario, lane);
    offerRunnerActions(choices, scenario, lane);
  }
  offerChildPrompts(choices, scenario);
  offerFate(choices);
  return choices.actions;
}

function offerFate(choices: Choices): void {
  const { world, actions } = choices;
  for (const lane of world.lanes) {
    if (world.left.crashes === 0 || !leaseOf(lane).alive) continue;
    const { sessionId } = lane;
    actions.push({
      label: `${sessionId}: its owner crashes`,
      isSteady: false,
      wanted: false,
      happens: { kind: "crash", sessionId },
      spends: "crashes",
    });
  }
  const due = nextDue(world);
  if (due !== null) {
    actions.push({
      label: `time passes until ${due}`,
      isSteady: true,
      wanted: false,
      happens: { kind: "time", now: due },
      spends: null,
    });
  }
  if (world.left.hours > 0) {
    actions.push({
      label: "more than an hour passes",
      isSteady: false,
      wanted: false,
      happens: { kind: "time", now: world.now + moreThanAnHour },
      spends: "hours",
    });
  }
}

/** Returns the next time at which a lane changes by itself; null if there is none. */
function nextDue(world: World): number | null {
  let next: number | null = null;
  for (const { state } of world.lanes) {
    for (const time of state === null ? [] : timesOf(state)) {
      if (time > world.now && (next === null || time < next)) next = time;
    }
  }
  return next;
}

/** Every time that a lane's state waits for. */
export function timesOf(state: LaneState): number[] {
  const times: (number | null)[] = [];
  for (const item of state.queue) if (item.kind === "prompt") times.push(item.expiresAt);
  for (const hold of state.holds) if (hold.kind === "failure") times.push(hold.retryAt);
  const { active } = state;
  if (active?.condition.status === "stopping") times.push(active.condition.deadline);
  if (active?.kind === "run") {
    if (active.condition.status === "running") times.push(active.deadline);
    for (const ask of active.asks) times.push(ask.expiresAt);
  }
  return times.filter((time) => time !== null);
}
