import { attention } from "../kernel/attention.ts";
import type { Attention } from "../kernel/attention.ts";
import { activeRun } from "../kernel/state.ts";
import type { LaneState } from "../kernel/state.ts";
import type { StorePorts } from "../store/persist.ts";
import type { PendingLane, PendingQuery } from "../store/store.ts";
import type { Effect, LaneNews } from "./scheduler/input.ts";
import type { Target } from "./scheduler/state.ts";
import { abandonWork } from "./work-execution.ts";

export interface ScanResult {
  readonly targets: readonly Target[];
  /** Lanes with a timed change that is due now, such as an expiry. Each must get the command `lane.tick`. */
  readonly due: readonly string[];
  readonly isWhole: boolean;
  readonly nextDueIn: number | null;
}

/** Reads lanes from the store for the scheduler, limited to this process's scope. */
export interface LaneReader {
  look(sessionId: string): Promise<LaneNews>;
  scan(scan: Extract<Effect, { type: "scan" }>): Promise<ScanResult>;
  /** True if the lane's run has committed a step since it was claimed (R3). */
  hasStepped(sessionId: string): Promise<boolean>;
  /** Commits the timed changes of the lane that are due. Returns false if there were none. */
  tick(sessionId: string): Promise<boolean>;
  /**
   * Releases a run that this process owns but does not execute, so that the run can continue. This happens if the
   * store's response to a claim was lost, or if the run failed and the store could not record the failure. An exclusive
   * operation, such as a revert, is ended instead.
   */
  giveUp(sessionId: string): Promise<void>;
  /** Lists lanes with work that this process may not do, because they are outside of `scope`. */
  outOfScope(): Promise<readonly PendingLane[]>;
}

export interface LaneReaderOptions extends StorePorts {
  readonly nodeId: () => string | null;
  /** Returns true for sessions that this process may work on; null: all sessions. */
  readonly scope: ((state: LaneState) => Promise<boolean>) | null;
}

export function createLaneReader(options: LaneReaderOptions): LaneReader {
  const { store, nodeId, scope } = options;
  const isInScope = async (sessionId: string): Promise<boolean> => {
    if (scope === null) return true;
    const state = await store.lane(sessionId);
    return state !== null && (await scope(state));
  };
  /** Returns the action that the lane needs now, and since when. Null: none. */
  const needOf = async (
    { sessionId }: LaneState,
    { ready: wants, owner }: Attention,
  ): Promise<Pick<Target, "wants" | "since"> | null> => {
    if (wants !== null) {
      const since = await store.readySince(sessionId);
      // Null if the lane has changed since its state was read: then a signal follows.
      return since === null ? null : { wants, since };
    }
    if (owner === null || owner === nodeId()) return null;
    const lease = await store.node(owner);
    return lease?.alive === true ? null : { wants: "takeOver", since: lease?.expiresAt ?? 0 };
  };
  const nodeActor = (): { kind: "node"; id: string } => ({ kind: "node", id: nodeId() ?? "node" });
  return {
    look: async (sessionId) => {
      const state = await store.lane(sessionId);
      if (state === null || (scope !== null && !(await scope(state)))) return emptyNews(sessionId);
      const needs = attention(state);
      const need = await needOf(state, needs);
      const target = need === null ? null : { sessionId, directory: state.directory, ...need };
      return { sessionId, target, isDue: needs.dueAt !== null };
    },
    scan: async ({ limit, full, absent, takeOvers }) => {
      const query: PendingQuery = { limit, full, absent };
      const { lanes, nextDueIn } = await store.pending(
        takeOvers ? query : { ...query, wants: ["start", "work", "tick"] },
      );
      const inScope = await Promise.all(lanes.map(({ sessionId }) => isInScope(sessionId)));
      const due: string[] = [];
      const targets: Target[] = [];
      for (const [index, { sessionId, directory, wants, since }] of lanes.entries()) {
        if (wants === "tick") due.push(sessionId);
        else if (inScope[index] === true) targets.push({ sessionId, directory, wants, since });
      }
      return { targets, due, isWhole: lanes.length < limit, nextDueIn };
    },
    hasStepped: async (sessionId) => {
      const state = await store.lane(sessionId);
      return state !== null && activeRun(state)?.tries.sinceStep === 0;
    },
    tick: async (sessionId) => {
      const command = { type: "lane.tick", sessionId, actor: nodeActor() } as const;
      const answer = await store.execute({ command });
      return answer.status !== "refused" && answer.events.length > 0;
    },
    giveUp: async (sessionId) => {
      const state = await store.lane(sessionId);
      const active = state?.active ?? null;
      if (state === null || active === null || active.owner !== nodeId()) return;
      if (active.kind === "work") {
        const work = await store.work(sessionId, active.workId);
        if (work !== null) await abandonWork(options, { work, fence: state.fence });
        return;
      }
      const { runId, attempt } = active;
      const handle = { runId, attempt, fence: state.fence };
      const command = { type: "run.handOver", sessionId, actor: nodeActor(), handle } as const;
      await store.execute({ command });
    },
    outOfScope: async () => {
      const { lanes } = await store.pending({ limit: maxListed });
      const inScope = await Promise.all(lanes.map(({ sessionId }) => isInScope(sessionId)));
      return lanes.filter((_, index) => inScope[index] === false);
    },
  };
}

const maxListed = 1_000;

/** News that the lane needs nothing. */
export function emptyNews(sessionId: string): LaneNews {
  return { sessionId, target: null, isDue: false };
}
