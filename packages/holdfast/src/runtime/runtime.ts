import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { systemClock } from "../base/time.ts";
import type { Agent } from "../agent/agent.ts";
import { usualLimits } from "../agent/setup.ts";
import type { ResultBody } from "../agent/message.ts";
import type { AcceptLimits } from "../kernel/command.ts";
import type { LaneEvent } from "../kernel/event.ts";
import type { LedgerRow } from "../kernel/ledger.ts";
import type { LaneState } from "../kernel/state.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import type { FeedPage, PendingLane, Store } from "../store/store.ts";
import type { WorkspaceHost } from "../workspace/host.ts";
import { constantWorkspaces } from "../workspace/workspaces.ts";
import type { Workspaces } from "../workspace/workspaces.ts";
import { askCommands } from "./commands/asks.ts";
import type { AskCommands } from "./commands/asks.ts";
import { commandContext } from "./commands/command-context.ts";
import { copyCommands } from "./commands/copies.ts";
import type { CopyCommands } from "./commands/copies.ts";
import { agentCheck } from "./commands/agent-check.ts";
import { commandsOf, promptCommands } from "./commands/prompts.ts";
import type { PromptCommands, PromptTarget } from "./commands/prompts.ts";
import { holdCommands, sessionCommands } from "./commands/sessions.ts";
import type { HoldCommands, SessionCommands } from "./commands/sessions.ts";
import { workCommands } from "./commands/work.ts";
import type { WorkCommands } from "./commands/work.ts";
import type { Delta, DeltaHub } from "../runner/delta-hub.ts";
import { followFeed } from "../log/feed.ts";
import { followEvents, waitForPrompt } from "../log/session-log.ts";
import { startCoordinator } from "../runner/maintenance/coordinator.ts";
import type { Maintenance } from "../runner/maintenance/maintenance.ts";
import { leavingLanes } from "../runner/nodes/left-lanes.ts";
import { announceNode, describeNode } from "../runner/nodes/announcement.ts";
import { readBody } from "../log/bodies.ts";
import { checkSettings } from "../runner/run-limits.ts";
import type { DeltaExchange, DeltaExchangeOptions } from "../runner/nodes/delta-exchange.ts";
import { startRunner } from "../runner/runner.ts";
import type { ActiveRun, RunnerOptions } from "../runner/runner.ts";
import { activityViews } from "./views/activity.ts";
import type { ActivityViews } from "./views/activity.ts";
import { timelineViews } from "./views/timeline.ts";
import type { TimelineViews } from "./views/timeline.ts";
import { askViews } from "./views/asks.ts";
import type { AskViews } from "./views/asks.ts";
import type { InFlight } from "../runner/in-flight.ts";
import { messageViews } from "./views/messages.ts";
import { readNodes } from "./views/nodes.ts";
import type { NodesView } from "./views/nodes.ts";
import type { MessageViews } from "./views/messages.ts";
import { runViews } from "./views/runs.ts";
import type { RunViews } from "./views/runs.ts";
import { searchViews } from "./views/search.ts";
import type { SearchViews } from "./views/search.ts";
import { sessionViews } from "./views/sessions.ts";
import type { SessionViews } from "./views/sessions.ts";
import { runtimeStatus } from "./views/status.ts";
import type { RuntimeStatus } from "./views/status.ts";
import type { WorkHandlers } from "../runner/work-handler.ts";

/** Options of `createRuntime`. Only `agent` and `store` are required. */
export type RuntimeOptions = Partial<
  Omit<
    RunnerOptions,
    "store" | "agent" | "workspaces" | "works" | "newId" | "onError" | "onRejoined" | "scope"
  >
> & {
  readonly agent: Agent;
  /**
   * Either a store, which the caller closes, or the path of a SQLite database. The runtime creates the database if it
   * is missing and closes it at the end. The path `:memory:` is a database in memory.
   */
  readonly store: Store | string;
  /** Workspaces for runs. If this is a workspace host, the caller closes it after closing the runtime. */
  readonly workspaces?: Workspaces;
  /** Handlers for exclusive operations other than `revert`. */
  readonly works?: WorkHandlers;
  /** Run only this session and the sessions that its runs create. */
  readonly onlySession?: string;
  /** Removes configured secret keys from every text that people send, before it is stored. */
  readonly redact?: (text: string) => string;
  /**
   * Returns the secret keys to remove from imported documents. A separate thread imports documents and cannot call
   * `redact`.
   */
  readonly secrets?: () => readonly string[];
  /** Directory for the temporary file of an import. Default: the system's directory for temporary files. */
  readonly spoolFolder?: string;
  readonly onError?: (error: unknown) => void;
};

/**
 * A runtime in this process: a store, a runner, commands and views. A refused command throws `CommandRefused`; a
 * failing store throws `StoreError`.
 */
export interface Runtime
  extends
    SessionCommands,
    CopyCommands,
    PromptCommands,
    HoldCommands,
    AskCommands,
    WorkCommands,
    SessionViews,
    MessageViews,
    SearchViews,
    ActivityViews,
    TimelineViews,
    RunViews,
    AskViews {
  readonly store: Store;
  /** Resolves when every run that earlier processes left behind was taken over or has ended. */
  readonly ready: Promise<void>;
  /** Waits until a prompt is settled and returns its row. If the signal aborts first, returns the current row. */
  wait(target: PromptTarget & { signal?: AbortSignal }): Promise<LedgerRow | null>;
  /** Returns the answer of a settled prompt, or its error message. */
  resultText(row: LedgerRow): Promise<string | null>;
  /** Yields all events of a session after `after`, in order, and then new ones until the signal aborts (T2). */
  events(target: {
    sessionId: string;
    after?: number;
    signal?: AbortSignal;
  }): AsyncIterable<LaneEvent>;
  /**
   * Yields the events of all sessions, page by page, until the signal aborts. The first page with `more: false` means
   * that the reader has caught up; this page may be empty. `gather`: milliseconds to wait for further events before a
   * page of new events is read.
   */
  feed(target: {
    after: string | null;
    signal?: AbortSignal;
    gather?: number;
  }): AsyncIterable<FeedPage>;
  /** Listens to the deltas of one session, or of all if `sessionId` is null. The returned function stops listening. */
  deltas(sessionId: string | null, listener: (delta: Delta) => void): () => void;
  /**
   * Returns the text in flight of the session's current step, or null. For a step on another node, this works only
   * while this process listens to the session's deltas.
   */
  inFlight(sessionId: string): InFlight | null;
  /** Returns the text in flight of all sessions. */
  allInFlight(): readonly InFlight[];
  /** Returns the lanes that have work but do not run in this process, because `onlySession` excludes them. */
  unfinished(): Promise<readonly PendingLane[]>;
  /** Returns the node id under which this process owns lanes, or null without a lease. */
  nodeId(): string | null;
  /** Returns true if this is the current or an earlier node id of this process. */
  isOwn(nodeId: string): boolean;
  /** Returns the active runs of this process. */
  running(): readonly ActiveRun[];
  /** Returns the state of this process: its runs, waiting lanes and spending caps. */
  status(): Promise<RuntimeStatus>;
  /** Returns all processes that share the store, with the lanes of each. */
  nodes(): Promise<NodesView>;
  /** Reloads and closes directories. Does nothing without a workspace host. */
  readonly maintenance: Maintenance;
  /** The workspace host, or null if `workspaces` is not one. */
  readonly workspaces: WorkspaceHost | null;
  /**
   * Accepts no more prompts, starts no more runs, waits up to `deadline` milliseconds for active runs, and hands over
   * the rest. Everything else works until `close` (M9).
   */
  drain(options?: { deadline?: number }): Promise<void>;
  /** Drains the runtime, then closes the store if the runtime has opened it. */
  close(options?: { deadline?: number }): Promise<void>;
}

/**
 * Opens a store and runs an agent on it. This is the interface below `createHoldfast`: use it if you need
 * events and state of the kernel instead of the HTTP contract.
 *
 * @example
 * const runtime = await createRuntime({ agent, store: "holdfast.db" });
 * const { sessionId } = await runtime.createSession({ directory: process.cwd() });
 * const { promptId } = await runtime.prompt({ sessionId, text: "hello" });
 * const row = await runtime.wait({ sessionId, promptId });
 * if (row !== null) console.log(row.outcome?.status, await runtime.resultText(row));
 * await runtime.close();
 */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  checkSettings({ ...defaults, ...options });
  const { agent, onlySession, onError = report, workspaces = constantWorkspaces() } = options;
  await using stack = new AsyncDisposableStack();
  const store =
    typeof options.store === "string"
      ? stack.adopt(await openSqliteStore({ file: options.store }), (opened) => opened.close())
      : options.store;
  const works = { ...ownWorks, ...options.works };
  const onRejoined = (): void => coordinator.rejoined();
  const calls = { newId, onError, onRejoined };
  // Without a limit of its own, a directory may use all places of the process.
  const { maxRuns = defaults.maxRuns, maxRunsPerDirectory = maxRuns } = options;
  const limited = { ...defaults, ...options, maxRunsPerDirectory };
  const settings = { ...limited, store, agent, workspaces, works, ...calls };
  const scope = onlySession === undefined ? {} : { scope: familyOf(store, onlySession) };
  const { clock } = settings;
  // Milliseconds for which scans leave out a lane whose next run this node must not start.
  const milliseconds = Math.min(settings.pollEvery, 1_000);
  const runner = await startRunner({
    ...settings,
    ...scope,
    store: leavingLanes(store, { milliseconds, clock }),
  });
  stack.defer(() => runner.close());
  // If a later part fails to open, this ends the lease and the work. `close` drains first; then nothing is left to end.
  stack.defer(() => runner.drain({ deadline: 0, beforeLeave: async () => {} }));
  const { lanes } = runner;
  let draining = false;
  const limits = (): AcceptLimits => {
    const { acceptLimits } = settings;
    return { ...acceptLimits, draining: acceptLimits.draining || draining };
  };
  const { redact = (text: string) => text, secrets = () => [], spoolFolder = tmpdir() } = options;
  const host = isWorkspaceHost(workspaces) ? workspaces : null;
  const expand = host === null ? null : commandsOf(host);
  const execute: Store["execute"] = (request) => runner.send(request);
  const expectAgent = agentCheck(host);
  const texts = { redact, secrets, spoolFolder, expand, expectAgent };
  const context = commandContext({
    store,
    execute,
    lanes,
    limits,
    caps: settings.caps,
    newId,
    ...texts,
  });
  const nodeId = (): string | null => runner.nodeId();
  const { deltas } = runner;
  const { messages } = store;
  // Deltas of the other nodes that share the store. Null for a store that only one process can use.
  const otherNodes =
    messages === null
      ? null
      : await openExchange({ messages, own: deltas, name: newId("reader"), clock, onError });
  stack.defer(() => otherNodes?.close());
  const coordinator = startCoordinator({ ...settings, host, nodeId });
  stack.defer(() => coordinator.stop());
  const about = describeNode({
    maxRuns: settings.maxRuns,
    clock,
    absent: () => runner.absent(),
  });
  // Null for a store that only one process can use: there are no other nodes to inform.
  const announcement =
    store.messages === null ? null : announceNode({ store, nodeId, about, clock, onError });
  const beforeLeave = async (): Promise<void> => {
    try {
      await coordinator.settle();
    } finally {
      await announcement?.withdraw();
    }
  };
  const drain = async (deadline: number): Promise<void> => {
    draining = true;
    await runner.drain({ deadline, beforeLeave });
  };
  const owned = stack.move();
  return {
    store,
    ready: runner.ready,
    ...sessionCommands(context),
    ...copyCommands(context),
    ...promptCommands(context),
    ...holdCommands(context),
    ...askCommands(context),
    ...workCommands(context),
    ...sessionViews(store),
    ...messageViews(store),
    ...searchViews(store, { onError }),
    ...activityViews(store),
    ...timelineViews(store),
    ...runViews(store),
    ...askViews(store),
    wait: (target) => waitForPrompt(context, target),
    resultText: async (row) => {
      const body = await readBody<ResultBody>(store, row.outcome?.result ?? null);
      return body?.text ?? null;
    },
    events: ({ after = 0, ...target }) => followEvents(context, { ...target, after }),
    feed: (target) => followFeed(store, target),
    ...deltaViews(deltas, otherNodes),
    unfinished: () => runner.unfinished(),
    nodeId,
    isOwn: (id) => runner.isOwn(id),
    running: () => runner.activeRuns(),
    status: () => runtimeStatus({ store, runner, caps: settings.caps }, draining),
    nodes: () => readNodes(store, { nodeId: nodeId(), about: about() }),
    maintenance: coordinator.maintenance,
    workspaces: host,
    drain: ({ deadline = 0 } = {}) => drain(deadline),
    close: async ({ deadline = 0 } = {}) => {
      try {
        await drain(deadline);
      } finally {
        await owned.disposeAsync();
      }
    },
  };
}

/** Deltas and text in flight of this process and, with `others`, of the other nodes that share the store. */
function deltaViews(
  own: DeltaHub,
  others: DeltaExchange | null,
): Pick<Runtime, "deltas" | "inFlight" | "allInFlight"> {
  return {
    deltas: (sessionId, listener) => {
      const unlisten = [own.listen(sessionId, listener), others?.listen(sessionId, listener)];
      return () => {
        for (const stop of unlisten) stop?.();
      };
    },
    inFlight: (sessionId) => own.inFlight(sessionId) ?? others?.inFlight(sessionId) ?? null,
    allInFlight: () => {
      const here = own.allInFlight();
      const known = new Set(here.map(({ sessionId }) => sessionId));
      const elsewhere = others?.allInFlight() ?? [];
      return [...here, ...elsewhere.filter(({ sessionId }) => !known.has(sessionId))];
    },
  };
}

/** Loads the code on demand: nodes exchange messages only if several of them share a store. */
async function openExchange(options: DeltaExchangeOptions): Promise<DeltaExchange> {
  const { createDeltaExchange } = await import("../runner/nodes/delta-exchange.ts");
  return createDeltaExchange(options);
}

function isWorkspaceHost(workspaces: Workspaces): workspaces is WorkspaceHost {
  return "apply" in workspaces;
}

/** Load the code on demand: most processes never revert anything. */
const ownWorks: WorkHandlers = {
  revert: async (context) => (await import("./revert/revert-work.ts")).revertWork(context),
};

const defaults = {
  maxRuns: 64,
  ...usualLimits,
  budget: null,
  onBudget: "fail",
  askTime: null,
  caps: () => null,
  recovery: "resume",
  acceptLimits: { maxQueue: 1_000, maxBytes: 32 * 1024 * 1024, draining: false },
  leaseTtl: 10_000,
  renewEvery: 1_000,
  pollEvery: 1_000,
  clock: systemClock,
  titles: true,
} as const;

function newId(kind: string): string {
  return `${kind}-${randomUUID()}`;
}

/** Returns a function that is true for the session itself and for all sessions that its runs created, at any depth. */
function familyOf(store: Store, head: string): (state: LaneState) => Promise<boolean> {
  const known = new Map([[head, true]]);
  const belongs = async (state: LaneState): Promise<boolean> => {
    const found = known.get(state.sessionId);
    if (found !== undefined) return found;
    const parent = state.parent === null ? null : await store.lane(state.parent.sessionId);
    const answer = parent !== null && (await belongs(parent));
    known.set(state.sessionId, answer);
    return answer;
  };
  return belongs;
}

function report(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error), "HoldfastWarning");
}
