import { hash } from "node:crypto";

/** A system with its possible actions. The search visits every order of these actions. */
export interface Model<World, Move extends AnyMove, Identity extends { readonly key: string }> {
  readonly name: string;
  readonly start: World;
  /** Everything that may happen next, always in the same order. */
  readonly moves: (world: World) => readonly Move[];
  /** The world after a move, or null if the move changes nothing. Reports problems of the step itself. */
  readonly run: (world: World, move: Move, fail: Fail) => World | null;
  /** The key is equal for worlds in which the same can happen next. */
  readonly identify: (world: World) => Identity;
  readonly check: (world: World, identity: Identity, fail: Fail) => void;
  /** Checks the step by which a world was first reached; a problem may need a further step to show. */
  readonly onNew?: (
    step: { readonly world: World; readonly move: Move; readonly reached: World },
    fail: (problem: string, further?: string) => void,
  ) => void;
  /** Returns true for a goal. From every world, steady moves must lead to a goal. */
  readonly isGoal: (world: World) => boolean;
  /** Problem to report for a world from which steady moves lead to no goal. */
  readonly stuck: string;
  /** Problem to report for a world from which immediate moves can continue without end. */
  readonly endless?: string;
  /** A model with more states is an error, so that nothing stays unexplored unnoticed. */
  readonly maxStates: number;
  readonly onProgress?: ((states: number, depth: number) => void) | undefined;
}

export interface AnyMove {
  readonly label: string;
  /** True: the program makes this move sooner or later without an outside event, so it counts for liveness. */
  readonly isSteady: boolean;
  /** True: the program makes this move at once and changes nothing outside of itself, such as a read. */
  readonly isImmediate?: boolean;
}

export type Fail = (problem: string) => void;

export interface Found {
  readonly states: number;
  /** Changes from one state to another. */
  readonly transitions: number;
  /** All moves that were tried, with those that changed nothing. */
  readonly attempts: number;
  readonly violations: readonly Violation[];
}

export interface Violation {
  readonly problem: string;
  /** A shortest path to the problem from the start. */
  readonly path: readonly string[];
}

/** Visits every reachable world once, breadth first, and reports the shortest path to each problem. */
export function search<World, Move extends AnyMove, Identity extends { readonly key: string }>(
  model: Model<World, Move, Identity>,
): Found {
  /** By a digest of 128 bits: whole keys of millions of states would fill the memory. */
  const numbers = new Map<string, number>();
  /** For each state the state that led to it first, and the index of the move. */
  const parents: number[] = [];
  const via: number[] = [];
  const goals: boolean[] = [];
  const steady: Edges = { from: [], to: [] };
  const immediate: Edges = { from: [], to: [] };
  const violations = new Map<string, readonly string[]>();
  let transitions = 0;
  let attempts = 0;

  /** Replays the moves by their indexes: storing a label for every state would take much memory. */
  const pathTo = (state: number): string[] => {
    const indexes: number[] = [];
    for (let at = state; at !== 0; at = parents[at] ?? 0) indexes.push(via[at] ?? 0);
    let world = model.start;
    return indexes.toReversed().map((index) => {
      const move = model.moves(world)[index];
      if (move === undefined) throw new Error("a path cannot be replayed");
      world = model.run(world, move, () => {}) ?? world;
      return move.label;
    });
  };
  const report = (problem: string, path: () => readonly string[]): void => {
    if (!violations.has(problem)) violations.set(problem, path());
  };
  const meet = (world: World, parent: number, index: number): number => {
    const identity = model.identify(world);
    const digest = hash("md5", identity.key, "base64url");
    const known = numbers.get(digest);
    if (known !== undefined) return known;
    const number = numbers.size;
    numbers.set(digest, number);
    parents.push(parent);
    via.push(index);
    goals.push(model.isGoal(world));
    const fail: Fail = (problem) => report(problem, () => pathTo(number));
    attempt(() => model.check(world, identity, fail), fail);
    return number;
  };
  /** The world after the move if it was not known; null otherwise. */
  const follow = (
    world: World,
    number: number,
    at: { move: Move; index: number },
  ): World | null => {
    const { move, index } = at;
    const path = (): string[] => [...pathTo(number), move.label];
    const fail: Fail = (problem) => report(problem, path);
    const reached = attempt(() => model.run(world, move, fail), fail);
    if (reached === null) return null;
    transitions += 1;
    const known = numbers.size;
    const place = meet(reached, number, index);
    if (move.isSteady) addEdge(steady, number, place);
    if (move.isImmediate === true) addEdge(immediate, number, place);
    if (place !== known) return null;
    const failFurther = (problem: string, further?: string): void =>
      report(problem, () => (further === undefined ? path() : [...path(), further]));
    attempt(() => model.onNew?.({ world, move, reached }, failFurther), fail);
    return reached;
  };

  let frontier = [model.start];
  meet(model.start, 0, 0);
  for (let depth = 1, number = 0; frontier.length > 0; depth += 1) {
    const next: World[] = [];
    for (const world of frontier) {
      const moves = model.moves(world);
      attempts += moves.length;
      for (const [index, move] of moves.entries()) {
        const reached = follow(world, number, { move, index });
        if (reached !== null) next.push(reached);
      }
      number += 1;
      if (number % 10_000 === 0) model.onProgress?.(numbers.size, depth);
    }
    if (numbers.size > model.maxStates) {
      throw new Error(`${model.name} has more than ${model.maxStates} states`);
    }
    frontier = next;
  }
  const stuck = findStuck(goals, steady);
  if (stuck !== null) report(model.stuck, () => pathTo(stuck));
  const endless = findEndless(goals.length, immediate);
  if (endless !== null) report(model.endless ?? "it never ends", () => pathTo(endless));
  const list = [...violations].map(([problem, path]) => ({ problem, path }));
  return { states: numbers.size, transitions, attempts, violations: list };
}

function attempt<Value>(work: () => Value, fail: Fail): Value | null {
  try {
    return work();
  } catch (error) {
    fail(error instanceof Error ? `it throws: ${error.message}` : "it throws");
    return null;
  }
}

/** Moves from one state to another, by the numbers of the states. */
interface Edges {
  readonly from: number[];
  readonly to: number[];
}

function addEdge({ from, to }: Edges, state: number, next: number): void {
  from.push(state);
  to.push(next);
}

/** The first world from which no path of edges leads to a goal; null when there is none. */
function findStuck(goals: readonly boolean[], edges: Edges): number | null {
  const before = predecessors(goals.length, edges);
  const live = Uint8Array.from(goals, Number);
  const open = goals.flatMap((goal, state) => (goal ? [state] : []));
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    for (const previous of before(state)) {
      if (live[previous] === 1) continue;
      live[previous] = 1;
      open.push(previous);
    }
  }
  const stuck = live.indexOf(0);
  return stuck === -1 ? null : stuck;
}

/** The first world from which a path of edges has no end, because it reaches a cycle; null when there is none. */
function findEndless(states: number, edges: Edges): number | null {
  const before = predecessors(states, edges);
  const onward = new Uint32Array(states);
  for (const state of edges.from) onward[state] = (onward[state] ?? 0) + 1;
  const open: number[] = [];
  onward.forEach((count, state) => count === 0 && open.push(state));
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    for (const previous of before(state)) {
      onward[previous] = (onward[previous] ?? 0) - 1;
      if (onward[previous] === 0) open.push(previous);
    }
  }
  const endless = onward.findIndex((count) => count > 0);
  return endless === -1 ? null : endless;
}

/** Returns a function that lists the states from which an edge leads to a state, in compact arrays. */
function predecessors(states: number, { from, to }: Edges): (state: number) => Uint32Array {
  const first = new Uint32Array(states + 1);
  for (const state of to) first[state + 1] = (first[state + 1] ?? 0) + 1;
  for (let state = 0; state < states; state += 1) {
    first[state + 1] = (first[state + 1] ?? 0) + (first[state] ?? 0);
  }
  const place = first.slice();
  const back = new Uint32Array(to.length);
  to.forEach((state, edge) => {
    const at = place[state] ?? 0;
    back[at] = from[edge] ?? 0;
    place[state] = at + 1;
  });
  return (state) => back.subarray(first[state], first[state + 1]);
}
