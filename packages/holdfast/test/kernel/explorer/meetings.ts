import { execute } from "../../../src/kernel/transaction.ts";
import { actionsOf } from "./actions.ts";
import { canonical } from "./canonical.ts";
import { perform } from "./perform.ts";
import type { Scenario } from "./scenario.ts";
import { startWorld } from "./world.ts";
import type { World } from "./world.ts";

/**
 * Checks that two worlds with the same key have the same possible next steps. Otherwise the explorer would skip
 * states that it has not seen.
 */
export function countMeetings(scenario: Scenario): { meetings: number; unlike: string[] } {
  const futures = new Map<string, string>();
  const unlike: string[] = [];
  let meetings = 0;
  let frontier: World[] = [];
  const meet = (world: World): void => {
    const { key } = canonical(world, scenario);
    const known = futures.get(key);
    const future = futureOf(world, scenario);
    if (known === undefined) {
      futures.set(key, future);
      frontier.push(world);
      return;
    }
    meetings += 1;
    if (known !== future) unlike.push(key);
  };
  meet(startWorld(scenario));
  while (frontier.length > 0) {
    const worlds = frontier;
    frontier = [];
    for (const world of worlds) {
      for (const { reached } of stepsOf(world, scenario)) meet(reached);
    }
  }
  return { meetings, unlike };
}

function futureOf(world: World, scenario: Scenario): string {
  const steps = stepsOf(world, scenario).map(
    ({ isSteady, reached }) => `${isSteady ? "!" : ""}${canonical(reached, scenario).key}`,
  );
  return steps.toSorted().join("\n");
}

function stepsOf(world: World, scenario: Scenario): { isSteady: boolean; reached: World }[] {
  return actionsOf(world, scenario).flatMap((action) => {
    const reached = perform(world, action, { scenario, execute, fail: () => {} });
    return reached === null ? [] : [{ isSteady: action.isSteady, reached }];
  });
}
