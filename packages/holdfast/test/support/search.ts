import { findStuck } from "../kernel/explorer/liveness.ts";

/** One thing that may happen next in a world. */
export interface Move<World> {
  readonly label: string;
  /** The program does it by itself, sooner or later: it counts for liveness. */
  readonly isSteady: boolean;
  /** The world after it. Reports problems of the transition itself. */
  readonly run: (fail: (problem: string) => void) => World;
}

export interface Model<World> {
  readonly start: World;
  readonly moves: (world: World) => readonly Move<World>[];
  /** Equal for worlds in which the same can happen next. */
  readonly key: (world: World) => string;
  readonly check: (world: World, fail: (problem: string) => void) => void;
  /** Steady moves must lead here from every world. */
  readonly isGoal: (world: World) => boolean;
  readonly maxStates: number;
}

export interface Found {
  readonly states: number;
  readonly transitions: number;
  readonly violations: readonly { problem: string; path: readonly string[] }[];
}

/** Visits every reachable world once, breadth first, and reports the shortest path to each problem. */
export function search<World>(model: Model<World>): Found {
  const numbers = new Map<string, number>();
  const parents: number[] = [];
  const labels: string[] = [];
  const goals: boolean[] = [];
  const from: number[] = [];
  const to: number[] = [];
  const violations = new Map<string, string[]>();
  let transitions = 0;
  const pathTo = (state: number): string[] => {
    const path: string[] = [];
    for (let at = state; at > 0; at = parents[at] ?? 0) path.push(labels[at] ?? "");
    return path.toReversed();
  };
  const report = (problem: string, path: string[]): void => {
    if (!violations.has(problem)) violations.set(problem, path);
  };
  const meet = (
    world: World,
    parent: number,
    label: string,
  ): { number: number; isNew: boolean } => {
    const key = model.key(world);
    const known = numbers.get(key);
    if (known !== undefined) return { number: known, isNew: false };
    const number = numbers.size;
    numbers.set(key, number);
    parents.push(parent);
    labels.push(label);
    goals.push(model.isGoal(world));
    model.check(world, (problem) => report(problem, pathTo(number)));
    return { number, isNew: true };
  };
  let frontier = [model.start];
  meet(model.start, 0, "");
  let number = 0;
  while (frontier.length > 0) {
    const next: World[] = [];
    for (const world of frontier) {
      for (const move of model.moves(world)) {
        const path = (): string[] => [...pathTo(number), move.label];
        const reached = move.run((problem) => report(problem, path()));
        transitions += 1;
        const met = meet(reached, number, move.label);
        if (met.isNew) next.push(reached);
        if (move.isSteady) {
          from.push(number);
          to.push(met.number);
        }
      }
      number += 1;
    }
    if (numbers.size > model.maxStates) throw new Error(`more than ${model.maxStates} states`);
    frontier = next;
  }
  const stuck = findStuck({ goals, from, to });
  if (stuck !== null) report("L3: steady moves lead to no end from here", pathTo(stuck));
  const list = [...violations].map(([problem, path]) => ({ problem, path }));
  return { states: numbers.size, transitions, violations: list };
}
