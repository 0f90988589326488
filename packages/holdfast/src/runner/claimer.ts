import { AgentFailure } from "../agent/agent.ts";
import { activeRun } from "../kernel/state.ts";
import type { CommandInput } from "../store/store.ts";
import { handleFrom } from "./claim.ts";
import type { Claim, Pinned } from "./claim.ts";
import type { RecoveryGate } from "./recovery-gate.ts";
import type { RunnerOptions } from "./runner.ts";
import type { Slots } from "./slots.ts";
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
  /** Exclusive work that is first in the queue. It takes no place: people wait for it. */
  claimWork(sessionId: string): Promise<WorkClaim | null>;
  /** Ends exclusive work whose process is gone: nobody can go on with it (M8). */
  releaseWork(sessionId: string): Promise<void>;
}

type RunTarget = ClaimTarget & { readonly wants: "start" | "takeOver" };

export function createClaimer(
  options: RunnerOptions,
  parts: { slots: Slots; recovery: RecoveryGate; nodeId: () => string | null },
): Claimer {
  const { slots, recovery } = parts;

  const claim = async (target: RunTarget, owner: string): Promise<Claim | null> => {
    const { sessionId, directory, wants } = target;
    const slot = slots.take(directory);
    if (slot === null) return null;
    const pinned = await pin(options, directory);
    const generation = pinned.pin?.workspace.generation ?? null;
    let answer;
    try {
      const command = claimCommand(options, { target, owner, generation });
      answer = await options.store.execute({ command });
    } catch (error) {
      slot.release();
      await pinned.pin?.release();
      throw error;
    }
    const handle = handleFrom(answer, owner);
    if (handle === null || answer.status === "refused") {
      slot.release();
      await pinned.pin?.release();
      return null;
    }
    const again = wants === "takeOver" && (activeRun(answer.state)?.tries.total ?? 0) > 1;
    const guarded = again ? recovery.guard(sessionId, slot) : slot;
    if (!again) recovery.leave(sessionId);
    return { state: answer.state, handle, slot: guarded, ...pinned };
  };

  return {
    claim: async (target) => {
      const owner = parts.nodeId();
      const { sessionId, wants } = target;
      if (owner === null) return null;
      if (wants === "takeOver" && !recovery.enter(sessionId)) return null;
      let result: Claim | null = null;
      try {
        result = await claim(target, owner);
        return result;
      } finally {
        if (result === null) recovery.leave(sessionId);
      }
    },
    claimWork: async (sessionId) => {
      const owner = parts.nodeId();
      const first = (await options.store.lane(sessionId))?.queue[0];
      if (owner === null || first?.kind !== "work") return null;
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
      const command = claimCommand(options, { target, owner, generation: null });
      await options.store.execute({ command });
    },
  };
}

/** The generation is pinned before the run starts, and whatever goes wrong is the run's outcome. */
async function pin(options: RunnerOptions, directory: string): Promise<Pinned> {
  try {
    return { pin: await options.workspaces.acquire(directory), problem: null };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const problem = new AgentFailure("brokenWorkspace", message, {
      hold: { retryIn: null },
      cause: error,
    });
    return { pin: null, problem };
  }
}

function claimCommand(
  options: RunnerOptions,
  claim: { target: RunTarget; owner: string; generation: string | null },
): CommandInput {
  const { owner, generation } = claim;
  const { sessionId, wants } = claim.target;
  const actor = { kind: "node", id: owner } as const;
  if (wants === "takeOver") {
    const { recovery } = options;
    return { type: "lane.takeover", sessionId, actor, owner, generation, recovery };
  }
  const { maxSteps, stopGrace, budget } = options;
  const runId = options.newId("run");
  return {
    type: "run.start",
    sessionId,
    actor,
    runId,
    owner,
    generation,
    maxSteps,
    stopGrace,
    budget,
  };
}
