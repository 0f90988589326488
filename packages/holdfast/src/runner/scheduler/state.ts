// The scheduler's state: plain data, one record per lane. `step` is the only writer.

/** A lane that wants something done, as the store or a signal describes it. */
export interface Target {
  readonly sessionId: string;
  readonly directory: string;
  /** start: its first prompt. work: its first exclusive work. takeOver: a run without an owner. */
  readonly wants: "start" | "work" | "takeOver";
  /** Store time at which the lane became ready; null: unknown, goes to the end of the line. */
  readonly since: number | null;
}

/** What this process does with a lane. Each lane has at most one phase (S4). */
export type Phase =
  /** Its state is being read. */
  | { readonly at: "looking" }
  /** A claim is in progress. It holds a place, unless it is for exclusive work. */
  | { readonly at: "claiming"; readonly target: Target }
  /** Its directory is being loaded. It holds no place. */
  | { readonly at: "loading"; readonly target: Target }
  /** A run or exclusive work executes here. */
  | { readonly at: "active"; readonly directory: string; readonly place: Place };

/**
 * lent: the run waits for a person or a child. returning: it wants the place back. none: exclusive work,
 * or a run that can only report why its directory does not load.
 */
export type Place = "held" | "lent" | "returning" | "none";

export interface Lane {
  readonly phase: Phase;
  /** News arrived during the phase: look again when it ends. */
  readonly again: boolean;
  /** The `since` of that news, so that the lane keeps its place in the line. */
  readonly since: number | null;
}

export interface SchedulerLimits {
  readonly places: number;
  readonly perDirectory: number;
  /** The most ready lanes that a scan reads. */
  readonly window: number;
}

/** starting: before the first scan. recovering: its claims are in progress. drained: nothing is left. */
export type Mode = "starting" | "recovering" | "working" | "draining" | "drained";

/** What a scan leaves out, so that lanes that cannot start now do not fill the window. */
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
  /** No ready lane is missing from `waiting`, apart from excluded ones (S3). */
  isComplete: boolean;
  /** Runs that want their place back, in the order in which they asked. */
  readonly returning: Set<string>;
  /** Directories that are not on this machine. */
  readonly absent: Set<string>;
  /** The session whose run is on a second attempt; null: the gate is open (S7). */
  gate: string | null;
  /** Lanes that this process failed to claim; skipped until they are heard of or polled. */
  readonly passed: Set<string>;
  scan: "none" | "running" | "again";
  /** What the last requested scan left out. */
  excluded: Exclusion;
  /** A lane was taken out of the window since the last requested scan. */
  isConsumed: boolean;
  /** Lanes heard of since the running scan was requested: its result may not contain them. */
  readonly fresh: Set<string>;
  /** Held places by directory, and in all: derived from `lanes`, kept for speed. */
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

export function fits(state: SchedulerState, directory: string): boolean {
  const { places, perDirectory } = state.limits;
  return state.usedTotal < places && (state.used.get(directory) ?? 0) < perDirectory;
}

/** Whether the phase holds a place. */
export function holdsPlace(phase: Phase): boolean {
  if (phase.at === "claiming") return phase.target.wants !== "work";
  return phase.at === "active" && phase.place === "held";
}

export function directoryOf(phase: Phase): string | null {
  if (phase.at === "looking") return null;
  return phase.at === "active" ? phase.directory : phase.target.directory;
}

/** Sets or removes a lane's phase, and counts its place. Every change of a phase goes through here. */
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
