import { AgentFailure } from "../agent/agent.ts";
import { activeRun } from "../kernel/state.ts";
import type { LaneState } from "../kernel/state.ts";
import type { CommandInput } from "../store/store.ts";
import type { Pin } from "../workspace/workspaces.ts";
import { handleFrom } from "./claim.ts";
import type { Claim, Pinned } from "./claim.ts";
import type { RecoveryGate } from "./recovery-gate.ts";
import { checkSettings, settingsOf } from "./run-limits.ts";
import type { RunnerOptions } from "./runner.ts";
import type { Slot, Slots } from "./slots.ts";
import type { WorkClaim } from "./work-execution.ts";

export interface ClaimTarget {
  readonly sessionId: string;
  readonly directory: string;
  readonly wants: "start" | "work" | "takeOver";
}

/** Tries to get a lane's next run for this process. Whoever commits first has it (L1). */
export interface Claimer {
  /** The claim, or null when there was no place, no lease, or another was faster. */
  claim(target: RunTarget): Promise<Claim | null>;
  /**
   * Takes what a start needs before there is a prompt to start. Null when it is not at hand: no place
   * is held for a directory that has to be loaded.
   */
  foresee(lane: { sessionId: string; directory: string }): Promise<Foreseen | null>;
  /** Directories whose lanes have to wait until they are loaded. */
  loading(): readonly string[];
  /** Exclusive work that is first in the queue. It takes no place: people wait for it. */
  claimWork(lane: { sessionId: string; directory: string }): Promise<WorkClaim | null>;
  /** Ends exclusive work whose process is gone: nobody can go on with it (M8). */
  releaseWork(sessionId: string): Promise<void>;
}

/** A start that needs nothing more than its commit. */
export interface Foreseen {
  /** Sends the start before it returns. The claim, or null when there is nothing to start. */
  start(): Promise<Claim | null>;
  giveBack(): void;
}

interface Prepared {
  readonly target: RunTarget;
  readonly owner: string;
  readonly slot: Slot;
  readonly pinned: Pinned;
}

type RunTarget = ClaimTarget & { readonly wants: "start" | "takeOver" };

export function createClaimer(
  options: RunnerOptions,
  parts: {
    slots: Slots;
    recovery: RecoveryGate;
    nodeId: () => string | null;
    /** Whether a directory is on this machine. */
    isPresent: (directory: string) => Promise<boolean>;
    /** No more runs are wanted: one that waits for its generation is left to others. */
    closing: AbortSignal;
    /** The lanes of a directory that was being loaded may go on. */
    onLoaded: () => void;
  },
): Claimer {
  const { slots, recovery, closing } = parts;
  const loading = new Set<string>();
  /** The id under which its lanes may be claimed; null where they are left to others. */
  const ownerIn = async (directory: string): Promise<string | null> =>
    (await parts.isPresent(directory)) ? parts.nodeId() : null;

  const prepare = async (
    target: RunTarget,
    given: { owner: string; loaded: Pinned | null },
  ): Promise<Prepared | null> => {
    const { directory } = target;
    const { owner, loaded } = given;
    let slot = slots.take(directory);
    if (slot === null) return null;
    let pinned = loaded;
    let isPrepared = false;
    const onWait = (): void => {
      slot?.release();
      slot = null;
    };
    try {
      pinned ??= await pinFor(options, { target, closing, onWait });
      slot ??= slots.take(directory);
      if (pinned === null || slot === null) return null;
      isPrepared = true;
      return { target, owner, slot, pinned };
    } finally {
      if (!isPrepared) {
        slot?.release();
        pinned?.pin?.release();
      }
    }
  };
  /** What was prepared is the run's, or given back. */
  const carryOut = async ({ target, owner, slot, pinned }: Prepared): Promise<Claim | null> => {
    let claimed = false;
    try {
      const command = claimCommand(options, { target, owner, pin: pinned.pin });
      const answer = await options.store.execute({ command });
      const handle = handleFrom(answer, owner);
      if (handle === null || answer.status === "refused") return null;
      claimed = true;
      return begun({ state: answer.state, handle, slot, ...pinned }, target.wants);
    } finally {
      if (!claimed) giveBack({ slot, pinned });
    }
  };
  const claim = async (
    target: RunTarget,
    given: { owner: string; loaded: Pinned | null },
  ): Promise<Claim | null> => {
    const prepared = await prepare(target, given);
    return prepared === null ? null : carryOut(prepared);
  };

  /**
   * It may take long: one lane waits for it, and holds no place. The others of its directory are looked
   * at again when it is over.
   */
  const load = async (target: RunTarget): Promise<Pinned | null> => {
    const { directory } = target;
    const full = slots.full();
    if (full === "all" || full.includes(directory)) return null;
    if (loading.has(directory) || loading.size >= mostLoads) return null;
    loading.add(directory);
    try {
      return await pinFor(options, { target, closing });
    } finally {
      loading.delete(directory);
      parts.onLoaded();
    }
  };

  const begun = (claim: Claim, wants: RunTarget["wants"]): Claim => {
    const { state, handle, slot, pin } = claim;
    const { sessionId } = state;
    pin?.bind(handle.runId);
    for (const child of childrenOf(state)) pin?.share(child);
    const again = wants === "takeOver" && (activeRun(state)?.tries.total ?? 0) > 1;
    if (!again) recovery.leave(sessionId);
    return again ? { ...claim, slot: recovery.guard(sessionId, slot) } : claim;
  };

  return {
    claim: async (target) => {
      const { sessionId, directory, wants } = target;
      if ((await ownerIn(directory)) === null) return null;
      const isReady = options.workspaces.isReady(directory);
      const loaded = isReady ? null : await load(target);
      if (!isReady && loaded === null) return null;
      let result: Claim | null = null;
      try {
        const owner = parts.nodeId();
        const mayTry = wants !== "takeOver" || recovery.enter(sessionId);
        if (owner !== null && mayTry) result = await claim(target, { owner, loaded });
        return result;
      } finally {
        if (result === null) {
          loaded?.pin?.release();
          recovery.leave(sessionId);
        }
      }
    },
    foresee: async ({ sessionId, directory }) => {
      const owner = await ownerIn(directory);
      const { workspaces } = options;
      if (owner === null || !workspaces.isReady(directory)) return null;
      if (workspaces.isShared(sessionId)) return null;
      const target = { sessionId, directory, wants: "start" } as const;
      const prepared = await prepare(target, { owner, loaded: null });
      if (prepared === null) return null;
      return {
        start: async () => {
          // What has changed since is for whoever looks at the lane again.
          const isValid = parts.nodeId() === owner && !workspaces.isShared(sessionId);
          if (isValid) return carryOut(prepared);
          giveBack(prepared);
          return null;
        },
        giveBack: () => giveBack(prepared),
      };
    },
    loading: () => [...loading],
    claimWork: async ({ sessionId, directory }) => {
      const owner = await ownerIn(directory);
      if (owner === null) return null;
      const first = (await options.store.lane(sessionId))?.queue[0];
      if (first?.kind !== "work") return null;
      const { workId } = first;
      const { stopGrace } = options;
      const actor = { kind: "node", id: owner } as const;
      const command = { type: "work.start", sessionId, workId, owner, stopGrace, actor } as const;
      const answer = await options.store.execute({ command });
      if (answer.status === "refused" || answer.events.length === 0) return null;
      const { state, work } = answer;
      return state.active?.kind === "work" && work !== null ? { fence: state.fence, work } : null;
    },
    releaseWork: async (sessionId) => {
      const owner = parts.nodeId();
      if (owner === null) return;
      const target = { sessionId, directory: "", wants: "takeOver" } as const;
      const command = claimCommand(options, { target, owner, pin: null });
      await options.store.execute({ command });
    },
  };
}

function giveBack({ slot, pinned }: Pick<Prepared, "slot" | "pinned">): void {
  slot.release();
  pinned.pin?.release();
}

/** How many directories are loaded at once, for runs that have a place: each may start processes. */
const mostLoads = 16;

/**
 * The generation is pinned before the run starts, and whatever goes wrong is the run's outcome. Null
 * when this process is to start nothing more.
 */
async function pinFor(
  options: RunnerOptions,
  claim: {
    target: RunTarget;
    closing: AbortSignal;
    /** There is something to wait for: no place is held for that long. */
    onWait?: () => void;
  },
): Promise<Pinned | null> {
  const { target, closing: signal, onWait } = claim;
  const { directory, sessionId } = target;
  const { workspaces } = options;
  const parentRunId = await parentRun(options, target);
  let pin: Pin | null = null;
  try {
    const request = { directory, sessionId, parentRunId, signal };
    pin = await workspaces.acquire(onWait === undefined ? request : { ...request, onWait });
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
 * Who has sent the prompt that starts next, if that may matter. A run that is resumed pins the newest
 * generation, whoever its parent is (M7).
 */
async function parentRun(options: RunnerOptions, target: RunTarget): Promise<string | null> {
  const { sessionId, wants } = target;
  if (wants === "takeOver" || !options.workspaces.isShared(sessionId)) return null;
  const queue = (await options.store.lane(sessionId))?.queue ?? [];
  const first = queue.find((item) => item.kind === "work" || item.reply);
  return first?.kind === "prompt" ? (first.parent?.runId ?? null) : null;
}

/** The sessions to which the lane's run has sent prompts that may not have started yet. */
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
  const { maxSteps, stopGrace, budget } = settings;
  const runId = options.newId("run");
  // A run that can only say what is wrong with its directory has no steps.
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
    opensStep,
  };
}
