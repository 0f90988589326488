import type { Agent } from "../agent/agent.ts";
import { attention, isIdle } from "../kernel/attention.ts";
import type { AcceptLimits } from "../kernel/command.ts";
import type { LaneState } from "../kernel/state.ts";
import type { Answer } from "../kernel/transaction.ts";
import type { StoreError } from "../store/store-error.ts";
import type { PendingLane, Store, StoreRequest } from "../store/store.ts";
import type { Workspaces } from "../workspace/workspaces.ts";
import { acceptAndStart } from "./accept-and-start.ts";
import type { Claim } from "./claim.ts";
import { createClaimer } from "./claimer.ts";
import type { ClaimTarget } from "./claimer.ts";
import { createConversations } from "./conversation.ts";
import { createDeltaHub } from "./delta-hub.ts";
import type { DeltaHub } from "./delta-hub.ts";
import { executeRun } from "./execution.ts";
import type { Execution } from "./execution.ts";
import { createLaneHub } from "./lane-hub.ts";
import type { LaneHub } from "./lane-hub.ts";
import { createLaterLooks } from "./later-looks.ts";
import { keepLease } from "./lease.ts";
import { createRecoveryGate } from "./recovery-gate.ts";
import type { RunSettings } from "./run-limits.ts";
import { createPresence } from "./nodes/presence.ts";
import { createScanner } from "./scanner.ts";
import { createSlots } from "./slots.ts";
import { createTitles } from "./titles.ts";
import { abandonWork, executeWork } from "./work-execution.ts";
import type { WorkHandlers } from "./work-handler.ts";

export interface RunnerOptions extends RunSettings {
  readonly store: Store;
  readonly agent: Agent;
  readonly workspaces: Workspaces;
  /** Exclusive work that this process can do (M8). */
  readonly works: WorkHandlers;
  /** Concurrent runs of this process. */
  readonly maxRuns: number;
  readonly maxRunsPerDirectory: number;
  readonly acceptLimits: AcceptLimits;
  readonly leaseTtl: number;
  readonly renewEvery: number;
  /** How long a lost signal can cost. */
  readonly pollEvery: number;
  /** Sessions without a title get one when their first run begins. */
  readonly titles: boolean;
  readonly newId: (kind: string) => string;
  /** Which sessions this process may work on; all of them if left out. */
  readonly scope?: (state: LaneState) => Promise<boolean>;
  /**
   * Whether a session's directory is on this machine: what is elsewhere is left to others. Left out,
   * every directory is taken to be here.
   */
  readonly isPresent?: (directory: string) => Promise<boolean>;
  /** A new lease after a lost one: what others have done meanwhile, this process may have missed. */
  readonly onRejoined?: () => void;
  /** The store has changed beyond this program: it can work on nothing any more, and should end. */
  readonly onOutdated?: (error: StoreError) => void;
  readonly onError: (error: unknown) => void;
}

export interface Runner {
  readonly lanes: LaneHub;
  readonly deltas: DeltaHub;
  /** Resolves when it is decided what becomes of every run that others have left. */
  readonly ready: Promise<void>;
  /** Carries out what somebody wants; a prompt's run may start with the commit that accepts it. */
  send(request: StoreRequest): Promise<Answer>;
  /** The id under which this process owns lanes; null while it has no lease. */
  nodeId(): string | null;
  /** Whether it is such an id, or was one. */
  isOwn(nodeId: string): boolean;
  /**
   * Takes no new runs, gives active ones until the deadline, hands the rest over (M9). `beforeLeave`
   * comes when the runs are gone and the lease is not.
   */
  drain(options: { deadline: number; beforeLeave: () => Promise<void> }): Promise<void>;
  /** No more hints: for when nobody waits for anything here any more. */
  close(): void;
  /** Lanes with work that is outside of this runner's scope. */
  unfinished(): Promise<readonly PendingLane[]>;
  activeRuns(): readonly ActiveRun[];
  /** Directories that lanes wait for and that are not on this machine. */
  absent(): readonly string[];
}

export interface ActiveRun {
  readonly sessionId: string;
  readonly runId: string;
}

/** Works on runnable lanes until it is drained. Level-triggered: it acts on durable state (L3). */
export async function startRunner(options: RunnerOptions): Promise<Runner> {
  const { store, works, newId, onError } = options;
  const inScope = options.scope ?? (() => Promise.resolve(true));
  const lanes = createLaneHub();
  const deltas = createDeltaHub();
  const conversations = createConversations(store);
  const titles = options.titles ? createTitles(options) : null;
  const executions = new Map<string, Execution>();
  /** Lanes that are being claimed: neither free nor at work yet. */
  const claims = new Set<string>();
  /** Those of them that somebody wanted looked at meanwhile. */
  const changedInClaim = new Set<string>();
  /** What is being looked at: a drain waits for it. */
  const looks = new Set<Promise<void>>();
  let draining = false;

  const rescan = (): void => scanner.request();
  const slots = createSlots(
    { total: options.maxRuns, perDirectory: options.maxRunsPerDirectory },
    rescan,
  );
  const recovery = createRecoveryGate(rescan);
  const presence = createPresence({ isPresent: options.isPresent ?? null, onFound: rescan });

  const lease = await keepLease({
    store,
    ttl: options.leaseTtl,
    renewEvery: options.renewEvery,
    newNodeId: () => newId("node"),
    onJoined: () => {
      options.onRejoined?.();
      rescan();
    },
    onRenewed: (owned) => {
      for (const lane of owned) {
        if (executions.has(lane.sessionId))
          lanes.signal({ kind: "lane", ...lane, wantsNothing: false, isForeign: false });
        else void track(giveUp(lane.sessionId));
      }
    },
    onLost: () => {
      for (const execution of executions.values()) execution.abandon();
    },
    onOutdated: (error) => options.onOutdated?.(error),
    onError,
  });
  const closing = new AbortController();
  const claimer = createClaimer(options, {
    slots,
    recovery,
    nodeId: lease.nodeId,
    isPresent: (directory) => presence.check(directory),
    closing: closing.signal,
    onLoaded: rescan,
  });

  /**
   * A lane in this process's name that nobody here works on: the answer to a claim was lost, or an
   * execution broke down with the store. Given up, it is ready for anybody, this process included;
   * exclusive work ends.
   */
  const giveUp = async (sessionId: string): Promise<void> => {
    const nodeId = lease.nodeId();
    const state = await store.lane(sessionId);
    const active = state?.active ?? null;
    if (state === null || active === null || nodeId === null || active.owner !== nodeId) return;
    if (executions.has(sessionId) || claims.has(sessionId)) return;
    if (active.kind === "work") {
      const work = await store.work(sessionId, active.workId);
      if (work !== null) await abandonWork(store, { work, fence: state.fence });
      return;
    }
    const { runId, attempt } = active;
    const handle = { runId, attempt, fence: state.fence };
    const actor = { kind: "node", id: nodeId } as const;
    await store.execute({ command: { type: "run.handOver", sessionId, actor, handle } });
  };

  const execute = async (target: ClaimTarget): Promise<void> => {
    const { sessionId } = target;
    if (draining || executions.has(sessionId)) return;
    if (claims.has(sessionId)) {
      changedInClaim.add(sessionId);
      return;
    }
    await claiming(sessionId, async () => {
      const { wants } = target;
      if (wants === "work") {
        const work = await claimer.claimWork(target);
        if (work !== null) begin(executeWork({ store, lanes, works, newId }, work));
        return;
      }
      const claim = await claimer.claim({ ...target, wants });
      if (claim !== null) beginRun(claim);
    });
  };
  /** One at a time of a lane. */
  const claiming = async (sessionId: string, work: () => Promise<void>): Promise<void> => {
    claims.add(sessionId);
    try {
      await work();
    } finally {
      claims.delete(sessionId);
      // What the claim was decided on may be outdated.
      if (changedInClaim.delete(sessionId) && !executions.has(sessionId)) look(sessionId);
    }
  };
  const beginRun = (claim: Claim): void => {
    const parts = { store, agent: options.agent, lanes, deltas, conversations };
    const limits = options.acceptLimits;
    begin(executeRun({ ...parts, limits, checkLease: lease.check }, claim));
    if (claim.pin !== null) titles?.begun(claim.state, claim.pin.workspace);
  };
  const begin = (execution: Execution): void => {
    executions.set(execution.sessionId, execution);
    // Claimed while the drain began, or the lease ended: it must not be overlooked.
    if (draining) execution.handOver(0);
    if (lease.nodeId() === null) execution.abandon();
    execution.done.catch(onError).finally(() => {
      executions.delete(execution.sessionId);
      recovery.leave(execution.sessionId);
      look(execution.sessionId);
    });
  };

  /** One lane, after a hint: quicker than a scan, and never needed for one. */
  const lookAt = async (sessionId: string): Promise<void> => {
    const state = await store.lane(sessionId);
    if (state === null || !(await inScope(state))) return;
    recovery.look(state);
    const { ready, dueAt } = attention(state);
    const { directory } = state;
    if (ready !== null) await execute({ sessionId, directory, wants: ready });
    if (dueAt !== null) rescan();
  };
  const track = (work: Promise<void>): Promise<void> => {
    const tracked = work.catch(onError).finally(() => looks.delete(tracked));
    looks.add(tracked);
    return tracked;
  };
  const look = (sessionId: string): void => {
    if (!draining) void track(lookAt(sessionId));
  };

  const accept = (request: StoreRequest, state: LaneState): Promise<Answer> => {
    const foreseen = claimer.foresee(state);
    const parts = { store, foreseen, isDraining: () => draining, onError };
    const { answer, claim } = acceptAndStart(request, parts);
    const work = async (): Promise<void> => {
      const claimed = await claim;
      if (claimed !== null) beginRun(claimed);
    };
    void track(claiming(state.sessionId, work));
    return answer;
  };
  const send = (request: StoreRequest): Promise<Answer> => {
    const { type, sessionId } = request.command;
    const isFree = !draining && !executions.has(sessionId) && !claims.has(sessionId);
    const mayStart = type === "prompt.accept" && isFree && options.scope === undefined;
    const state = mayStart ? store.peek(sessionId) : null;
    return state !== null && isIdle(state) ? accept(request, state) : store.execute(request);
  };

  const attend = async (lane: PendingLane): Promise<void> => {
    const { sessionId, directory, wants } = lane;
    if (wants === "tick") {
      const actor = { kind: "node", id: lease.nodeId() ?? "node" } as const;
      await store.execute({ command: { type: "lane.tick", sessionId, actor } });
      return;
    }
    if (options.scope !== undefined || wants === "takeOver") {
      const state = await store.lane(sessionId);
      if (state === null || !(await inScope(state))) return;
      if (wants === "takeOver" && state.active?.kind === "work") {
        await claimer.releaseWork(sessionId);
        return;
      }
    }
    await execute({ sessionId, directory, wants });
  };
  const scan = async (): Promise<number | null> => {
    // What another scope must pass over may stand before what it is looking for.
    const spare = options.scope === undefined ? scanSpare : scanLimit - slots.free;
    const limit = Math.min(scanLimit, slots.free + spare);
    // What nobody here would take must not stand before what somebody would.
    const wants: PendingLane["wants"][] = recovery.isOpen()
      ? ["start", "work", "tick", "takeOver"]
      : ["start", "work", "tick"];
    const full = slots.full();
    const { lanes: waiting, nextDueIn } = await store.pending({
      limit,
      full: full === "all" ? full : [...full, ...claimer.loading()],
      absent: presence.absent(),
      wants,
    });
    const attended = Promise.all(waiting.map((lane) => track(attend(lane))));
    // A claim may wait for a directory to load: what is due elsewhere does not wait for it.
    await within(options.pollEvery, attended);
    return nextDueIn;
  };
  const scanner = createScanner({ scan, pollEvery: options.pollEvery, onError });
  const stopWatching = store.watch((signal) => lanes.signal(signal));
  const laterLooks = createLaterLooks(look);
  const stopListening = lanes.listenAll((signal) => {
    if (signal.kind === "missed") {
      rescan();
      return;
    }
    const { sessionId, wantsNothing, isForeign } = signal;
    laterLooks.heard(signal);
    if (executions.has(sessionId) ? recovery.isOpen() : wantsNothing) return;
    if (isForeign) laterLooks.plan(signal);
    else look(sessionId);
  });
  const firstLook = async (): Promise<void> => {
    await scanner.first;
    await Promise.all(looks);
  };
  rescan();

  return {
    lanes,
    deltas,
    ready: firstLook(),
    send,
    nodeId: lease.nodeId,
    isOwn: lease.isOwn,
    activeRuns: () =>
      [...executions.values()].flatMap(({ sessionId, runId }) =>
        runId === null ? [] : [{ sessionId, runId }],
      ),
    absent: () => presence.absent(),
    unfinished: async () => {
      const { lanes: waiting } = await store.pending({ limit: scanLimit });
      const others = await Promise.all(
        waiting.map(async ({ sessionId }) => {
          const state = await store.lane(sessionId);
          return state !== null && !(await inScope(state));
        }),
      );
      return waiting.filter((_, index) => others[index] === true);
    },
    drain: async ({ deadline, beforeLeave }) => {
      draining = true;
      closing.abort();
      presence.close();
      titles?.close();
      stopListening();
      laterLooks.close();
      await scanner.stop();
      await Promise.all(looks);
      const left = [...executions.values()];
      const ended = Promise.all(left.map(({ done }) => done.catch(() => {})));
      for (const execution of left) execution.handOverAsking(handOverGrace);
      if (!(await within(deadline, ended))) {
        for (const execution of left) execution.handOver(handOverGrace);
        await ended;
      }
      await beforeLeave();
      await lease.stop();
    },
    close: stopWatching,
  };
}

/** How many waiting lanes a scan looks at, at most; the longest waiting come first. */
const scanLimit = 1_000;
/** How many it looks at beyond the places that it could fill: for what needs none. */
const scanSpare = 100;
/** How long a draining process waits for an agent before it gives the run away without it. */
const handOverGrace = 1_000;

async function within(milliseconds: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
