import type { WorkRow } from "../../kernel/ledger.ts";
import { makeBody } from "../../store/body.ts";
import { CommandRefused } from "../../runner/command-refused.ts";
import type { RevertPlan } from "../revert/revert.ts";
import type { RevertReport, RevertRequest } from "../revert/revert-work.ts";
import { waitForRow } from "../../log/wait.ts";
import { findRun } from "../views/runs.ts";
import { viewWork } from "../views/work.ts";
import type { WorkView } from "../views/work.ts";
import { nobody } from "./command-parts.ts";
import type { ByActor, CommandParts } from "./command-parts.ts";

/** Exclusive work on a session: it has a place in the queue and keeps runs out meanwhile (M8). */
export interface WorkCommands {
  /** Answers when it is durable; whichever process gets to it does it. */
  queueWork(input: WorkInput): Promise<WorkView>;
  /** The work once it has ended, or as it is when the signal aborts first; null if unknown. */
  waitWork(target: WaitTarget): Promise<WorkView | null>;
  /** What undoing a run's file changes would do; changes nothing. */
  planRevert(target: { sessionId: string; runId: string }): Promise<RevertPlan>;
  /**
   * Queues a revert and waits for its end, or until the signal aborts: the work goes on then.
   */
  revert(input: RevertInput): Promise<WorkView<RevertReport>>;
}

export interface WaitTarget {
  readonly sessionId: string;
  readonly workId: string;
  readonly signal?: AbortSignal | undefined;
}

export interface WorkInput extends ByActor {
  readonly sessionId: string;
  readonly workId?: string | undefined;
  readonly name: string;
  /** What the work is to do, as JSON. */
  readonly input: unknown;
}

export interface RevertInput extends ByActor {
  readonly sessionId: string;
  readonly runId: string;
  readonly workId?: string | undefined;
  /** Also files that somebody else has changed since. */
  readonly overwrite?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export function workCommands(parts: CommandParts): WorkCommands {
  const { store } = parts;
  const queueWork = async <Value>(input: WorkInput): Promise<WorkView<Value>> => {
    const { sessionId, name, actor = nobody } = input;
    const workId = input.workId ?? parts.newId("work");
    const body = makeBody(JSON.stringify(input.input ?? null));
    const command = { type: "work.queue", sessionId, workId, name, body: body.hash } as const;
    const { work } = await parts.send({ command: { ...command, actor }, bodies: [body] });
    if (work === null) throw new Error(`work ${workId} was queued without a row`);
    return viewWork(store, work);
  };
  const waitWork = async <Value>(target: WaitTarget): Promise<WorkView<Value> | null> => {
    const { sessionId, workId, signal } = target;
    const row = await waitForRow<WorkRow>(parts, {
      sessionId,
      read: () => store.work(sessionId, workId),
      isOver: ({ ended }) => ended !== null,
      signal,
    });
    return row === null ? null : viewWork(store, row);
  };
  return {
    queueWork,
    waitWork,
    planRevert: async (target) => {
      await expectRun(parts, target);
      // Loaded by those who need it: most processes undo nothing.
      const { planRevert } = await import("../revert/revert.ts");
      return planRevert(store, target);
    },
    revert: async (input) => {
      const { sessionId, runId, workId, actor, signal } = input;
      await expectRun(parts, { sessionId, runId });
      const request: RevertRequest = { runId, overwrite: input.overwrite ?? false };
      const work = { sessionId, workId, actor, name: "revert", input: request };
      const queued = await queueWork<RevertReport>(work);
      const target = { sessionId, workId: queued.workId, signal };
      return (await waitWork<RevertReport>(target)) ?? queued;
    },
  };
}

async function expectRun(
  parts: CommandParts,
  target: { sessionId: string; runId: string },
): Promise<void> {
  const { sessionId, runId } = target;
  const lane = await parts.store.lane(sessionId);
  if (lane === null) {
    const message = `there is no session ${sessionId}`;
    throw new CommandRefused({ code: "unknownSession", message });
  }
  if ((await findRun(parts.store, target)) === null) {
    const message = `session ${sessionId} has no run ${runId}`;
    throw new CommandRefused({ code: "invalid", field: "runId", message });
  }
}
