import type { Command } from "../../../src/kernel/command.ts";
import { execute as kernelExecute } from "../../../src/kernel/transaction.ts";
import { search } from "../../support/search.ts";
import type { Found } from "../../support/search.ts";
import { actionsOf } from "./actions.ts";
import { canonical } from "./canonical.ts";
import { checkBatches } from "./check-batch.ts";
import { checkWorld } from "./check-world.ts";
import { isAtRest } from "./liveness.ts";
import { perform } from "./perform.ts";
import { probe } from "./probe.ts";
import type { Scenario } from "./scenario.ts";
import { startWorld } from "./world.ts";
import type { Execute } from "./world.ts";

export interface ExploreOptions {
  /** The kernel, or a kernel with a deliberate bug. */
  readonly execute?: Execute;
  readonly maxStates?: number;
  /** Also sends each pair of commands in one batch, with the same effect as one after the other. */
  readonly batches?: boolean;
  readonly onProgress?: (states: number, depth: number) => void;
}

/** Visits every interleaving that a scenario allows, and checks the kernel's invariants in each state. */
export function explore(scenario: Scenario, options: ExploreOptions = {}): Found {
  const { execute = kernelExecute, maxStates = Number.POSITIVE_INFINITY } = options;
  /** Keys of lane states that were already probed: a probe need not be repeated. */
  const laneKeys = new Set<string>();
  return search({
    name: scenario.name,
    start: startWorld(scenario),
    moves: (world) => actionsOf(world, scenario),
    run: (world, action, fail) => {
      const reached = perform(world, action, { scenario, execute, fail });
      if (reached === null && action.wanted) {
        fail("L3: attention asks for something that changes nothing");
      }
      return reached;
    },
    identify: (world) => canonical(world, scenario),
    check: (world, { lanes }, fail) => {
      const newLanes = new Set(world.lanes.filter((_, index) => !laneKeys.has(lanes[index] ?? "")));
      for (const lane of lanes) laneKeys.add(lane);
      checkWorld(world, scenario, fail);
      probe({ world, scenario, execute, newLanes }, fail);
    },
    onNew: ({ world, move: action, reached }, fail) => {
      if (options.batches !== true) return;
      const step = { world, action, reached, scenario, execute };
      checkBatches(step, (problem: string, second: Command) =>
        fail(problem, `in the same batch: ${JSON.stringify(second)}`),
      );
    },
    isGoal: isAtRest,
    stuck: "L3: the runner alone cannot settle every prompt",
    maxStates,
    onProgress: options.onProgress,
  });
}
