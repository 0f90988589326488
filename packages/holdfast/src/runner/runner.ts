import type { Agent } from "../agent/agent.ts";
import { withTimeout } from "../base/time.ts";
import type { Clock } from "../base/time.ts";
import { isIdle } from "../kernel/attention.ts";
import type { Caps } from "../kernel/cap.ts";
import type { AcceptLimits } from "../kernel/command.ts";
import type { LaneState } from "../kernel/state.ts";
import type { Answer } from "../kernel/transaction.ts";
import type { StoreError } from "../store/store-error.ts";
import type { PendingLane, Store, StoreRequest } from "../store/store.ts";
import type { Workspaces } from "../workspace/workspaces.ts";
import { createClaimer } from "./claim.ts";
import { createConversations } from "../log/conversation.ts";
import { createDeltaHub } from "./delta-hub.ts";
import type { DeltaHub } from "./delta-hub.ts";
import { executeRun } from "./execution.ts";
import { createLaneHub } from "../log/lane-hub.ts";
import type { LaneHub } from "../log/lane-hub.ts";
import { createLaneReader } from "./lane-reader.ts";
import { LaneWorker } from "./lane-worker.ts";
import type { LaneWorkerOptions } from "./lane-worker.ts";
import { createLaterLooks } from "./later-looks.ts";
import { keepLease } from "./lease.ts";
import type { LeaseKeeper } from "./lease.ts";
import { createPresence } from "./nodes/presence.ts";
import type { RunSettings } from "./run-limits.ts";
import { createTitles } from "./titles.ts";
import { executeWork } from "./work-execution.ts";
import type { WorkHandlers } from "./work-handler.ts";

export interface RunnerOptions extends RunSettings {
  readonly store: Store;
  readonly agent: Agent;
  readonly workspaces: Workspaces;
  /** Handlers of the exclusive operations that this process can execute, such as an undo (M8). */
  readonly works: WorkHandlers;
  /** Maximum number of concurrent runs of this process. */
  readonly maxRuns: number;
  readonly maxRunsPerDirectory: number;
  readonly acceptLimits: AcceptLimits;
  readonly leaseTtl: number;
  readonly renewEvery: number;
  /** Poll interval: the longest delay if a signal is lost. */
  readonly pollEvery: number;
  readonly clock: Clock;
  /** True: sessions without a title get one when their first run begins. */
  readonly titles: boolean;
  /** Current spending caps for all sessions; null: no cap. */
  readonly caps: () => Caps | null;
  readonly newId: (kind: string) => string;
  /** Returns true for sessions that this process may work on; omitted: all sessions. */
  readonly scope?: (state: LaneState) => Promise<boolean>;
  /**
   * Returns true if a session's directory is on this machine; otherwise another node runs the session. Omitted: every
   * directory is assumed to be here.
   */
  readonly isPresent?: (directory: string) => Promise<boolean>;
  /** Called when a new lease replaces a lost one: this process may have missed changes by other processes. */
  readonly onRejoined?: () => void;
  /** Called if the store needs a newer release: this process cannot work any more and should exit. */
  readonly onOutdated?: (error: StoreError) => void;
  readonly onError: (error: unknown) => void;
}

export interface Runner {
  readonly lanes: LaneHub;
  readonly deltas: DeltaHub;
  /** Resolves when every run that earlier processes left behind was taken over or skipped. */
  readonly ready: Promise<void>;
  /** Executes a request. If it accepts a prompt, the same commit may also start the prompt's run. */
  send(request: StoreRequest): Promise<Answer>;
  /** Returns the node id under which this process owns lanes; null without a lease. */
  nodeId(): string | null;
  /** True if this is the current or an earlier node id of this process. */
  isOwn(nodeId: string): boolean;
  /**
   * Starts no new runs, lets active runs continue until the deadline, and then hands them over (M9). Calls
   * `beforeLeave` when the runs have left and before the lease is given up.
   */
  drain(options: { deadline: number; beforeLeave: () => Promise<void> }): Promise<void>;
  /** Stops passing signals about lanes to listeners. Call this when nothing waits for them any more. */
  close(): void;
  /** Lists sessions that have work to do but that this runner may not work on. */
  unfinished(): Promise<readonly PendingLane[]>;
  activeRuns(): readonly ActiveRun[];
  /** Directories that lanes wait for and that are not on this machine. */
  absent(): readonly string[];
}

export interface ActiveRun {
  readonly sessionId: string;
  readonly runId: string;
}

/**
 * Starts a runner, which works on ready lanes until it is drained. It acts on stored state; signals only make it faster
 * (L3).
 */
export async function startRunner(options: RunnerOptions): Promise<Runner> {
  const { store, clock } = options;
  const lanes = createLaneHub();
  const deltas = createDeltaHub(clock);
  const closing = new AbortController();
  // `presence` and `lease` use `worker`, which is created below. They call it only later, not while they are created.
  const presence = createPresence({
    isPresent: options.isPresent ?? null,
    onFound: (directory) => worker.dispatch({ type: "present", directory }),
    onError: options.onError,
    clock,
  });
  const lease = await takeLease(options, { lanes, worker: () => worker });
  const { nodeId } = lease;
  const scope = options.scope ?? null;
  const reader = createLaneReader({ store, clock, nodeId, scope });
  const isPresent = (directory: string): Promise<boolean> => presence.check(directory);
  const titles = options.titles ? createTitles(options) : null;
  const worker = new LaneWorker({
    store,
    claimer: createClaimer(options, { nodeId, isPresent, closing: closing.signal }),
    reader,
    limits: {
      places: options.maxRuns,
      perDirectory: options.maxRunsPerDirectory,
      window: scanWindow,
    },
    pollEvery: options.pollEvery,
    clock,
    ...executors(options, { lanes, deltas, lease, titles }),
    onError: options.onError,
  });
  const stopWatching = store.watch((signal) => lanes.signal(signal));
  const stopListening = listen({ lanes, worker, clock, isScoped: scope !== null });
  const first = nodeId();
  if (first !== null) worker.dispatch({ type: "leased", node: first });

  return {
    lanes,
    deltas,
    ready: worker.ready,
    send: (request) => {
      const { type, sessionId } = request.command;
      // Only a prompt for an idle lane may start in the commit of its accept. The state is null if the store has not
      // cached the lane or shares it with other processes, or if the lane must first be checked against `scope`.
      const state = type === "prompt.accept" && scope === null ? store.peek(sessionId) : null;
      return state !== null && isIdle(state)
        ? worker.accept(request, state)
        : store.execute(request);
    },
    nodeId,
    isOwn: lease.isOwn,
    activeRuns: () =>
      worker
        .executions()
        .flatMap(({ sessionId, runId }) => (runId === null ? [] : [{ sessionId, runId }])),
    absent: () => presence.absent(),
    unfinished: () => reader.outOfScope(),
    drain: async ({ deadline, beforeLeave }) => {
      closing.abort();
      presence.close();
      titles?.close();
      stopListening();
      worker.dispatch({ type: "drain" });
      const late = (): void => worker.dispatch({ type: "deadline" });
      // At the deadline this wait ends, and the other runs are handed over. The next wait ends when they have left.
      await withTimeout(worker.drained, { clock, milliseconds: deadline, late });
      await worker.drained;
      await worker.idle();
      await beforeLeave();
      await lease.stop();
    },
    close: stopWatching,
  };
}

/** Maximum number of ready lanes that a scan reads, oldest first. */
const scanWindow = 1_000;

/**
 * Takes this node's lease and renews it. Tells the scheduler about each change of the lease. After a renewal, tells
 * each run the latest event number of its session, in case the run missed a signal.
 */
function takeLease(
  options: RunnerOptions,
  { lanes, worker }: { lanes: LaneHub; worker: () => LaneWorker },
): Promise<LeaseKeeper> {
  return keepLease({
    store: options.store,
    ttl: options.leaseTtl,
    renewEvery: options.renewEvery,
    clock: options.clock,
    newNodeId: () => options.newId("node"),
    onJoined: (node) => {
      options.onRejoined?.();
      worker().dispatch({ type: "leased", node });
    },
    onRenewed: (owned) => {
      for (const { sessionId, seq } of owned) {
        if (!worker().isExecuting(sessionId)) continue;
        const news = { ready: null, wantsNothing: false, isForeign: false };
        lanes.signal({ kind: "lane", sessionId, seq, ...news });
      }
      worker().dispatch({ type: "owned", sessionIds: owned.map(({ sessionId }) => sessionId) });
    },
    onLost: () => worker().dispatch({ type: "leaseLost" }),
    onOutdated: (error) => options.onOutdated?.(error),
    onError: options.onError,
  });
}

function executors(
  options: RunnerOptions,
  context: {
    lanes: LaneHub;
    deltas: DeltaHub;
    lease: LeaseKeeper;
    titles: ReturnType<typeof createTitles> | null;
  },
): Pick<LaneWorkerOptions, "executeRun" | "executeWork"> {
  const { store, agent, works, newId, clock, caps, acceptLimits: limits } = options;
  const { lanes, deltas, lease, titles } = context;
  const conversations = createConversations(store, clock);
  const ports = { lanes, deltas, conversations, checkLease: lease.check };
  const shared = { store, agent, clock, limits, caps, ...ports };
  return {
    executeRun: (claim, place) => {
      const execution = executeRun({ ...shared, place }, claim);
      if (claim.pin !== null) titles?.begun(claim.state, claim.pin.workspace);
      return execution;
    },
    executeWork: (work) => executeWork({ store, lanes, works, newId, clock }, work),
  };
}

/** Passes the store's signals to the scheduler. Returns a function that stops doing so. */
function listen(options: {
  lanes: LaneHub;
  worker: LaneWorker;
  clock: Clock;
  isScoped: boolean;
}): () => void {
  const { lanes, worker, clock, isScoped } = options;
  const hint = (sessionId: string): void => worker.dispatch({ type: "hint", sessionId });
  const laterLooks = createLaterLooks(clock, hint);
  const stopListening = lanes.listenAll((signal) => {
    if (signal.kind === "missed") {
      worker.dispatch({ type: "poll" });
      return;
    }
    const { sessionId, ready, wantsNothing, isForeign } = signal;
    laterLooks.heard(signal);
    worker.checkGate(sessionId);
    if (ready === null && worker.isExecuting(sessionId)) return;
    // Trust the signal if the lane needs nothing, or if this process sent it and may work on every lane. Otherwise read
    // the lane; if another process sent the signal, only after a moment, because that process may start the work itself.
    const isKnown = wantsNothing || (!isForeign && !isScoped);
    if (isKnown) {
      const target = ready === null ? null : { sessionId, ...ready };
      const isDue = ready === null && !wantsNothing;
      worker.dispatch({ type: "heard", sessionId, target, isDue });
    } else if (isForeign) laterLooks.plan(signal);
    else hint(sessionId);
  });
  return () => {
    stopListening();
    laterLooks.close();
  };
}
