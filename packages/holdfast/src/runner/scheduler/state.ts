// The scheduler's state: plain data, one record per lane. `step` is the only writer.

/** A lane that needs something, as the store or a signal describes it. */
export interface Target {
  readonly sessionId: string;
  readonly directory: string;
  /**
   * `start`: run the lane's first prompt. `work`: execute the lane's first exclusive operation, such as an undo.
   * `takeOver`: continue a run without an owner.
   */
  readonly wants: "start" | "work" | "takeOver";
  /** Store time at which the lane became ready; null: unknown, sorted last. */
  readonly since: number | null;
}

/** This process's current activity on a lane. Each lane has at most one phase (S4). */
export type Phase =
  /** The lane's state is being read. */
  | { readonly at: "looking" }
  /** A claim is in progress. It holds a slot, except for an exclusive operation. */
  | { readonly at: "claiming"; readonly target: Target }
  /** The lane's directory is being loaded. The lane holds no slot meanwhile. */
  | { readonly at: "loading"; readonly target: Target }
  /** A run or an exclusive operation is executing here. */
  | { readonly at: "active"; readonly directory: string; readonly place: Place };

/**
 * `lent`: the run waits for a person or a child. `returning`: it wants the slot back. `none`: an exclusive operation,
 * or a run that can only report why its directory does not load.
 */
export type Place = "held" | "lent" | "returning" | "none";

export interface Lane {
  readonly phase: Phase;
  /** True if news arrived during the phase: check the lane again when the phase ends. */
  readonly again: boolean;
  /** The `since` of the news that arrived, so that the lane keeps its position in the queue. */
  readonly since: number | null;
}

export interface SchedulerLimits {
  readonly places: number;
  readonly perDirectory: number;
  /** Maximum number of ready lanes that a scan reads. */
  readonly window: number;
}

/**
 * `starting`: before the first scan. `recovering`: the lanes of the first scan are being claimed. `drained`: nothing
 * is left.
 */
export type Mode = "starting" | "recovering" | "working" | "draining" | "drained";

/** Lanes that a scan leaves out because they cannot start now, so that they do not fill the window. */
export interface Exclusion {
  readonly directories: ReadonlySet<string>;
  readonly takeOvers: boolean;
}

export interface SchedulerState {
  readonly limits: SchedulerLimits;
  /** The id of this process's lease; null: no lease. */
  node: string | null;
  mode: Mode;
  readonly lanes: Map<string, Lane>;
  /** Ready lanes without a phase, oldest first. */
  waiting: Map<string, Target>;
  /** True if no ready lane is missing from `waiting`, except for excluded ones (S3). */
  isComplete: boolean;
  /** Runs that want their slot back, in the order of their requests. */
  readonly returning: Set<string>;
  /** Directories that are not on this machine. */
  readonly absent: Set<string>;
  /** The session whose run is on its second attempt; null: the gate is open (S7). */
  gate: string | null;
  /** Lanes that this process failed to claim; skipped until the next signal or poll. */
  readonly passed: Set<string>;
  scan: "none" | "running" | "again";
  /** Exclusions of the last requested scan. */
  excluded: Exclusion;
  /** True if a lane was removed from the window since the last requested scan. */
  isConsumed: boolean;
  /** Lanes with news since the running scan was requested: its result may not contain them. */
  readonly fresh: Set<string>;
  /** Held slots by directory, and in total: derived from `lanes`, kept for speed. */
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
    isConsumed: false,
    fresh: new Set(),
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

/** Returns true if the phase holds a slot. */
export function holdsPlace(phase: Phase): boolean {
  if (phase.at === "claiming") return phase.target.wants !== "work";
  return phase.at === "active" && phase.place === "held";
}

export function directoryOf(phase: Phase): string | null {
  if (phase.at === "looking") return null;
  return phase.at === "active" ? phase.directory : phase.target.directory;
}

/** Sets or removes a lane's phase and counts its slot. Every change of a phase goes through here. */
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
    const { again = false, since = null } = old ?? {};
    state.lanes.set(sessionId, { phase, again, since });
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
