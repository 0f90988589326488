import type { step } from "../../../src/runner/scheduler/step.ts";
import type { Effect, Input, Unclaimed } from "../../../src/runner/scheduler/input.ts";
import { openScheduler } from "../../../src/runner/scheduler/state.ts";
import type {
  SchedulerLimits,
  SchedulerState,
  Target,
} from "../../../src/runner/scheduler/state.ts";

/** A lane as the store has it. */
export interface StoredLane {
  readonly id: string;
  readonly directory: string;
  /** Prompts that wait. */
  prompts: number;
  /** Exclusive operations that wait, before the prompts. */
  works: number;
  /** `owner`: this process, another node, a node whose lease has expired, or none. `tries`: number of claims. */
  run: { owner: "here" | "there" | "dead" | "nobody"; tries: number } | null;
  /** Time at which the lane became ready; null while it is not ready. */
  since: number | null;
  /** The time of a change has come, and the lane has not got its tick yet. */
  isOverdue: boolean;
}

export type Pending =
  /** `owner`: the node id of this process when the claim was sent. */
  | { readonly kind: "claim"; readonly target: Target; readonly owner: string }
  | { readonly kind: "load" | "look" | "giveUp" | "tick"; readonly sessionId: string }
  | { readonly kind: "execution"; readonly sessionId: string; readonly isAbandoned: boolean }
  /** The end of the execution was committed, or it cannot be; the scheduler has not heard of it. */
  | { readonly kind: "end"; readonly sessionId: string; readonly needsNothing: boolean }
  | { readonly kind: "scan"; readonly scan: Extract<Effect, { type: "scan" }> }
  /** The store was read; the answer is on its way. */
  | { readonly kind: "answer"; readonly targets: readonly Target[]; readonly isWhole: boolean };

/** Number of times that each action may still happen. */
export interface Budget {
  arrivals: number;
  works: number;
  accepts: number;
  lost: number;
  hints: number;
  others: number;
  loads: number;
  absences: number;
  lends: number;
  breakdowns: number;
  leaseLosses: number;
  scanFailures: number;
  /** Scans whose answer is outdated when it arrives. */
  staleScans: number;
  /** Polls while other work is pending; one is always possible when nothing else is. */
  polls: number;
  drains: number;
  /** Times that come at which a lane needs a tick. */
  times: number;
}

export interface World {
  /** True: signals alone tell the scheduler since when each lane is ready. */
  readonly isExact: boolean;
  state: SchedulerState;
  lanes: StoredLane[];
  pending: Pending[];
  budget: Budget;
  /** Config versions that were loaded for a lane and not released. */
  pins: string[];
  clock: number;
  isReady: boolean;
  isDrained: boolean;
  /** Number of leases that this process has had. */
  leases: number;
}

export interface Scenario {
  readonly limits: SchedulerLimits;
  /** The directory of each lane. */
  readonly directories: readonly string[];
  readonly budget: Partial<Budget>;
  /** A scheduler with a deliberate bug. */
  readonly step?: typeof step;
}

const nothing: Budget = {
  arrivals: 0,
  works: 0,
  accepts: 0,
  lost: 0,
  hints: 0,
  others: 0,
  loads: 0,
  absences: 0,
  lends: 0,
  breakdowns: 0,
  leaseLosses: 0,
  scanFailures: 0,
  staleScans: 0,
  polls: 0,
  drains: 0,
  times: 0,
};

export function openWorld(scenario: Scenario): World {
  const world: World = {
    isExact: isExact(scenario.budget),
    state: openScheduler(scenario.limits),
    lanes: scenario.directories.map((directory, index) => ({
      id: `lane${index}`,
      directory,
      prompts: 0,
      works: 0,
      run: null,
      since: null,
      isOverdue: false,
    })),
    pending: [],
    budget: { ...nothing, ...scenario.budget },
    pins: [],
    clock: 1,
    isReady: false,
    isDrained: false,
    leases: 0,
  };
  return world;
}

/** Copies a world. The copy shares only data that is never changed in place. */
export function cloneWorld(world: World): World {
  const { state } = world;
  return {
    ...world,
    state: {
      ...state,
      lanes: new Map(state.lanes),
      waiting: new Map(state.waiting),
      returning: new Set(state.returning),
      absent: new Set(state.absent),
      passed: new Set(state.passed),
      fresh: new Map(state.fresh),
      used: new Map(state.used),
    },
    lanes: world.lanes.map((lane) => ({ ...lane })),
    pending: [...world.pending],
    budget: { ...world.budget },
    pins: [...world.pins],
  };
}

export function wantsOf(lane: StoredLane): Target["wants"] | null {
  const { owner = null } = lane.run ?? {};
  if (owner === "here" || owner === "there") return null;
  if (owner !== null) return "takeOver";
  if (lane.works > 0) return "work";
  return lane.prompts > 0 ? "start" : null;
}

export function targetOf(lane: StoredLane): Target | null {
  const { id: sessionId, directory, since } = lane;
  const wants = wantsOf(lane);
  return wants === null || since === null ? null : { sessionId, directory, wants, since };
}

/**
 * A signal about the lane. It does not know that the lease of the run's owner has expired, nor when the lane became
 * ready: its time is that of the last event.
 */
export function signalOf(world: World, lane: StoredLane): Extract<Input, { type: "heard" }> {
  const ready = lane.run?.owner === "dead" ? null : targetOf(lane);
  const target = ready === null ? null : { ...ready, since: world.clock - 1 };
  const isDue = target === null && isTimed(world, lane);
  return { type: "heard", sessionId: lane.id, target, isDue };
}

/** The answer to a read of the lane. */
export function readOf(world: World, lane: StoredLane): Extract<Input, { type: "looked" }> {
  const isDue = isTimed(world, lane);
  return { type: "looked", sessionId: lane.id, target: targetOf(lane), isDue };
}

/** True if the lane needs a tick now or later. */
function isTimed({ budget }: World, { prompts, run, isOverdue }: StoredLane): boolean {
  return isOverdue || (budget.times > 0 && (prompts > 0 || run !== null));
}

/** Changes the stored lane, and keeps `since` as the store does. */
export function commit(world: World, lane: StoredLane, change: () => void): void {
  change();
  const at = world.clock++;
  if (wantsOf(lane) === null) lane.since = null;
  else lane.since ??= at;
}

export function laneOf(world: World, sessionId: string): StoredLane {
  const lane = world.lanes.find(({ id }) => id === sessionId);
  if (lane === undefined) throw new Error(`there is no lane ${sessionId}`);
  return lane;
}

export interface Play {
  readonly world: World;
  readonly step: typeof step;
  readonly fail: (problem: string) => void;
}

/** Gives the input to the scheduler, and keeps its effects as pending work. */
export function dispatch(play: Play, input: Input): void {
  const { state } = play.world;
  // Exclusive work needs no place, so it is claimed even if the window is not complete.
  const isNews = input.type === "heard" && input.target?.wants !== "work";
  const waited = new Set([...state.waiting.keys(), ...state.fresh.keys()]);
  const isNew =
    isNews &&
    !state.isComplete &&
    !waited.has(input.sessionId) &&
    !state.lanes.has(input.sessionId);
  const effects = play.step(state, input);
  if (isNew && (state.waiting.has(input.sessionId) || state.lanes.has(input.sessionId)))
    play.fail("S3: a signal adds a lane to the window");
  if (input.type === "heard") {
    const isForgotten = (id: string): boolean => {
      const target = targetOf(laneOf(play.world, id));
      const isKnown = state.waiting.has(id) || state.fresh.has(id) || state.lanes.has(id);
      return target !== null && !isKnown && !state.absent.has(target.directory);
    };
    if ([...waited].some(isForgotten)) play.fail("S2: a signal removes a ready lane");
  }
  for (const effect of effects) carryOut(play, effect, input);
}

function carryOut(play: Play, effect: Effect, input: Input): void {
  const { world, fail } = play;
  const { state, pending, pins } = world;
  switch (effect.type) {
    case "send": {
      if (input.type !== "accept") fail("a send follows an accept only");
      const lane = laneOf(world, effect.sessionId);
      commit(world, lane, () => (lane.prompts += 1));
      const signal = signalOf(world, lane);
      const { target } = signal;
      const owner = state.node ?? "";
      if (effect.starts && target !== null) pending.push({ kind: "claim", target, owner });
      else dispatch(play, signal);
      return;
    }
    case "claim": {
      if (state.node === null) fail("S5: a claim without a lease");
      if (state.mode === "draining" || state.mode === "drained") fail("S6: a claim in a drain");
      if (isOvertaking(world, effect.target, input)) fail("S2: a lane overtakes an older one");
      pending.push({ kind: "claim", target: effect.target, owner: state.node ?? "" });
      world.pins = pins.filter((id) => id !== effect.target.sessionId);
      return;
    }
    case "scan":
      pending.push({ kind: "scan", scan: effect });
      return;
    case "look":
    case "giveUp":
      pending.push({ kind: effect.type, sessionId: effect.sessionId });
      return;
    case "begin":
      pending.push({ kind: "execution", sessionId: effect.sessionId, isAbandoned: false });
      return;
    case "abandon":
      world.pending = pending.map((one) =>
        one.kind === "execution" && one.sessionId === effect.sessionId
          ? { ...one, isAbandoned: true }
          : one,
      );
      return;
    case "giveBack":
      if (!pins.includes(effect.sessionId)) fail("S8: something is given back that nobody has");
      world.pins = pins.filter((id) => id !== effect.sessionId);
      return;
    case "ready":
      if (world.isReady) fail("ready comes twice");
      world.isReady = true;
      return;
    case "drained":
      if (world.isDrained) fail("drained comes twice");
      world.isDrained = true;
      return;
    case "resume":
    case "handOver":
  }
}

/**
 * True if an older lane waits that could have had the place of the claimed one. A lane whose directory has just been
 * loaded waits too, even if the scheduler reads it first.
 */
function isOvertaking(world: World, claimed: Target, input: Input): boolean {
  const { state } = world;
  const loaded = input.type === "loaded" ? targetOf(laneOf(world, input.sessionId)) : null;
  const isRead = loaded !== null && state.lanes.get(loaded.sessionId)?.phase.at === "looking";
  if (claimed.wants === "work") return false;
  const sinceOf = ({ sessionId, since }: Target): number =>
    world.isExact ? (laneOf(world, sessionId).since ?? since) : since;
  const isLoading = (directory: string): boolean =>
    [...state.lanes.values()].some(
      ({ phase }) => phase.at === "loading" && phase.target.directory === directory,
    );
  return [...state.waiting.values(), ...(isRead ? [loaded] : [])].some((waiting) => {
    const { directory, wants } = waiting;
    const own = directory === claimed.directory ? 1 : 0;
    const isBlocked =
      state.absent.has(directory) ||
      isLoading(directory) ||
      (state.used.get(directory) ?? 0) - own >= state.limits.perDirectory ||
      (wants === "takeOver" && state.gate !== null);
    return sinceOf(waiting) < sinceOf(claimed) && !isBlocked;
  });
}

/**
 * The time of a signal is that of the lane's last event. The scheduler needs another scan to learn since when a lane is
 * ready if it has missed an earlier signal, or has left the lane out because of its directory or a timed change.
 */
function isExact({ lost = 0, absences = 0, loads = 0, times = 0 }: Partial<Budget>): boolean {
  return lost + absences + loads + times === 0;
}

export function unclaim(play: Play, sessionId: string, why: Unclaimed): void {
  dispatch(play, { type: "unclaimed", sessionId, why });
}
