import { step as usualStep } from "../../../src/runner/scheduler/step.ts";
import type { AnyMove, Fail } from "../../support/search.ts";
import { readScan, tickOverdue } from "./scans.ts";
import {
  cloneWorld,
  commit,
  dispatch,
  laneOf,
  openWorld,
  readOf,
  signalOf,
  unclaim,
  wantsOf,
} from "./world.ts";
import type { Budget, Pending, Play, Scenario, StoredLane, World } from "./world.ts";

export interface Move extends AnyMove {
  /** A copy of the world, after the move. */
  readonly run: (fail: Fail) => World;
}

/**
 * `read`: the process makes this move at once, only by reading the store. `steady`: sooner or later, without an outside
 * event. `chance`: perhaps never.
 */
type Likelihood = "read" | "steady" | "chance";

type Add = (label: string, likelihood: Likelihood, act: (play: Play) => void) => void;

/** The scenario's first world: the process has just got its lease. */
export function startOf(scenario: Scenario): World {
  const world = openWorld(scenario);
  takeLease({ world, step: scenario.step ?? usualStep, fail: () => {} });
  return world;
}

/** Everything that may happen next. */
export function movesOf(world: World, scenario: Scenario): Move[] {
  const moves: Move[] = [];
  const step = scenario.step ?? usualStep;
  const add: Add = (label, likelihood, act) => {
    moves.push({
      label,
      isSteady: likelihood !== "chance",
      isImmediate: likelihood === "read",
      run: (fail) => {
        const next = cloneWorld(world);
        act({ world: next, step, fail });
        return next;
      },
    });
  };
  for (const lane of world.lanes) addNews(world, lane, add);
  for (const [index, pending] of world.pending.entries()) addOutcomes(world, pending, index, add);
  addProcess(world, scenario, add);
  return moves;
}

function takeLease(play: Play): void {
  play.world.leases += 1;
  dispatch(play, { type: "leased", node: `node${play.world.leases}` });
}

function spend(play: Play, name: keyof Budget): void {
  play.world.budget[name] -= 1;
}

/** Prompts from elsewhere and through this process, with and without a signal. */
function addNews(world: World, { id }: StoredLane, add: Add): void {
  const { budget, state } = world;
  const isActive = state.mode !== "draining" && state.mode !== "drained";
  const arrive = (play: Play): StoredLane => {
    const lane = laneOf(play.world, id);
    commit(play.world, lane, () => (lane.prompts += 1));
    return lane;
  };
  if (budget.arrivals > 0 && isActive) {
    add(`${id}: a prompt, heard of`, "chance", (play) => {
      spend(play, "arrivals");
      dispatch(play, signalOf(play.world, arrive(play)));
    });
    if (budget.hints > 0) {
      add(`${id}: a prompt, with a hint`, "chance", (play) => {
        spend(play, "arrivals");
        spend(play, "hints");
        arrive(play);
        dispatch(play, { type: "hint", sessionId: id });
      });
    }
    if (budget.lost > 0) {
      add(`${id}: a prompt, signal lost`, "chance", (play) => {
        spend(play, "arrivals");
        spend(play, "lost");
        arrive(play);
      });
    }
  }
  if (budget.works > 0 && isActive) {
    add(`${id}: exclusive work, heard of`, "chance", (play) => {
      spend(play, "works");
      const lane = laneOf(play.world, id);
      commit(play.world, lane, () => (lane.works += 1));
      dispatch(play, signalOf(play.world, lane));
    });
  }
  const stored = laneOf(world, id);
  if (budget.times > 0 && (stored.prompts > 0 || stored.run !== null)) {
    add(`${id}: its time comes`, "chance", (play) => {
      spend(play, "times");
      laneOf(play.world, id).isOverdue = true;
    });
  }
  const isIdle = stored.run === null && stored.prompts === 0 && stored.works === 0;
  if (budget.accepts > 0 && isIdle && isActive) {
    add(`${id}: accept`, "chance", (play) => {
      spend(play, "accepts");
      dispatch(play, { type: "accept", sessionId: id, directory: stored.directory });
    });
  }
  if (stored.run?.owner === "there") {
    add(`${id}: the other node ends it`, "steady", (play) => {
      const lane = laneOf(play.world, id);
      commit(play.world, lane, () => (lane.run = null));
      dispatch(play, signalOf(play.world, lane));
    });
    add(`${id}: the other node dies`, "chance", (play) => {
      const lane = laneOf(play.world, id);
      commit(play.world, lane, () => (lane.run = { owner: "dead", tries: lane.run?.tries ?? 1 }));
    });
  }
}

function addOutcomes(world: World, pending: Pending, index: number, add: Add): void {
  const done = (play: Play): void => void play.world.pending.splice(index, 1);
  switch (pending.kind) {
    case "claim":
      return addClaimOutcomes(world, pending, done, add);
    case "load":
      add(`${pending.sessionId}: loaded`, "steady", (play) => {
        done(play);
        play.world.pins.push(pending.sessionId);
        dispatch(play, { type: "loaded", sessionId: pending.sessionId });
      });
      const { node } = world.state;
      if (wantsOf(laneOf(world, pending.sessionId)) !== null && node !== null) {
        add(`${pending.sessionId}: does not load`, "chance", (play) => {
          done(play);
          take(play, pending.sessionId, node);
        });
      }
      return;
    case "look":
      add(`${pending.sessionId}: looked at`, "read", (play) => {
        done(play);
        dispatch(play, readOf(play.world, laneOf(play.world, pending.sessionId)));
      });
      return;
    case "giveUp":
      add(`${pending.sessionId}: given up`, "steady", (play) => {
        done(play);
        const lane = laneOf(play.world, pending.sessionId);
        const { run } = lane;
        if (run?.owner === "here") {
          commit(play.world, lane, () => (lane.run = { ...run, owner: "nobody" }));
        }
        dispatch(play, readOf(play.world, lane));
      });
      return;
    case "execution":
      return addExecution(world, pending.sessionId, done, add);
    case "end":
      add(`${pending.sessionId}: has ended`, "steady", (play) => {
        done(play);
        const { sessionId, needsNothing } = pending;
        dispatch(play, { type: "ended", sessionId, needsNothing });
      });
      return;
    case "tick":
      add(`${pending.sessionId}: ticked`, "steady", (play) => {
        done(play);
        const lane = laneOf(play.world, pending.sessionId);
        lane.isOverdue = false;
        dispatch(play, signalOf(play.world, lane));
        dispatch(play, { type: "ticked" });
      });
      return;
    case "scan":
      add("scan: answered", "read", (play) => {
        done(play);
        tickOverdue(play.world);
        dispatch(play, { type: "scanned", ...readScan(play.world, pending.scan) });
      });
      if (world.budget.staleScans > 0) {
        add("scan: read", "chance", (play) => {
          spend(play, "staleScans");
          tickOverdue(play.world);
          play.world.pending[index] = { kind: "answer", ...readScan(play.world, pending.scan) };
        });
      }
      if (world.budget.scanFailures > 0) {
        add("scan: fails", "chance", (play) => {
          spend(play, "scanFailures");
          done(play);
          dispatch(play, { type: "scanFailed" });
        });
      }
      return;
    case "answer":
      add("scan: answered late", "read", (play) => {
        done(play);
        const { targets, isWhole } = pending;
        dispatch(play, { type: "scanned", targets, isWhole });
      });
  }
}

/** This process commits the claim of what the lane wants. A claim that was sent under a former lease counts too. */
function take(play: Play, sessionId: string, owner: string): void {
  const lane = laneOf(play.world, sessionId);
  const isCurrent = owner === play.world.state.node;
  const wants = wantsOf(lane);
  const tries = (lane.run?.tries ?? 0) + 1;
  commit(play.world, lane, () => {
    if (wants === "start") lane.prompts -= 1;
    if (wants === "work") lane.works -= 1;
    lane.run = { owner: isCurrent ? "here" : "dead", tries };
  });
  dispatch(play, signalOf(play.world, lane));
  dispatch(play, { type: "claimed", sessionId, owner, isRetry: tries > 1 });
}

function addClaimOutcomes(
  world: World,
  { target, owner }: Extract<Pending, { kind: "claim" }>,
  done: (play: Play) => void,
  add: Add,
): void {
  const { sessionId, wants } = target;
  const { budget } = world;
  const isThere = wantsOf(laneOf(world, sessionId)) === wants;
  const isLeased = world.state.node !== null;
  if (!isThere || !isLeased) {
    add(`${sessionId}: claim refused`, "steady", (play) => {
      done(play);
      unclaim(play, sessionId, "moved");
    });
  }
  if (isThere) {
    add(`${sessionId}: claimed`, isLeased ? "steady" : "chance", (play) => {
      done(play);
      take(play, sessionId, owner);
    });
  }
  if (!isThere || owner !== world.state.node) return;
  if (budget.others > 0) {
    add(`${sessionId}: another node is faster`, "chance", (play) => {
      spend(play, "others");
      done(play);
      const lane = laneOf(play.world, sessionId);
      commit(play.world, lane, () => {
        if (wants === "start") lane.prompts -= 1;
        if (wants === "work") lane.works -= 1;
        lane.run = { owner: "there", tries: (lane.run?.tries ?? 0) + 1 };
      });
      unclaim(play, sessionId, "moved");
    });
    add(`${sessionId}: left to another node`, "chance", (play) => {
      spend(play, "others");
      done(play);
      unclaim(play, sessionId, "elsewhere");
    });
  }
  const isWaitedFor = world.pending.some(
    (other) => other.kind === "load" && other.sessionId === sessionId,
  );
  if (budget.loads > 0 && !isWaitedFor && wants !== "work") {
    add(`${sessionId}: has to load`, "chance", (play) => {
      spend(play, "loads");
      done(play);
      play.world.pending.push({ kind: "load", sessionId });
      dispatch(play, { type: "loading", sessionId });
    });
  }
  if (budget.absences > 0) {
    add(`${sessionId}: its directory is absent`, "chance", (play) => {
      spend(play, "absences");
      done(play);
      unclaim(play, sessionId, "absent");
    });
  }
}

function addExecution(world: World, sessionId: string, done: (play: Play) => void, add: Add): void {
  const phase = world.state.lanes.get(sessionId)?.phase;
  const place = phase?.at === "active" ? phase.place : "none";
  const { budget } = world;
  add(`${sessionId}: ends`, place === "returning" ? "chance" : "steady", (play) => {
    done(play);
    const lane = laneOf(play.world, sessionId);
    // Without a lease nothing is written; the store gives the run to others.
    const isWritten = lane.run?.owner === "here" && play.world.state.node !== null;
    if (isWritten) {
      commit(play.world, lane, () => (lane.run = null));
      dispatch(play, signalOf(play.world, lane));
    }
    const needsNothing = isWritten && wantsOf(lane) === null;
    play.world.pending.push({ kind: "end", sessionId, needsNothing });
  });
  if (budget.breakdowns > 0) {
    add(`${sessionId}: breaks down`, "chance", (play) => {
      spend(play, "breakdowns");
      done(play);
      dispatch(play, { type: "ended", sessionId, needsNothing: false });
    });
  }
  if (world.state.gate === sessionId) {
    add(`${sessionId}: a step`, "steady", (play) => dispatch(play, { type: "stepped", sessionId }));
  }
  if (place === "held" && budget.lends > 0) {
    add(`${sessionId}: lends`, "chance", (play) => {
      spend(play, "lends");
      dispatch(play, { type: "lent", sessionId });
    });
  }
  if (place === "lent") {
    add(`${sessionId}: wants its place back`, "steady", (play) =>
      dispatch(play, { type: "returning", sessionId }),
    );
  }
  if (place === "returning") {
    add(`${sessionId}: unwinds without a place`, "chance", (play) =>
      dispatch(play, { type: "lent", sessionId }),
    );
  }
}

function addProcess(world: World, scenario: Scenario, add: Add): void {
  const { state, budget } = world;
  const isBusy = world.pending.some(({ kind }) => kind !== "execution");
  if (!isBusy && needsPoll(scenario))
    add("poll", "steady", (play) => dispatch(play, { type: "poll" }));
  if (isBusy && budget.polls > 0) {
    add("poll early", "chance", (play) => {
      spend(play, "polls");
      dispatch(play, { type: "poll" });
    });
  }
  for (const directory of state.absent) {
    add(`${directory} is present`, "chance", (play) =>
      dispatch(play, { type: "present", directory }),
    );
  }
  const executed = new Set(
    world.pending.flatMap((one) => (one.kind === "execution" ? [one.sessionId] : [])),
  );
  const orphans = world.lanes.filter(({ id, run }) => run?.owner === "here" && !executed.has(id));
  if (state.node !== null && orphans.length > 0) {
    add("renewal", "steady", (play) =>
      dispatch(play, { type: "owned", sessionIds: orphans.map(({ id }) => id) }),
    );
  }
  if (state.node === null) {
    add("leased", "steady", takeLease);
  } else if (budget.leaseLosses > 0) {
    add("lease lost", "chance", (play) => {
      spend(play, "leaseLosses");
      for (const lane of play.world.lanes) {
        const { run } = lane;
        if (run?.owner === "here") {
          commit(play.world, lane, () => (lane.run = { ...run, owner: "dead" }));
        }
      }
      dispatch(play, { type: "leaseLost" });
    });
  }
  if (budget.drains > 0) {
    add("drain", "chance", (play) => {
      spend(play, "drains");
      dispatch(play, { type: "drain" });
    });
  }
  if (state.mode === "draining") {
    add("deadline", "steady", (play) => dispatch(play, { type: "deadline" }));
  }
}

/**
 * True if the scheduler may have to wait for a poll: after a lost signal, a failed scan, or a claim that is left to
 * another node. In other scenarios no poll comes, so that a forgotten lane is found.
 */
function needsPoll({ budget }: Scenario): boolean {
  const { lost = 0, scanFailures = 0, others = 0 } = budget;
  return lost + scanFailures + others > 0;
}
