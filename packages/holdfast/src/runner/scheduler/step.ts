import { accept } from "./accept.ts";
import { assign, requestScan } from "./assign.ts";
import type { Effect, Input, LaneNews, Unclaimed } from "./input.ts";
import { holdsPlace, isWorking, setPhase } from "./state.ts";
import type { Lane, Phase, SchedulerState, Target } from "./state.ts";
import { insert, keepDuringScan, reinsert, removeWaiting } from "./waiting.ts";

// Decides which lane (a session's queue) gets a slot (a "place" in the code), and when. Pure: no clock, no I/O.
// The runner executes the effects and reports their outcomes as inputs. A signal reports a changed lane. A scan reads
// the ready lanes from the store, oldest first.
// S1 Slots: claims and held slots never exceed `places`, nor `perDirectory` in a directory. An exclusive
// operation needs no slot.
// S2 Order: slots go first to runs that want theirs back, then to waiting lanes, oldest first. A lane is
// skipped only if its directory is full, absent or loading, if it is a takeover and S7 makes it wait, or if
// this process failed to claim it and nothing has changed since.
// S3 Window: while `waiting` does not have all ready lanes, signals add no lanes. A later scan finds them.
// S4 One phase (read, claim, load or active) per lane: news during a phase sets `again`, to read the lane later.
// S5 Lease: without a lease no lane is claimed; losing the lease abandons all active lanes, and later those whose
// claim was on its way.
// S6 Drain: no slot is assigned. A run is handed over as soon as it only waits for answers; at the deadline, all
// other runs are handed over.
// S7 Gate: after a crash, runs are retried one by one; other takeovers wait until the retried run commits a step (R3).
// S8 No leak: each claim and each load of a directory ends with effect `begin` or `giveBack`, or input `unclaimed`.

/**
 * Processes one input, updates the state, and returns the effects that the runner must execute, in this order.
 */
export function step(state: SchedulerState, input: Input): Effect[] {
  const effects: Effect[] = [];
  const changed = input.type === "loaded" && state.lanes.get(input.sessionId)?.again === true;
  take(state, input, effects);
  assign(state, effects);
  if (input.type === "loaded") finishLoad(state, { ...input, changed }, effects);
  finishMode(state, effects);
  return effects;
}

function take(state: SchedulerState, input: Input, effects: Effect[]): void {
  switch (input.type) {
    case "accept":
      return accept(state, input, effects);
    case "heard":
      heard(state, input, effects);
      if (input.isDue) requestScan(state, effects);
      return;
    case "looked":
      looked(state, input, effects);
      if (input.isDue) requestScan(state, effects);
      return;
    case "hint":
      return hint(state, input.sessionId, effects);
    case "scanned":
      return scanned(state, input, effects);
    case "scanFailed":
      state.scan = "none";
      state.fresh.clear();
      state.isComplete = false;
      return;
    case "claimed":
      return claimed(state, input, effects);
    case "unclaimed":
      return unclaimed(state, input, effects);
    case "loading":
      return loading(state, input.sessionId);
    case "loaded":
      return loaded(state, input.sessionId);
    case "ticked":
      // The lane may be ready now, and its signal adds it to `waiting` only if the window is complete (S3).
      state.mayFindMore = true;
      return;
    case "lent":
    case "returning":
      return movePlace(state, input);
    case "stepped":
      return leaveGate(state, input.sessionId);
    case "ended":
      return ended(state, input, effects);
    case "present":
      // Lanes of this directory may be missing in `waiting`, even if no scan has excluded them.
      if (state.absent.delete(input.directory)) requestScan(state, effects);
      return;
    case "leased":
      state.node = input.node;
      return requestScan(state, effects);
    case "leaseLost":
      return loseLease(state, effects);
    case "owned":
      return owned(state, input.sessionIds, effects);
    case "poll":
      state.passed.clear();
      return requestScan(state, effects);
    case "drain":
      return drain(state, effects);
    case "deadline":
      for (const sessionId of activeLanes(state)) {
        effects.push({ type: "handOver", sessionId, when: "now" });
      }
  }
}

function heard(state: SchedulerState, news: LaneNews, effects: Effect[]): void {
  const { sessionId, target } = news;
  const lane = state.lanes.get(sessionId);
  state.passed.delete(sessionId);
  if (lane === undefined) {
    updateWaiting(state, news, effects);
    return;
  }
  // The read in progress may have started before this signal, so the lane must be read again.
  const again = target !== null || lane.phase.at === "looking";
  state.lanes.set(sessionId, { ...lane, again });
}

function looked(state: SchedulerState, news: LaneNews, effects: Effect[]): void {
  const lane = endPhase(state, news.sessionId);
  if (lane === null || !isWorking(state)) return;
  if (lane.again) look(state, news.sessionId, effects);
  else updateWaiting(state, news, effects);
  // Scans skip a lane while it is read. If the window is incomplete (S3), only another scan can add the lane.
  if (news.target !== null && !state.isComplete) state.mayFindMore = true;
}

/**
 * Handles what a signal or a read says about a lane on which this process is not working: adds the lane to `waiting`,
 * removes it, or claims its exclusive operation.
 */
function updateWaiting(state: SchedulerState, news: LaneNews, effects: Effect[]): void {
  const { sessionId, target } = news;
  if (target === null) {
    // A signal does not know that the lease of a run's owner has expired. Only a read of the lane does.
    if (state.waiting.has(sessionId) || state.fresh.has(sessionId)) look(state, sessionId, effects);
    return;
  }
  if (!isWorking(state)) return;
  if (target.wants === "work") {
    claimWork(state, target, effects);
    return;
  }
  const isExcluded =
    state.excluded.directories.has(target.directory) ||
    (target.wants === "takeOver" && state.excluded.takeOvers);
  if (isExcluded) return;
  keepDuringScan(state, target);
  if (!state.isComplete) return;
  if (state.waiting.get(sessionId)?.wants !== target.wants) insert(state, target);
}

function hint(state: SchedulerState, sessionId: string, effects: Effect[]): void {
  state.passed.delete(sessionId);
  const lane = state.lanes.get(sessionId);
  if (lane !== undefined) state.lanes.set(sessionId, { ...lane, again: true });
  else if (isWorking(state)) look(state, sessionId, effects);
}

function scanned(
  state: SchedulerState,
  { targets, isWhole }: { targets: readonly Target[]; isWhole: boolean },
  effects: Effect[],
): void {
  const rescans = state.scan === "again";
  const fresh = [...state.fresh.values()];
  state.scan = "none";
  state.fresh.clear();
  if (!isWorking(state)) return;
  if (state.mode === "starting") state.mode = "recovering";
  state.waiting = new Map();
  for (const target of targets) {
    const { sessionId } = target;
    const lane = state.lanes.get(sessionId);
    // The run may be about to end, so that the lane needs this action afterwards.
    if (lane?.phase.at === "active") state.lanes.set(sessionId, { ...lane, again: true });
    if (lane !== undefined || state.passed.has(sessionId)) continue;
    if (target.wants === "work") claimWork(state, target, effects);
    else state.waiting.set(sessionId, target);
  }
  state.isComplete = isWhole;
  // The scan may have read the store before these lanes became ready. Insert them without another read: while a lane's
  // `lane.tick` command is being sent, a scan does not list the lane, but a read finds it ready and requests a scan.
  for (const target of isWhole ? fresh : []) {
    const { sessionId } = target;
    if (!state.waiting.has(sessionId) && !state.lanes.has(sessionId)) insert(state, target);
  }
  if (rescans) requestScan(state, effects);
}

function claimed(
  state: SchedulerState,
  { sessionId, owner, isRetry }: { sessionId: string; owner: string; isRetry: boolean },
  effects: Effect[],
): void {
  const phase = endClaim(state, sessionId);
  if (phase === null) return;
  const { directory } = phase.target;
  const place = holdsPlace(phase) ? "held" : "none";
  setPhase(state, sessionId, { at: "active", directory, place });
  if (!isRetry) leaveGate(state, sessionId);
  effects.push({ type: "begin", sessionId });
  if (state.mode === "draining") effects.push({ type: "handOver", sessionId, when: "now" });
  // The lane was claimed under a lease that is lost, even if there is a new lease.
  if (owner !== state.node) effects.push({ type: "abandon", sessionId });
}

function unclaimed(
  state: SchedulerState,
  { sessionId, why }: { sessionId: string; why: Unclaimed },
  effects: Effect[],
): void {
  const phase = endClaim(state, sessionId);
  if (phase === null) return;
  const again = endPhase(state, sessionId)?.again === true;
  if (why === "absent") {
    const { directory } = phase.target;
    state.absent.add(directory);
    // The lane is no longer in `waiting`. Unless the last scan left out its directory anyway, `waiting` is incomplete
    // until the next scan, which leaves out the directory.
    if (!state.excluded.directories.has(directory)) state.isComplete = false;
  }
  if (!isWorking(state)) return;
  if (again) look(state, sessionId, effects);
  else if (why !== "absent") state.passed.add(sessionId);
}

function loading(state: SchedulerState, sessionId: string): void {
  const phase = state.lanes.get(sessionId)?.phase;
  if (phase?.at !== "claiming") return;
  leaveGate(state, sessionId);
  setPhase(state, sessionId, { at: "loading", target: phase.target });
}

/** Puts the lane back at its old position in `waiting`. */
function loaded(state: SchedulerState, sessionId: string): void {
  const phase = state.lanes.get(sessionId)?.phase;
  if (phase?.at !== "loading") return;
  endPhase(state, sessionId);
  if (!isWorking(state)) return;
  keepDuringScan(state, phase.target);
  reinsert(state, phase.target);
}

/**
 * Releases the config version that was loaded for the lane if the lane got no slot in this step. `changed`: the lane may
 * need another action by now, such as an exclusive operation. So read it, but only after an attempt to claim it: during
 * a read, a younger lane could take the slot (S2).
 */
function finishLoad(
  state: SchedulerState,
  { sessionId, changed }: { sessionId: string; changed: boolean },
  effects: Effect[],
): void {
  const lane = state.lanes.get(sessionId);
  if (lane?.phase.at === "claiming") {
    state.lanes.set(sessionId, { ...lane, again: changed });
    return;
  }
  effects.push({ type: "giveBack", sessionId });
  if (changed && state.waiting.has(sessionId)) look(state, sessionId, effects);
}

/**
 * Call when a claim has its outcome. Returns the lane's phase; null if the lane is not being claimed. Scans list a lane
 * until its claim is committed, so the next scan may have room for another lane (S3).
 */
function endClaim(
  state: SchedulerState,
  sessionId: string,
): Extract<Phase, { target: Target }> | null {
  const phase = state.lanes.get(sessionId)?.phase;
  if (phase?.at !== "claiming" && phase?.at !== "loading") return null;
  state.mayFindMore = true;
  return phase;
}

function movePlace(
  state: SchedulerState,
  { type, sessionId }: { type: "lent" | "returning"; sessionId: string },
): void {
  const phase = state.lanes.get(sessionId)?.phase;
  if (phase?.at !== "active" || phase.place === "none") return;
  if (type === "lent") {
    state.returning.delete(sessionId);
    leaveGate(state, sessionId);
  } else if (phase.place === "lent") state.returning.add(sessionId);
  else return;
  setPhase(state, sessionId, { ...phase, place: type });
}

function ended(
  state: SchedulerState,
  { sessionId, needsNothing }: { sessionId: string; needsNothing: boolean },
  effects: Effect[],
): void {
  const lane = endPhase(state, sessionId);
  if (lane === null || !isWorking(state)) return;
  if (lane.again || !needsNothing) look(state, sessionId, effects);
}

function loseLease(state: SchedulerState, effects: Effect[]): void {
  state.node = null;
  state.isComplete = false;
  state.waiting.clear();
  state.fresh.clear();
  for (const sessionId of activeLanes(state)) effects.push({ type: "abandon", sessionId });
}

/**
 * Gives up lanes that this process owns but does not execute: an execution failed, or the answer to a claim was lost.
 */
function owned(state: SchedulerState, sessionIds: readonly string[], effects: Effect[]): void {
  if (!isWorking(state)) return;
  for (const sessionId of sessionIds) {
    if (state.lanes.has(sessionId)) continue;
    removeWaiting(state, sessionId);
    setPhase(state, sessionId, { at: "looking" });
    effects.push({ type: "giveUp", sessionId });
  }
}

function drain(state: SchedulerState, effects: Effect[]): void {
  if (state.mode === "draining" || state.mode === "drained") return;
  if (state.mode !== "working") effects.push({ type: "ready" });
  state.mode = "draining";
  state.waiting.clear();
  state.fresh.clear();
  for (const sessionId of activeLanes(state)) {
    effects.push({ type: "handOver", sessionId, when: "asking" });
  }
}

/** Ends the recovery or the drain when it has nothing left to wait for. */
function finishMode(state: SchedulerState, effects: Effect[]): void {
  if (state.mode === "draining" && state.lanes.size === 0) {
    state.mode = "drained";
    effects.push({ type: "drained" });
  }
  if (state.mode !== "recovering") return;
  for (const { phase } of state.lanes.values()) if (phase.at !== "active") return;
  state.mode = "working";
  effects.push({ type: "ready" });
}

function look(state: SchedulerState, sessionId: string, effects: Effect[]): void {
  removeWaiting(state, sessionId);
  state.lanes.set(sessionId, { phase: { at: "looking" }, again: false });
  effects.push({ type: "look", sessionId });
}

/** Claims an exclusive operation, unless its directory is absent: then a scan finds it when the directory is present. */
function claimWork(state: SchedulerState, target: Target, effects: Effect[]): void {
  removeWaiting(state, target.sessionId);
  if (state.absent.has(target.directory)) return;
  setPhase(state, target.sessionId, { at: "claiming", target });
  effects.push({ type: "claim", target });
}

function endPhase(state: SchedulerState, sessionId: string): Lane | null {
  leaveGate(state, sessionId);
  state.returning.delete(sessionId);
  return setPhase(state, sessionId, null) ?? null;
}

function leaveGate(state: SchedulerState, sessionId: string): void {
  if (state.gate === sessionId) state.gate = null;
}

function activeLanes(state: SchedulerState): string[] {
  return [...state.lanes].flatMap(([id, { phase }]) => (phase.at === "active" ? [id] : []));
}
