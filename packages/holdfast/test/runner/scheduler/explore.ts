import { fits, holdsPlace } from "../../../src/runner/scheduler/state.ts";
import type { SchedulerState } from "../../../src/runner/scheduler/state.ts";
import { search } from "../../support/search.ts";
import type { Found } from "../../support/search.ts";
import { movesOf, startOf } from "./moves.ts";
import { laneOf } from "./world.ts";
import type { Scenario, World } from "./world.ts";

/** Every order of inputs and outcomes that the scenario allows, with S1 to S8 and L3 checked in each state. */
export function exploreScheduler(scenario: Scenario, maxStates = 2_000_000): Found {
  return search({
    name: "the scheduler",
    start: startOf(scenario),
    moves: (world) => movesOf(world, scenario),
    run: (_world, move, fail) => move.run(fail),
    identify: (world) => ({ key: keyOf(world) }),
    check: (world, _identity, fail) => checkWorld(world, fail),
    isGoal,
    stuck: "L3: steady moves lead to no end from here",
    endless: "L3: reads of lanes and scans lead to one another without end",
    maxStates,
  });
}

/** Every prompt was served, except those in directories that may stay absent, or the process has left. */
function isGoal({ state, lanes, isDrained }: World): boolean {
  return (
    isDrained ||
    lanes.every(({ directory, prompts, works, run }) => {
      const isServed = prompts === 0 && works === 0 && run === null;
      const isHere = run?.owner === "here" || run?.owner === "there";
      return isServed || (!isHere && state.absent.has(directory));
    })
  );
}

function checkWorld(world: World, fail: (problem: string) => void): void {
  const { state, pins, pending } = world;
  checkPlaces(state, fail);
  checkOrder(state, fail);
  for (const id of state.waiting.keys()) {
    if (state.lanes.has(id)) fail("S4: a lane with a phase waits");
  }
  for (const [id, { phase }] of state.lanes) {
    const work = pending.filter((one) => {
      if (one.kind === "claim") return one.target.sessionId === id;
      return one.kind !== "tick" && "sessionId" in one && one.sessionId === id;
    });
    if (work.length !== 1) fail(`S4: ${work.length} effects for a lane that is ${phase.at}`);
  }
  for (const one of pending) {
    if (one.kind !== "execution" || one.isAbandoned) continue;
    const { run } = laneOf(world, one.sessionId);
    if (run !== null && run.owner !== "here") fail("S5: a lane executes here without its lease");
  }
  if (pins.length > 0) fail("S8: a loaded generation leaks");
  if (state.gate !== null && !state.lanes.has(state.gate))
    fail("S7: the gate is closed for nobody");
}

function checkPlaces(state: SchedulerState, fail: (problem: string) => void): void {
  const used = new Map<string, number>();
  let total = 0;
  for (const { phase } of state.lanes.values()) {
    if (!holdsPlace(phase)) continue;
    const directory =
      phase.at === "active" ? phase.directory : "target" in phase ? phase.target.directory : "";
    used.set(directory, (used.get(directory) ?? 0) + 1);
    total += 1;
  }
  if (total > state.limits.places) fail("S1: more places than there are");
  for (const count of used.values()) {
    if (count > state.limits.perDirectory) fail("S1: more places than a directory has");
  }
  const isCounted =
    total === state.usedTotal &&
    used.size === state.used.size &&
    [...used].every(([directory, count]) => state.used.get(directory) === count);
  if (!isCounted) {
    fail("S1: places are miscounted");
  }
}

/** S2: checks that no lane that could start waits while a slot is free, and that the waiting lanes are sorted. */
function checkOrder(state: SchedulerState, fail: (problem: string) => void): void {
  const sinces = [...state.waiting.values()].map(({ since }) => since);
  if (sinces.some((since, index) => since < (sinces[index - 1] ?? 0)))
    fail("S2: the line is not sorted");
  if (state.node === null || state.mode === "draining" || state.mode === "drained") {
    if (state.waiting.size > 0) fail("S5 S6: lanes wait in a process that takes none");
    return;
  }
  const loading = [...state.lanes.values()].flatMap(({ phase }) =>
    phase.at === "loading" ? [phase.target.directory] : [],
  );
  for (const { directory, wants } of state.waiting.values()) {
    const isBlocked =
      state.absent.has(directory) ||
      loading.includes(directory) ||
      (wants === "takeOver" && state.gate !== null);
    if (!isBlocked && fits(state, directory)) fail("S2: a lane waits beside a free place");
  }
  for (const id of state.returning) {
    const phase = state.lanes.get(id)?.phase;
    if (phase?.at === "active" && fits(state, phase.directory))
      fail("S2: a run waits for a free place");
  }
}

/** Times by their order only; maps and sets as lists. */
function keyOf({ state, lanes, pending, budget, pins, isReady, isDrained }: World): string {
  const times = new Set<number>();
  const note = ({ since }: { since: number | null }): void => {
    if (since !== null) times.add(since);
  };
  for (const lane of lanes) note(lane);
  for (const lane of state.lanes.values()) {
    if ("target" in lane.phase) note(lane.phase.target);
  }
  for (const target of state.waiting.values()) note(target);
  for (const target of state.fresh.values()) note(target);
  for (const one of pending) {
    if (one.kind === "claim") note(one.target);
    if (one.kind === "answer") for (const target of one.targets) note(target);
  }
  const ranks = new Map([...times].toSorted((a, b) => a - b).map((time, rank) => [time, rank]));
  const plain = (name: string, value: unknown): unknown => {
    if (name === "since" && typeof value === "number") return ranks.get(value);
    if (value instanceof Map || value instanceof Set) return [...value];
    return value;
  };
  const { limits: _, ...changing } = state;
  const effects = pending.map((one) => JSON.stringify(one, plain)).toSorted();
  return JSON.stringify([changing, lanes, effects, budget, pins, isReady, isDrained], plain);
}
