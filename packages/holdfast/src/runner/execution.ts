import type { Agent } from "../agent/agent.ts";
import { sleep } from "../base/time.ts";
import type { Caps } from "../kernel/cap.ts";
import type { AcceptLimits } from "../kernel/command.ts";
import { onlyAsks } from "../kernel/state.ts";
import type { LaneState } from "../kernel/state.ts";
import { StoreError } from "../store/store-error.ts";
import { runAgent } from "./agent-drive.ts";
import type { Claim } from "./claim.ts";
import type { Place } from "./place.ts";
import { RunLost } from "../agent/run-lost.ts";
import { createCommitter, RunStopping } from "./committer.ts";
import type { Conversations } from "../log/conversation.ts";
import type { DeltaHub } from "./delta-hub.ts";
import { watchLane } from "./lane-changes.ts";
import type { LaneHub } from "../log/lane-hub.ts";
import { persist } from "../store/persist.ts";
import type { StorePorts } from "../store/persist.ts";
import { completed, endRun, failedWith } from "./run-end.ts";
import type { RunEnd } from "./run-end.ts";

export interface ExecutionOptions extends StorePorts {
  readonly agent: Agent;
  readonly lanes: LaneHub;
  readonly deltas: DeltaHub;
  readonly limits: AcceptLimits;
  readonly conversations: Conversations;
  readonly caps: () => Caps | null;
  /** Abandons all runs at once if the lease has expired by the local clock (L5). */
  readonly checkLease: () => void;
}

/** A run or an exclusive operation that executes in this process. */
export interface Execution {
  readonly sessionId: string;
  /** Null if this is an exclusive operation. */
  readonly runId: string | null;
  /**
   * Stops the execution and gives it `grace` milliseconds to end. After that, a run is given up so that another process
   * can resume it (M9), and an exclusive operation ends.
   */
  handOver(grace: number): void;
  /** Hands the run over as soon as it only waits for answers from people, which may take forever. */
  handOverAsking(grace: number): void;
  /** Stops the execution without any further write, because the lease is lost or about to be lost (L5). */
  abandon(): void;
  /**
   * Resolves when this process no longer executes the run, with the lane's latest known state; null: unknown. Rejects on
   * a bug or if the store is broken.
   */
  readonly done: Promise<LaneState | null>;
}

export function executeRun(
  options: ExecutionOptions & { readonly place: Place },
  claim: Claim,
): Execution {
  const { lanes, clock } = options;
  const { sessionId } = claim.state;
  const { runId } = claim.handle;
  const controller = new AbortController();
  const committer = createCommitter(options, claim);
  const changes = watchLane(lanes, { sessionId, committer, controller });
  let leaving = false;

  /** Ends the run, or hands it over. Returns true if the run continues here, because a prompt has joined it. */
  const end = async (how: RunEnd): Promise<boolean> => {
    // Read the lane again: if a cancel was committed that this process has not seen, the run ends instead of being
    // handed over.
    if (leaving) await persist(() => committer.refresh(), clock);
    const handsOver = leaving && committer.run().condition.status === "running";
    if (!handsOver) return endRun(options, { committer, end: how });
    await committer.commit({ type: "run.handOver" });
    return false;
  };
  /**
   * Simulates the crash of the run for the demo agent: writes nothing until the time is over or the run is stopped. Then
   * `end` hands the run over.
   */
  const simulateCrash = async (milliseconds: number): Promise<void> => {
    const { signal } = controller;
    // A stop of the run rejects the sleep. Ignore this error: `end` finds the stop in the lane's state.
    const silence = sleep(milliseconds, { clock, signal }).catch(() => {});
    await changes.unlessLost(silence);
    leaving = true;
  };
  const work = async (): Promise<LaneState> => {
    try {
      for (;;) {
        const driven = await runAgent({ ...options, claim, committer, controller, changes });
        if (driven.status === "ended") return committer.lane();
        if (driven.status === "goesOn") continue;
        if (driven.status === "crashed") await simulateCrash(driven.silence);
        const goesOn = await end(driven.status === "over" ? driven.end : completed(null));
        if (!goesOn) return committer.lane();
      }
    } catch (error) {
      if (error instanceof RunLost) return committer.lane();
      // End the run as failed: this process must not own a run that it does not execute.
      if (!(error instanceof StoreError))
        await endRun(options, { committer, end: failedWith(error) });
      throw error;
    } finally {
      changes.close();
      options.deltas.settle(sessionId);
      claim.pin?.release();
    }
  };
  const handOver = (grace: number): void => {
    leaving = true;
    controller.abort(new RunStopping());
    changes.check();
    clock.after(grace, () => changes.interrupt(new RunStopping())).unref();
  };
  return {
    sessionId,
    runId,
    handOver,
    handOverAsking: (grace) => {
      const asking = changes.until(() => (onlyAsks(committer.run()) ? true : null));
      // `asking` rejects if the run ends or stops before only people's answers are missing. Ignore this error: there is
      // no run left to hand over.
      asking.then(
        () => handOver(grace),
        () => {},
      );
    },
    abandon: () => changes.lose(new RunLost(`the lease over run ${runId} has ended`)),
    done: work(),
  };
}
