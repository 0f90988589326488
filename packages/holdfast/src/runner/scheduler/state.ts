// The scheduler's state: plain data, one record per lane. `step` is the only writer.

/** A lane that needs an action, as the store or a signal describes it. */
export interface Target {
  readonly sessionId: string;
  readonly directory: string;
  /**
   * `start`: run the lane's first prompt. `work`: execute the lane's first exclusive operation, such as an undo.
   * `takeOver`: continue a run without an owner.
   */
  readonly wants: "start" | "work" | "takeOver";
  /** Time by the store's clock at which the lane became ready. */
  readonly since: number;
}

/** The activity of this process on a lane. Each lane has at most one phase (S4). */
export type Phase =
  /** The lane's state is being read. */
  | { readonly at: "looking" }
  /** A claim is in progress. It holds a slot, except for an exclusive operation. */
  | { readonly at: "claiming"; readonly target: Target }
  /** The lane's directory is being loaded. The lane holds no slot during this time. */
  | { readonly at: "loading"; readonly target: Target }
  /** A run or an exclusive operation is executing here. */
  | { readonly at: "active"; readonly directory: string; readonly place: Place };

/**
 * State of a run's slot. `lent`: the run waits for a person or a child. `returning`: the run wants its slot back.
 * `none`: an exclusive operation, or a run that can only report that its directory cannot be loaded.
 */
export type Place = "held" | "lent" | "returning" | "none";

export interface Lane {
  readonly phase: Phase;
  /** True if the lane may have changed during its current phase: read the lane when that phase ends. */
  readonly again: boolean;
}

export interface SchedulerLimits {
  readonly places: number;
  readonly perDirectory: number;
  /** Maximum number of ready lanes that one scan reads from the store. */
  readonly window: number;
}

/**
 * `starting`: before the first scan of the store for ready lanes. `recovering`: the lanes that this first scan found are
 * being claimed. `drained`: no lane has a phase any more.
 */
export type Mode = "starting" | "recovering" | "working" | "draining" | "drained";

/** Lanes that a scan leaves out because they cannot start now, so that they do not use up its limit. */
export interface Exclusion {
  readonly directories: ReadonlySet<string>;
  readonly takeOvers: boolean;
}

export interface SchedulerState {
  readonly limits: SchedulerLimits;
  /** The node id of this process's lease; null: no lease. */
  node: string | null;
  mode: Mode;
  readonly lanes: Map<string, Lane>;
  /** Ready lanes on which this process is not working yet, oldest first. */
  waiting: Map<string, Target>;
  /** True if `waiting` has all ready lanes, except those that the last scan of the store left out (S3). */
  isComplete: boolean;
  /** Runs that want their slot back, in the order of their requests. */
  readonly returning: Set<string>;
  /** Directories that are not on this machine. */
  readonly absent: Set<string>;
  /** The lane whose run is being taken over or retried after a crash; other takeovers wait. Null: none (S7). */
  gate: string | null;
  /** Lanes that this process failed to claim; skipped until the next signal or poll. */
  readonly passed: Set<string>;
  scan: "none" | "running" | "again";
  /** Lanes that the last scan of the store left out, such as lanes of a directory without a free slot. */
  excluded: Exclusion;
  /**
   * True if a new scan may find more lanes: after the last scan began, a lane left `waiting`, a claim had its outcome, or
   * a lane became ready that could not be added to `waiting` (S3).
   */
  mayFindMore: boolean;
  /** Lanes that became ready, or ready again, after the running scan was requested: its result may lack them. */
  readonly fresh: Map<string, Target>;
  /** Number of held slots by directory, and in total. Derived from `lanes` and kept for speed. */
  readonly used: Map<string, number>;
  usedTotal: number;
}

export function openScheduler(limits: SchedulerLimits): SchedulerState {
  return {
    limits,
    node: null,
    mode: "starting",
    lanes: new Map(),
    waiting: new Map(),
    isComplete: false,
    returning: new Set(),
    absent: new Set(),
    gate: null,
    passed: new Set(),
    scan: "none",
    excluded: { directories: new Set(), takeOvers: false },
    mayFindMore: false,
    fresh: new Map(),
    used: new Map(),
    usedTotal: 0,
  };
}

/** Returns true if this process may claim lanes: it has a lease and is not stopping (S5, S6). */
export function isWorking({ node, mode }: SchedulerState): boolean {
  return node !== null && mode !== "draining" && mode !== "drained";
}

export function fits(state: SchedulerState, directory: string): boolean {
  const { places, perDirectory } = state.limits;
  return state.usedTotal < places && (state.used.get(directory) ?? 0) < perDirectory;
}

/** Returns true if a session in this phase occupies one of the limited slots for runs. */
export function holdsPlace(phase: Phase): boolean {
  if (phase.at === "claiming") return phase.target.wants !== "work";
  return phase.at === "active" && phase.place === "held";
}

export function directoryOf(phase: Phase): string | null {
  if (phase.at === "looking") return null;
  return phase.at === "active" ? phase.directory : phase.target.directory;
}

/** Sets or removes a lane's phase and updates the number of slots in use. Every change of a phase goes through here. */
export function setPhase(
  state: SchedulerState,
  sessionId: string,
  phase: Phase | null,
): Lane | undefined {
  const old = state.lanes.get(sessionId);
  if (old !== undefined) count(state, old.phase, -1);
  if (phase === null) state.lanes.delete(sessionId);
  else {
    count(state, phase, 1);
    state.lanes.set(sessionId, { phase, again: old?.again === true });
  }
  return old;
}

function count(state: SchedulerState, phase: Phase, change: 1 | -1): void {
  const directory = directoryOf(phase);
  if (directory === null || !holdsPlace(phase)) return;
  state.usedTotal += change;
  const left = (state.used.get(directory) ?? 0) + change;
  if (left === 0) state.used.delete(directory);
  else state.used.set(directory, left);
}
