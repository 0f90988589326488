import { AgentFailure } from "../agent/agent.ts";
import { createSemaphore } from "../base/serial.ts";
import type { RunHandle } from "../kernel/command.ts";
import { activeRun } from "../kernel/state.ts";
import type { LaneState } from "../kernel/state.ts";
import type { Answer } from "../kernel/transaction.ts";
import type { CommandInput } from "../store/store.ts";
import type { Pin } from "../workspace/workspaces.ts";
import { checkSettings, settingsOf } from "./run-limits.ts";
import type { RunnerOptions } from "./runner.ts";
import type { Unclaimed } from "./scheduler/input.ts";
import type { Target } from "./scheduler/state.ts";
import type { WorkClaim } from "./work-execution.ts";

/** A run that this process has just claimed, with the config version that it uses. */
export type Claim = {
  readonly state: LaneState;
  readonly handle: RunHandle;
  /** Node id of this process under which the run was claimed. */
  readonly owner: string;
} & Pinned;

/** The run's config version, or the reason why its directory could not be loaded. In the second case the run fails. */
export type Pinned =
  | { readonly pin: Pin; readonly problem: null }
  | { readonly pin: null; readonly problem: AgentFailure };

export type ClaimOutcome =
  | { readonly status: "run"; readonly claim: Claim }
  | { readonly status: "work"; readonly work: WorkClaim; readonly owner: string }
  /** The directory was loaded. It stays loaded for a short time, so that the lane can start at once. */
  | { readonly status: "loaded" }
  | { readonly status: "unclaimed"; readonly why: Unclaimed };

/**
 * Claims lanes for this process: checks that the directory exists, keeps its config version open, and sends the command
 * that starts or takes over the run or exclusive operation (L1). A run starts in one of two ways: `claim` is for a lane
 * in the queue and may load the directory first; `prepare` is for a prompt that is not stored yet and never waits.
 */
export interface Claimer {
  /** Claims a lane. Calls `onLoading` if its directory must be loaded first; meanwhile the claim uses no run slot. */
  claim(target: Target, onLoading: () => void): Promise<ClaimOutcome>;
  /** Releases the config version that was kept open for the lane. */
  giveBack(sessionId: string): void;
  /**
   * Prepares the start of a run before its prompt is stored. Returns null if the run could not start in the same
   * commit.
   */
  prepare(lane: { sessionId: string; directory: string }): Promise<PreparedStart | null>;
}

/** A prepared start of a run: only the commit is missing. */
export interface PreparedStart {
  /** Sends the start command synchronously. Resolves with null if no run was started. */
  send(): Promise<Claim | null>;
  giveBack(): void;
}

type RunTarget = Omit<Target, "since" | "wants"> & { readonly wants: "start" | "takeOver" };

/** A run target, the process that will own the run, and the config version that the run will use. */
interface PinnedTarget {
  readonly target: RunTarget;
  readonly owner: string;
  readonly pinned: Pinned;
}

interface ClaimContext {
  readonly nodeId: () => string | null;
  /** Returns true if the directory is on this machine. */
  readonly isPresent: (directory: string) => Promise<boolean>;
  /**
   * Aborts when this process stops claiming lanes. Other processes then claim lanes whose directory is still loading.
   */
  readonly closing: AbortSignal;
}

export function createClaimer(options: RunnerOptions, context: ClaimContext): Claimer {
  const { workspaces } = options;
  const { nodeId, isPresent, closing } = context;
  /** Config versions that were just loaded, by session, until the next claim of the session or a `giveBack` (S8). */
  const kept = new Map<string, Pinned>();
  const limitLoads = createSemaphore(maxLoads);

  const claimRun = async (target: RunTarget, onLoading: () => void): Promise<ClaimOutcome> => {
    const { sessionId, directory } = target;
    let pinned = kept.get(sessionId) ?? null;
    kept.delete(sessionId);
    if (pinned === null) {
      let waited = false;
      const onWait = (): void => {
        if (!waited) onLoading();
        waited = true;
      };
      const pinning = (): Promise<Pinned | null> => pinFor(options, { target, closing, onWait });
      if (workspaces.isReady(directory)) pinned = await pinning();
      else {
        onWait();
        pinned = await limitLoads(pinning);
      }
      if (pinned === null) return moved;
      // Wait for a slot, unless the config of the directory could not be loaded (`pin` is null): the run then only
      // reports this error and needs no slot.
      if (waited && pinned.pin !== null) {
        kept.set(sessionId, pinned);
        return { status: "loaded" };
      }
    }
    const owner = nodeId();
    if (owner === null) {
      pinned.pin?.release();
      return moved;
    }
    return sendClaim(options, { target, owner, pinned });
  };

  const claim = async (target: Target, onLoading: () => void): Promise<ClaimOutcome> => {
    const { wants, directory } = target;
    if (!(await isPresent(directory))) return { status: "unclaimed", why: "absent" };
    const owner = nodeId();
    if (owner === null) return moved;
    if (wants === "work") return claimWork(options, target, owner);
    const run = { ...target, wants };
    return (await endLostWork(options, run, owner)) ? moved : claimRun(run, onLoading);
  };
  const giveBack = (sessionId: string): void => {
    kept.get(sessionId)?.pin?.release();
    kept.delete(sessionId);
  };

  return {
    claim: async (target, onLoading) => {
      let isLoaded = false;
      try {
        const outcome = await claim(target, onLoading);
        isLoaded = outcome.status === "loaded";
        return outcome;
      } finally {
        // A claim that fails before it uses the loaded config version must release it.
        if (!isLoaded) giveBack(target.sessionId);
      }
    },
    giveBack,
    prepare: (lane) => prepareStart(options, context, lane),
  };
}

async function prepareStart(
  options: RunnerOptions,
  { nodeId, isPresent, closing }: ClaimContext,
  { sessionId, directory }: { sessionId: string; directory: string },
): Promise<PreparedStart | null> {
  const { workspaces } = options;
  const isHere = await isPresent(directory);
  const owner = nodeId();
  if (!isHere || owner === null || !workspaces.isReady(directory)) return null;
  if (workspaces.isShared(sessionId)) return null;
  const target = { sessionId, directory, wants: "start" } as const;
  let waited = false;
  const onWait = (): void => void (waited = true);
  const pinned = await pinFor(options, { target, closing, onWait });
  if (pinned === null) return null;
  if (waited) {
    pinned.pin?.release();
    return null;
  }
  return {
    send: async () => {
      // Do not start the run if this process has a new lease, or if the session must now use its parent's config
      // version. The next claim of the session then decides how to start the run.
      const isValid = nodeId() === owner && !workspaces.isShared(sessionId);
      if (!isValid) {
        pinned.pin?.release();
        return null;
      }
      const outcome = await sendClaim(options, { target, owner, pinned });
      return outcome.status === "run" ? outcome.claim : null;
    },
    giveBack: () => pinned.pin?.release(),
  };
}

/**
 * Sends the command that starts a run or takes one over from another process. Releases the config version if no run was
 * claimed.
 */
async function sendClaim(
  options: RunnerOptions,
  { target, owner, pinned }: PinnedTarget,
): Promise<ClaimOutcome> {
  let claim: Claim | null = null;
  try {
    const command = claimCommand(options, { target, owner, pin: pinned.pin });
    const answer = await options.store.execute({ command });
    const handle = handleFrom(answer, owner);
    if (answer.status === "refused") {
      return answer.refusal.code === "generation" ? elsewhere : moved;
    }
    if (handle === null) return moved;
    claim = { state: answer.state, handle, owner, ...pinned };
    pinned.pin?.bind(handle.runId);
    for (const child of childrenOf(answer.state)) pinned.pin?.share(child);
    return { status: "run", claim };
  } finally {
    if (claim === null) pinned.pin?.release();
  }
}

async function claimWork(
  { store, stopGrace }: RunnerOptions,
  { sessionId }: Target,
  owner: string,
): Promise<ClaimOutcome> {
  const first = (await store.lane(sessionId))?.queue[0];
  if (first?.kind !== "work") return moved;
  const { workId } = first;
  const actor = { kind: "node", id: owner } as const;
  const command = { type: "work.start", sessionId, workId, owner, stopGrace, actor } as const;
  const answer = await store.execute({ command });
  if (answer.status === "refused" || answer.events.length === 0) return moved;
  const { state, work } = answer;
  if (state.active?.kind !== "work" || work === null) return moved;
  return { status: "work", work: { fence: state.fence, work }, owner };
}

/**
 * Ends an exclusive operation whose process is gone: no other process can continue it (M8). Returns true if there was
 * one.
 */
async function endLostWork(
  options: RunnerOptions,
  target: RunTarget,
  owner: string,
): Promise<boolean> {
  const { store } = options;
  if (target.wants !== "takeOver") return false;
  if ((await store.lane(target.sessionId))?.active?.kind !== "work") return false;
  await store.execute({ command: claimCommand(options, { target, owner, pin: null }) });
  return true;
}

/** Maximum number of directories that are loaded in parallel, because each may start processes. */
const maxLoads = 16;

const moved: ClaimOutcome = { status: "unclaimed", why: "moved" };
const elsewhere: ClaimOutcome = { status: "unclaimed", why: "elsewhere" };

/** Returns the handle that a start or takeover gave to this owner; null if the owner did not get the run. */
function handleFrom(answer: Answer, owner: string): RunHandle | null {
  if (answer.status === "refused" || answer.events.length === 0) return null;
  const run = activeRun(answer.state);
  if (run?.owner !== owner || run.condition.status !== "running") return null;
  return { runId: run.runId, fence: answer.state.fence, attempt: run.attempt };
}

/**
 * Opens a config version for the run before the run starts. A failure to load it becomes the run's outcome. Returns
 * null if this process stops claiming lanes.
 */
async function pinFor(
  options: RunnerOptions,
  claim: { target: RunTarget; closing: AbortSignal; onWait: () => void },
): Promise<Pinned | null> {
  const { target, closing: signal, onWait } = claim;
  const { directory, sessionId } = target;
  const parentRunId = await parentRun(options, target);
  let pin: Pin | null = null;
  try {
    const request = { directory, sessionId, parentRunId, signal, onWait };
    pin = await options.workspaces.acquire(request);
    checkSettings(settingsOf(options, pin.workspace.setup?.limits ?? null));
    return { pin, problem: null };
  } catch (error) {
    pin?.release();
    if (error instanceof Error && error.name === "AbortError") return null;
    const message = error instanceof Error ? error.message : String(error);
    const problem = new AgentFailure("brokenWorkspace", message, {
      hold: { retryIn: null },
      cause: error,
    });
    return { pin: null, problem };
  }
}

/**
 * Returns the id of the run that sent the lane's next prompt: the new run must use the config version of that run (M7).
 * Null: the new run may use any config version. A resumed run uses the newest one.
 */
async function parentRun(options: RunnerOptions, target: RunTarget): Promise<string | null> {
  const { sessionId, wants } = target;
  if (wants === "takeOver" || !options.workspaces.isShared(sessionId)) return null;
  const queue = (await options.store.lane(sessionId))?.queue ?? [];
  const first = queue.find((item) => item.kind === "work" || item.reply);
  return first?.kind === "prompt" ? (first.parent?.runId ?? null) : null;
}

/** Lists the sessions of the active run's children that have not ended. */
function childrenOf(state: LaneState): readonly string[] {
  const run = activeRun(state);
  if (run === null) return [];
  const inBackground = state.background.filter(({ runId }) => runId === run.runId);
  const open = run.children.filter(({ outcome }) => outcome === null);
  return [...open, ...inBackground].map(({ sessionId }) => sessionId);
}

function claimCommand(
  options: RunnerOptions,
  claim: { target: RunTarget; owner: string; pin: Pin | null },
): CommandInput {
  const { owner, pin } = claim;
  const { sessionId, wants } = claim.target;
  const actor = { kind: "node", id: owner } as const;
  const { generation = null, without = [] } = pin?.workspace ?? {};
  const settings = settingsOf(options, pin?.workspace.setup?.limits ?? null);
  if (wants === "takeOver") {
    const { recovery } = settings;
    return { type: "lane.takeover", sessionId, actor, owner, generation, without, recovery };
  }
  const { maxSteps, stopGrace, budget, onBudget, askTime } = settings;
  const caps = options.caps();
  const runId = options.newId("run");
  // If `pin` is null, the config of the directory could not be loaded: the run only reports this error, without a step.
  const opensStep = pin !== null && options.agent.opensWithStep === true;
  return {
    type: "run.start",
    sessionId,
    actor,
    runId,
    owner,
    generation,
    without,
    maxSteps,
    stopGrace,
    budget,
    onBudget,
    askTime,
    ...(caps === null ? {} : { caps }),
    opensStep,
  };
}
