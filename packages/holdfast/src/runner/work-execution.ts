import type { WorkRow } from "../kernel/ledger.ts";
import { makeBody } from "../store/body.ts";
import type { Execution } from "./execution.ts";
import type { LaneHub } from "../log/lane-hub.ts";
import { persist } from "../store/persist.ts";
import type { StorePorts } from "../store/persist.ts";
import { readBody } from "../log/bodies.ts";
import { failedWork, WorkFailure } from "./work-handler.ts";
import type { WorkHandlers, WorkResult } from "./work-handler.ts";

export interface WorkOptions extends StorePorts {
  readonly lanes: LaneHub;
  readonly works: WorkHandlers;
  readonly newId: (kind: string) => string;
}

/** An exclusive operation that this process has claimed, with the fencing token from its start. */
export interface WorkClaim {
  readonly work: WorkRow;
  readonly fence: number;
}

/** Calls the handler of the operation and commits the result (M8). */
export function executeWork(options: WorkOptions, claim: WorkClaim): Execution {
  const { store, lanes } = options;
  const { fence } = claim;
  const { sessionId } = claim.work;
  const controller = new AbortController();
  const given = Promise.withResolvers<WorkResult>();
  let lost = false;

  const look = async (): Promise<void> => {
    const state = await store.lane(sessionId);
    const work = state?.active?.kind === "work" && state.fence === fence ? state.active : null;
    if (work === null) lose();
    else if (work.condition.status === "stopping") stop("cancelled", "it was cancelled");
  };
  const stop = (code: string, message: string): void => {
    controller.abort(new WorkFailure(code, message));
  };
  const lose = (): void => {
    lost = true;
    stop("lost", "others may have the session by now");
    // The handler's result will not be written, so do not wait for it.
    given.resolve(failedWork(controller.signal.reason));
  };
  // Ignore a failed read: the next renewal of the lease triggers another one.
  const stopListening = lanes.listen(sessionId, () => void look().catch(() => {}));

  const work = async (): Promise<null> => {
    try {
      const handled = perform(options, { claim, signal: controller.signal });
      const result = await Promise.race([handled, given.promise]);
      if (!lost) await endWork(options, { claim, result });
      return null;
    } finally {
      stopListening();
    }
  };
  return {
    sessionId,
    runId: null,
    handOver: (grace) => {
      const failure = new WorkFailure(
        "interrupted",
        "the process that executed the operation was stopped",
      );
      controller.abort(failure);
      options.clock.after(grace, () => given.resolve(failedWork(failure))).unref();
    },
    handOverAsking: () => {},
    abandon: lose,
    done: work(),
  };
}

/** Ends an operation that this process owns but does not execute, so that it does not block the lane. */
export async function abandonWork(ports: StorePorts, claim: WorkClaim): Promise<void> {
  const news = "the store was unavailable, so it is unknown whether the operation was executed";
  const failure = new WorkFailure("interrupted", news);
  await endWork(ports, { claim, result: failedWork(failure) });
}

async function perform(
  options: WorkOptions,
  target: { claim: WorkClaim; signal: AbortSignal },
): Promise<WorkResult> {
  const { store, works, clock, newId } = options;
  const { work, fence } = target.claim;
  const { sessionId, workId, name, actor, body } = work;
  try {
    const handler = Object.hasOwn(works, name) ? works[name] : undefined;
    if (handler === undefined) {
      const known = Object.keys(works).join(", ");
      throw new WorkFailure(
        "unknownWork",
        `this process cannot execute the operation ${name}; it can execute ${known}`,
      );
    }
    const input = await persist(() => readBody<unknown>(store, body), clock);
    const { signal } = target;
    const value = await handler({ store, sessionId, workId, fence, actor, input, signal, newId });
    return { status: "completed", value: value ?? null };
  } catch (error) {
    return failedWork(error);
  }
}

async function endWork(
  { store, clock }: StorePorts,
  ending: { claim: WorkClaim; result: WorkResult },
): Promise<void> {
  const { fence, work } = ending.claim;
  const { sessionId, workId, started } = work;
  const body = makeBody(JSON.stringify(ending.result));
  const actor = { kind: "node", id: started?.owner ?? "node" } as const;
  const command = { type: "work.end", sessionId, workId, fence } as const;
  // Ignore a refusal: the operation has already ended, or another process owns the lane.
  await persist(
    () => store.execute({ command: { ...command, body: body.hash, actor }, bodies: [body] }),
    clock,
  );
}
