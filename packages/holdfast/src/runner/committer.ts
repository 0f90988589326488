import { RunLost } from "../agent/run-lost.ts";
import { createMutex } from "../base/serial.ts";
import type { RunHandle } from "../kernel/command.ts";
import type { LaneEvent } from "../kernel/event.ts";
import type { Refusal } from "../kernel/refusal.ts";
import { activeRun } from "../kernel/state.ts";
import type { LaneState, Run } from "../kernel/state.ts";
import type { Done } from "../kernel/transaction.ts";
import type { Body, CommandInput } from "../store/store.ts";
import { logOf } from "../log/session-log.ts";
import { CommandRefused } from "./command-refused.ts";
import { persist } from "../store/persist.ts";
import type { StorePorts } from "../store/persist.ts";

/** Thrown instead of doing the requested action, because the run is stopping. */
export class RunStopping extends Error {
  constructor() {
    super("the run is stopping");
    this.name = "RunStopping";
  }
}

type OwnData = CommandInput extends infer T
  ? T extends { readonly handle: RunHandle }
    ? Omit<T, "handle" | "sessionId" | "actor">
    : never
  : never;

/**
 * Writes the events of one run, one write at a time. Each write carries the run's handle and is committed at most once.
 */
export interface Committer {
  readonly handle: RunHandle;
  /** Returns the latest state of the lane that this process knows. */
  lane(): LaneState;
  /** Returns the lane's run; throws RunLost if the run no longer belongs to this handle. */
  run(): Run;
  commit(data: OwnData, bodies?: readonly Body[]): Promise<Done>;
  /** Reads the lane again. Call this when another process may have changed it. */
  refresh(): Promise<void>;
}

export function createCommitter(
  { store, clock }: StorePorts,
  claim: { state: LaneState; handle: RunHandle },
): Committer {
  const { handle } = claim;
  const { sessionId } = claim.state;
  const actor = { kind: "run", id: handle.runId } as const;
  let lane = claim.state;
  const oneAtATime = createMutex();

  const learn = (state: LaneState): void => {
    if (state.seq > lane.seq) lane = state;
  };

  /**
   * Called if the store did not answer a write. Returns the result of the write if the store has committed it; null if
   * not. `before`: position in the log before the write. The run sends only one write at a time, so an event of the run
   * after `before` comes from this write.
   */
  const landed = async (before: number): Promise<Done | null> => {
    const own: LaneEvent[] = [];
    for await (const event of logOf(store, sessionId, { after: before })) {
      if (event.actor.kind === "run" && event.actor.id === actor.id) own.push(event);
    }
    const state = await store.lane(sessionId);
    if (state === null || own.length === 0) return null;
    learn(state);
    const nothing = { sent: [], receipt: null, prompt: null, ask: null, work: null };
    return { status: "done", events: own, state, ...nothing };
  };

  const write = async (command: CommandInput, bodies: readonly Body[]): Promise<Done> => {
    // Read `seq` before the first attempt, because later states may already contain this write.
    const before = lane.seq;
    let unknown = false;
    return persist(async () => {
      const earlier = unknown ? await landed(before) : null;
      if (earlier !== null) return earlier;
      unknown = true;
      const answer = await store.execute({ command, bodies });
      if (answer.status === "refused") throw refusalError(answer.refusal);
      learn(answer.state);
      return answer;
    }, clock);
  };

  return {
    handle,
    lane: () => lane,
    run: () => ownRun(lane, handle),
    commit: (data, bodies = []) => {
      const command: CommandInput = { ...data, handle, sessionId, actor };
      return oneAtATime(() => write(command, bodies));
    },
    refresh: async () => {
      const state = await store.lane(sessionId);
      if (state !== null) learn(state);
    },
  };
}

function ownRun(lane: LaneState, handle: RunHandle): Run {
  const run = activeRun(lane);
  if (run?.runId === handle.runId && run.attempt === handle.attempt && run.owner !== null)
    return run;
  throw new RunLost(`run ${handle.runId} has ended or belongs to another process`);
}

function refusalError(refusal: Refusal): Error {
  if (refusal.code === "fenced" || refusal.code === "deleted") return new RunLost(refusal.message);
  if (refusal.code === "stopping") return new RunStopping();
  // The state of the run does not allow the command that the agent sent.
  return new CommandRefused(refusal);
}
