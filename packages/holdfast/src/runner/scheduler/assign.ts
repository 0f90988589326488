import type { Effect } from "./input.ts";
import { fits, isWorking, setPhase } from "./state.ts";
import type { Exclusion, SchedulerState, Target } from "./state.ts";
import { removeWaiting } from "./waiting.ts";

/** Gives free slots to runs and lanes (S1, S2, S7), and requests a scan if `waiting` may lack lanes that could start. */
export function assign(state: SchedulerState, effects: Effect[]): void {
  returnPlaces(state, effects);
  if (!isWorking(state)) return;
  if (state.waiting.size > 0) claimWaiting(state, effects);
  refill(state, effects);
}

/** Requests a scan of the store for ready lanes (S3). If a scan is running, another one follows it. */
export function requestScan(state: SchedulerState, effects: Effect[]): void {
  if (!isWorking(state)) return;
  if (state.scan !== "none") {
    state.scan = "again";
    return;
  }
  const excluded = exclusionOf(state);
  // The new scan may find older lanes that the last one left out: so far, `waiting` lacks them (S2).
  if (excludesMore(state.excluded, excluded)) state.isComplete = false;
  state.scan = "running";
  state.excluded = excluded;
  state.mayFindMore = false;
  const full = [...excluded.directories].filter((one) => !state.absent.has(one));
  effects.push({
    type: "scan",
    limit: state.limits.window,
    full,
    absent: [...state.absent],
    takeOvers: !excluded.takeOvers,
  });
}

function returnPlaces(state: SchedulerState, effects: Effect[]): void {
  for (const sessionId of state.returning) {
    const phase = state.lanes.get(sessionId)?.phase;
    if (phase?.at !== "active" || !fits(state, phase.directory)) continue;
    state.returning.delete(sessionId);
    setPhase(state, sessionId, { ...phase, place: "held" });
    effects.push({ type: "resume", sessionId });
  }
}

function claimWaiting(state: SchedulerState, effects: Effect[]): void {
  if (state.usedTotal >= state.limits.places) return;
  const loading = loadingDirectories(state);
  for (const target of state.waiting.values()) {
    if (isEligible(state, target, loading)) claim(state, target, effects);
    if (state.usedTotal >= state.limits.places) return;
  }
}

function isEligible(
  state: SchedulerState,
  { directory, wants }: Target,
  loading: ReadonlySet<string>,
): boolean {
  if (wants === "takeOver" && state.gate !== null) return false;
  return !state.absent.has(directory) && !loading.has(directory) && fits(state, directory);
}

function claim(state: SchedulerState, target: Target, effects: Effect[]): void {
  const { sessionId, wants } = target;
  removeWaiting(state, sessionId);
  if (wants === "takeOver") state.gate = sessionId;
  setPhase(state, sessionId, { at: "claiming", target });
  effects.push({ type: "claim", target });
}

/**
 * Requests a scan if it could find more lanes to start. If `waiting` is complete: scan if a lane that the last scan left
 * out may start now. If `waiting` is incomplete: scan if a slot is free or `waiting` has fewer lanes than there are
 * slots, and if the result can differ from that of the last scan.
 */
function refill(state: SchedulerState, effects: Effect[]): void {
  if (state.scan !== "none") return;
  // The usual case, decided without a loop over all lanes: `waiting` is complete, and the last scan left out nothing.
  if (state.isComplete && excludesNothing(state.excluded)) return;
  const last = state.excluded;
  const now = blockedNow(state);
  const isFreed = excludesMore(last, now);
  if (state.isComplete) {
    if (isFreed) requestScan(state, effects);
    return;
  }
  const { places } = state.limits;
  const isLow = state.usedTotal < places || state.waiting.size < places;
  const canDiffer = state.mayFindMore || isFreed || excludesMore(now, last);
  if (isLow && canDiffer) requestScan(state, effects);
}

/**
 * Returns the lanes that the next scan leaves out: lanes whose directory is not on this machine and, if `waiting` does
 * not have all ready lanes, also all other lanes that cannot start now.
 */
function exclusionOf(state: SchedulerState): Exclusion {
  if (!state.isComplete) return blockedNow(state);
  return { directories: new Set(state.absent), takeOvers: false };
}

function blockedNow(state: SchedulerState): Exclusion {
  const directories = loadingDirectories(state);
  for (const [directory, used] of state.used) {
    if (used >= state.limits.perDirectory) directories.add(directory);
  }
  for (const directory of state.absent) directories.add(directory);
  return { directories, takeOvers: state.gate !== null };
}

function excludesNothing({ directories, takeOvers }: Exclusion): boolean {
  return directories.size === 0 && !takeOvers;
}

/** Returns true if `left` excludes lanes that `right` does not. */
function excludesMore(left: Exclusion, right: Exclusion): boolean {
  if (left.takeOvers && !right.takeOvers) return true;
  return [...left.directories].some((directory) => !right.directories.has(directory));
}

function loadingDirectories(state: SchedulerState): Set<string> {
  const loading = new Set<string>();
  for (const { phase } of state.lanes.values()) {
    if (phase.at === "loading") loading.add(phase.target.directory);
  }
  return loading;
}
