import type { Command } from "../../../src/kernel/command.ts";
import { execute as kernelExecute } from "../../../src/kernel/transaction.ts";
import { actionsOf } from "./actions.ts";
import { canonical } from "./canonical.ts";
import { checkBatches } from "./check-batch.ts";
import { checkWorld } from "./check-world.ts";
import { findStuck, isAtRest } from "./liveness.ts";
import { perform } from "./perform.ts";
import { probe } from "./probe.ts";
import type { Scenario } from "./scenario.ts";
import { startWorld } from "./world.ts";
import type { Execute, World } from "./world.ts";

export interface Exploration {
  readonly scenario: string;
  readonly states: number;
  /** Changes from one state to another. */
  readonly transitions: number;
  /** Everything that was tried, also what the kernel refused or found done already. */
  readonly attempts: number;
  readonly violations: readonly Violation[];
}

export interface Violation {
  readonly problem: string;
  /** The shortest way to it from the start. */
  readonly path: readonly string[];
}

export interface ExploreOptions {
  /** The kernel, or one with a planted bug. */
  readonly execute?: Execute;
  /** Past this many the scenario is too large: an error, so that nothing goes unexplored unseen. */
  readonly maxStates?: number;
  /** Also sends each pair of commands in one batch, which must be as good as one by one. */
  readonly batches?: boolean;
  readonly onProgress?: (states: number, depth: number) => void;
}

interface Search {
  readonly scenario: Scenario;
  readonly execute: Execute;
  readonly start: World;
  readonly numbers: Map<string, number>;
  /** Lanes in every condition that was met, each alone. */
  readonly laneKeys: Set<string>;
  /** For each state the one that led to it first, and the number of the action. */
  readonly parents: number[];
  readonly via: number[];
  readonly goals: boolean[];
  readonly from: number[];
  readonly to: number[];
  readonly violations: Map<string, Violation>;
}

/** Breadth first through everything that a scenario lets happen, each state once. */
export function explore(scenario: Scenario, options: ExploreOptions = {}): Exploration {
  const { execute = kernelExecute, maxStates = Number.POSITIVE_INFINITY, onProgress } = options;
  const start = startWorld(scenario);
  const search: Search = {
    scenario,
    execute,
    start,
    numbers: new Map(),
    laneKeys: new Set(),
    parents: [],
    via: [],
    goals: [],
    from: [],
    to: [],
    violations: new Map(),
  };
  let transitions = 0;
  let attempts = 0;
  let frontier: World[] = [start];
  meet(search, start, { parent: 0, action: 0 });
  for (let depth = 1, number = 0; frontier.length > 0; depth += 1) {
    const next: World[] = [];
    for (const world of frontier) {
      const actions = actionsOf(world, scenario);
      attempts += actions.length;
      for (const [index, action] of actions.entries()) {
        const fail = (problem: string): void => {
          report(search, problem, () => [...pathTo(search, number), action.label]);
        };
        const reached = attempt(() => perform(world, action, { scenario, execute, fail }), fail);
        if (reached === null) {
          if (action.wanted) fail("L3: attention asks for something that changes nothing");
          continue;
        }
        transitions += 1;
        const known = search.numbers.size;
        const place = meet(search, reached, { parent: number, action: index });
        if (place === known) {
          next.push(reached);
          if (options.batches === true) {
            const failBatch = (problem: string, second: Command): void => {
              const last = `in the same batch: ${JSON.stringify(second)}`;
              report(search, problem, () => [...pathTo(search, number), action.label, last]);
            };
            const step = { world, action, reached, scenario, execute };
            attempt(() => checkBatches(step, failBatch), fail);
          }
        }
        if (action.steady) {
          search.from.push(number);
          search.to.push(place);
        }
      }
      number += 1;
      if (number % 10_000 === 0) onProgress?.(search.numbers.size, depth);
    }
    if (search.numbers.size > maxStates) {
      throw new Error(`${scenario.name} has more than ${maxStates} states`);
    }
    frontier = next;
  }
  const stuck = findStuck(search);
  if (stuck !== null) {
    report(search, "L3: the runner alone cannot settle every prompt", () => pathTo(search, stuck));
  }
  const violations = [...search.violations.values()];
  return {
    scenario: scenario.name,
    states: search.numbers.size,
    transitions,
    attempts,
    violations,
  };
}

/** The number of a world: a new one is checked when it is met. */
function meet(search: Search, world: World, from: { parent: number; action: number }): number {
  const { key, lanes } = canonical(world, search.scenario);
  const known = search.numbers.get(key);
  if (known !== undefined) return known;
  const number = search.numbers.size;
  search.numbers.set(key, number);
  search.parents.push(from.parent);
  search.via.push(from.action);
  search.goals.push(isAtRest(world));
  const fail = (problem: string): void => {
    report(search, problem, () => pathTo(search, number));
  };
  const { scenario, execute, laneKeys } = search;
  const newLanes = new Set(world.lanes.filter((_, index) => !laneKeys.has(lanes[index] ?? "")));
  for (const lane of lanes) laneKeys.add(lane);
  attempt(() => {
    checkWorld(world, scenario, fail);
    probe({ world, scenario, execute, newLanes }, fail);
  }, fail);
  return number;
}

function attempt<Value>(work: () => Value, fail: (problem: string) => void): Value | null {
  try {
    return work();
  } catch (error) {
    fail(error instanceof Error ? `it throws: ${error.message}` : "it throws");
    return null;
  }
}

/** Breadth first, so the first path to a problem is a shortest one. */
function report(search: Search, problem: string, path: () => string[]): void {
  if (search.violations.has(problem)) return;
  search.violations.set(problem, { problem, path: path() });
}

/** Replays the actions by their numbers: a label is made only when somebody reads it. */
function pathTo(search: Search, state: number): string[] {
  const numbers: number[] = [];
  for (let at = state; at !== 0; at = search.parents[at] ?? 0) numbers.push(search.via[at] ?? 0);
  const labels: string[] = [];
  let world = search.start;
  for (const number of numbers.toReversed()) {
    const action = actionsOf(world, search.scenario)[number];
    if (action === undefined) throw new Error("a path cannot be replayed");
    labels.push(action.label);
    world = perform(world, action, { ...search, fail: () => {} }) ?? world;
  }
  return labels;
}
