import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { systemClock } from "../base/time.ts";
import type { Agent } from "../agent/agent.ts";
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
import { commandParts } from "./commands/command-parts.ts";
import { commandsOf } from "./commands/slash-commands.ts";
import { copyCommands } from "./commands/copies.ts";
import type { CopyCommands } from "./commands/copies.ts";
import { holdCommands } from "./commands/holds.ts";
import type { HoldCommands } from "./commands/holds.ts";
import { promptCommands } from "./commands/prompts.ts";
import type { PromptCommands, PromptTarget } from "./commands/prompts.ts";
import { sessionCommands } from "./commands/sessions.ts";
import type { SessionCommands } from "./commands/sessions.ts";
import { workCommands } from "./commands/work.ts";
import type { WorkCommands } from "./commands/work.ts";
import type { Delta } from "../runner/delta-hub.ts";
import { followEvents, followFeed } from "../log/follow.ts";
import type { FeedTarget } from "../log/follow.ts";
import { startCoordinator } from "../runner/maintenance/coordinator.ts";
import type { Maintenance } from "../runner/maintenance/maintenance.ts";
import { leavingLanes } from "../runner/nodes/left-lanes.ts";
import { announceNode, describeNode } from "../runner/nodes/announcement.ts";
import { createDeltaExchange } from "../runner/nodes/delta-exchange.ts";
import { readBody } from "../log/bodies.ts";
import { checkSettings } from "../runner/run-limits.ts";
import { startRunner } from "../runner/runner.ts";
import type { ActiveRun, RunnerOptions } from "../runner/runner.ts";
import { askViews } from "./views/asks.ts";
import type { AskViews } from "./views/asks.ts";
import type { InFlight } from "../runner/in-flight.ts";
import { messageViews } from "./views/messages.ts";
import { readNodes } from "./views/nodes.ts";
import type { NodesView } from "./views/nodes.ts";
import type { MessageViews } from "./views/messages.ts";
import { runViews } from "./views/runs.ts";
import type { RunViews } from "./views/runs.ts";
import { sessionViews } from "./views/sessions.ts";
import type { SessionViews } from "./views/sessions.ts";
import { runtimeStatus } from "./views/status.ts";
import type { RuntimeStatus } from "./views/status.ts";
import { waitForPrompt } from "../log/wait.ts";
import type { WorkHandlers } from "../runner/work-handler.ts";

/** What a caller may leave out: the runner's settings, each with a sane default. */
export type RuntimeOptions = Partial<
  Omit<
    RunnerOptions,
    "store" | "agent" | "workspaces" | "works" | "newId" | "onError" | "onRejoined" | "scope"
  >
> & {
  readonly agent: Agent;
  /**
   * A store, which the caller closes; or the file of a SQLite database, which is created if it is missing
   * and closed with the runtime. The file `:memory:` is a database that ends with the runtime.
   */
  readonly store: Store | string;
  /** What runs work with; a host stays its opener's to close, after the runtime. */
  readonly workspaces?: Workspaces;
  /** Kinds of exclusive work besides `revert`. */
  readonly works?: WorkHandlers;
  /** Work on this session and its children only; leave what others have begun alone. */
  readonly onlySession?: string;
  /** Takes configured keys out of every text that people send, before it is kept. */
  readonly redact?: (text: string) => string;
  /** The keys that it takes out; imports are read, and cleaned, in a thread that `redact` cannot enter. */
  readonly secrets?: () => readonly string[];
  /** The folder where a document that is imported is kept meanwhile; the system's if left out. */
  readonly spoolFolder?: string;
  readonly onError?: (error: unknown) => void;
};

/**
 * A runtime in this process: a store, a runner on it, the commands that people send and what they
 * see. A command that may not happen throws CommandRefused; a failing store throws StoreError.
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
    RunViews,
    AskViews {
  readonly store: Store;
  /** Resolves when it is decided what becomes of every run that an earlier process has left. */
  readonly ready: Promise<void>;
  /** The prompt's entry once it is settled, or as it is when the signal aborts first. */
  wait(target: PromptTarget & { signal?: AbortSignal }): Promise<LedgerRow | null>;
  /** The text of an outcome's result, or of its error. */
  resultText(row: LedgerRow): Promise<string | null>;
  /** Every event after the given seq, in order, then those to come; ends when aborted (T2). */
  events(target: {
    sessionId: string;
    after?: number;
    signal?: AbortSignal;
  }): AsyncIterable<LaneEvent>;
  /**
   * All sessions' events after a cursor, by pages, then those to come; ends when aborted. The first
   * page with `more: false`, which may be empty, says that the reader has caught up.
   */
  feed(target: FeedTarget): AsyncIterable<FeedPage>;
  /** Of one session, or of all when it is null. Answers how to stop listening. */
  deltas(sessionId: string | null, listener: (delta: Delta) => void): () => void;
  /**
   * What has arrived of the step that is being made; of one on another node only while somebody here
   * listens to the session's deltas. Null when there is none.
   */
  inFlight(sessionId: string): InFlight | null;
  /** The same for every session that has some. */
  allInFlight(): readonly InFlight[];
  /** Lanes with work that this runtime was told to leave alone. */
  unfinished(): Promise<readonly PendingLane[]>;
  /** The id under which this process owns lanes now; null while it has no lease. */
  nodeId(): string | null;
  /** Whether it is such an id, or was one: also after the end. */
  isOwn(nodeId: string): boolean;
  /** The runs that this process works on. */
  running(): readonly ActiveRun[];
  status(): Promise<RuntimeStatus>;
  /** All processes on the store, and the lanes that each owns. */
  nodes(): Promise<NodesView>;
  /** Refreshes and closes of directories. Without a host there is never anything to do. */
  readonly maintenance: Maintenance;
  /** The directories that are open in this process; null for agents that bring their own setup. */
  readonly workspaces: WorkspaceHost | null;
  /**
   * Accepts no more prompts, starts nothing, gives what is active so long, and hands the rest over.
   * Everything else works until the runtime is closed (M9).
   */
  drain(options?: { deadline?: number }): Promise<void>;
  /** Drains, and closes the store if the runtime has opened it. */
  close(options?: { deadline?: number }): Promise<void>;
}

export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  checkSettings({ ...defaults, ...options });
  const { agent, onlySession, onError = report, workspaces = constantWorkspaces() } = options;
  const store =
    typeof options.store === "string"
      ? await openSqliteStore({ file: options.store })
      : options.store;
  const closeOwn = async (): Promise<void> => {
    if (typeof options.store === "string") await store.close();
  };
  const works = { ...ownWorks, ...options.works };
  const onRejoined = (): void => coordinator.rejoined();
  const calls = { newId, onError, onRejoined };
  const settings = { ...defaults, ...options, store, agent, workspaces, works, ...calls };
  const scope = onlySession === undefined ? {} : { scope: familyOf(store, onlySession) };
  const { clock, pollEvery: milliseconds } = settings;
  const runner = await startRunner({
    ...settings,
    ...scope,
    store: leavingLanes(store, { milliseconds, clock }),
  }).catch(async (error: unknown) => {
    await closeOwn();
    throw error;
  });
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
  const texts = { redact, secrets, spoolFolder, expand };
  const parts = commandParts({
    store,
    execute,
    lanes,
    limits,
    caps: settings.caps,
    newId,
    ...texts,
  });
  const nodeId = (): string | null => runner.nodeId();
  const own = runner.deltas;
  const far =
    store.messages === null
      ? null
      : createDeltaExchange({
          messages: store.messages,
          own,
          name: newId("reader"),
          clock,
          onError,
        });
  const coordinator = startCoordinator({ ...settings, host, nodeId });
  const about = describeNode({
    maxRuns: settings.maxRuns,
    clock,
    absent: () => runner.absent(),
  });
  // Where there can be no other, nobody has to be told.
  const announcement =
    store.messages === null ? null : announceNode({ store, nodeId, about, clock, onError });
  const beforeLeave = async (): Promise<void> => {
    await coordinator.settle();
    await announcement?.withdraw();
  };
  const drain = async (deadline: number): Promise<void> => {
    draining = true;
    await runner.drain({ deadline, beforeLeave });
  };
  return {
    store,
    ready: runner.ready,
    ...sessionCommands(parts),
    ...copyCommands(parts),
    ...promptCommands(parts),
    ...holdCommands(parts),
    ...askCommands(parts),
    ...workCommands(parts),
    ...sessionViews(store),
    ...messageViews(store),
    ...runViews(store),
    ...askViews(store),
    wait: (target) => waitForPrompt(parts, target),
    resultText: async (row) => {
      const body = await readBody<ResultBody>(store, row.outcome?.result ?? null);
      return body?.text ?? null;
    },
    events: ({ after = 0, ...target }) => followEvents(parts, { ...target, after }),
    feed: (target) => followFeed(parts, target),
    deltas: (sessionId, listener) => {
      const stops = [own.listen(sessionId, listener), far?.listen(sessionId, listener)];
      return () => {
        for (const stop of stops) stop?.();
      };
    },
    inFlight: (sessionId) => own.inFlight(sessionId) ?? far?.inFlight(sessionId) ?? null,
    allInFlight: () => {
      const here = own.allInFlight();
      const known = new Set(here.map(({ sessionId }) => sessionId));
      const elsewhere = far?.allInFlight() ?? [];
      return [...here, ...elsewhere.filter(({ sessionId }) => !known.has(sessionId))];
    },
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
        await coordinator.stop();
      }
      far?.close();
      runner.close();
      await closeOwn();
    },
  };
}

function isWorkspaceHost(workspaces: Workspaces): workspaces is WorkspaceHost {
  return "apply" in workspaces;
}

/** Loaded when there is some: most processes undo nothing. */
const ownWorks: WorkHandlers = {
  revert: async (context) => (await import("./revert/revert-work.ts")).revertWork(context),
};

const defaults = {
  maxRuns: 64,
  maxRunsPerDirectory: 64,
  maxSteps: 200,
  stopGrace: 5_000,
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

/** The session itself, and those that its runs have made, at any depth. */
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
