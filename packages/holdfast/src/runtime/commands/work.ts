import type { WorkRow } from "../../kernel/ledger.ts";
import { makeBody } from "../../store/body.ts";
import { CommandRefused } from "../../runner/command-refused.ts";
import type { Changes, WholeChange } from "../changes/changes.ts";
import type { RevertPlan } from "../revert/revert.ts";
import type { RevertReport, RevertRequest } from "../revert/revert-work.ts";
import { waitForRow } from "../../log/follow.ts";
import { sessionHints } from "../../log/session-log.ts";
import { findRun } from "../views/runs.ts";
import { nobody } from "./command-context.ts";
import type { ByActor, CommandContext } from "./command-context.ts";
import type { Actor, WorkEnd } from "../../kernel/event.ts";
import type { StoreReader } from "../../store/store.ts";
import { readBody } from "../../log/bodies.ts";
import type { WorkResult } from "../../runner/work-handler.ts";

/**
 * Exclusive operations on a session, such as an undo. An operation waits in the queue and blocks runs while it is
 * active (M8).
 */
export interface WorkCommands {
  /** Queues an operation. Resolves when the request is durable; any process may execute the operation. */
  queueWork(input: WorkInput): Promise<WorkView>;
  /**
   * Returns the operation when it has ended. If the signal aborts first, returns its current state. Null if there is no
   * such operation.
   */
  waitWork(target: WaitTarget): Promise<WorkView | null>;
  /** Lists the files that a session, or one of its runs, has changed. */
  changes(scope: { sessionId: string; runId: string | null }): Promise<Changes>;
  /** Returns the diff of one changed file; null if the session or run did not change the file. */
  change(target: {
    sessionId: string;
    runId: string | null;
    path: string;
    context: number;
  }): Promise<WholeChange | null>;
  /** Returns what undoing a run's file changes would do, without changing anything. */
  planRevert(target: { sessionId: string; runId: string }): Promise<RevertPlan>;
  /** Queues a revert and waits for its end. If the signal aborts, only the waiting ends. */
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
  /** Input of the operation: any JSON value. */
  readonly input: unknown;
}

export interface RevertInput extends ByActor {
  readonly sessionId: string;
  readonly runId: string;
  readonly workId?: string | undefined;
  /** True: also overwrite files that people or other programs have changed after the run. */
  readonly overwrite?: boolean;
  /** Real paths of the files to undo. Omitted: all files that the run changed. */
  readonly files?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

export function workCommands(context: CommandContext): WorkCommands {
  const { store } = context;
  const queueWork = async <Value>(input: WorkInput): Promise<WorkView<Value>> => {
    const { sessionId, name, actor = nobody } = input;
    const workId = input.workId ?? context.newId("work");
    const body = makeBody(JSON.stringify(input.input ?? null));
    const command = { type: "work.queue", sessionId, workId, name, body: body.hash } as const;
    const { work } = await context.send({ command: { ...command, actor }, bodies: [body] });
    if (work === null)
      throw new Error(`the store returned no row for work ${workId}; please report this bug`);
    return viewWork(store, work);
  };
  const waitWork = async <Value>(target: WaitTarget): Promise<WorkView<Value> | null> => {
    const { sessionId, workId, signal } = target;
    const row = await waitForRow<WorkRow>(sessionHints(context.lanes, sessionId), {
      read: () => store.work(sessionId, workId),
      isOver: ({ ended }) => ended !== null,
      signal,
    });
    return row === null ? null : viewWork(store, row);
  };
  return {
    queueWork,
    waitWork,
    // Load the code on demand: most processes never list changes.
    changes: async (scope) => (await import("../changes/changes.ts")).listChanges(store, scope),
    change: async (target) => (await import("../changes/changes.ts")).showChange(store, target),
    planRevert: async (target) => {
      await expectRun(context, target);
      // Load the code on demand: most processes never revert anything.
      const { planRevert } = await import("../revert/revert.ts");
      return planRevert(store, target);
    },
    revert: async (input) => {
      const { sessionId, runId, workId, actor, signal } = input;
      await expectRun(context, { sessionId, runId });
      const { overwrite = false, files } = input;
      const request: RevertRequest = {
        runId,
        overwrite,
        ...(files === undefined ? {} : { files }),
      };
      const work = { sessionId, workId, actor, name: "revert", input: request };
      const queued = await queueWork<RevertReport>(work);
      const target = { sessionId, workId: queued.workId, signal };
      return (await waitWork<RevertReport>(target)) ?? queued;
    },
  };
}

async function expectRun(
  context: CommandContext,
  target: { sessionId: string; runId: string },
): Promise<void> {
  const { sessionId, runId } = target;
  const lane = await context.store.lane(sessionId);
  if (lane === null) {
    const message = `there is no session ${sessionId}`;
    throw new CommandRefused({ code: "unknownSession", message });
  }
  if ((await findRun(context.store, target)) === null) {
    const message = `session ${sessionId} has no run ${runId}`;
    throw new CommandRefused({ code: "invalid", field: "runId", message });
  }
}

/** An exclusive operation in the form that clients see. */
interface WorkView<Value = unknown> {
  readonly sessionId: string;
  readonly workId: string;
  readonly name: string;
  readonly actor: Actor;
  readonly status: "queued" | "running" | "ended";
  /** Reason why the operation ended; null while it has not. Only `done` means that its handler finished. */
  readonly cause: WorkEnd | null;
  readonly input: unknown;
  /** Result of the operation; null if another process ended it. */
  readonly result: WorkResult<Value> | null;
  readonly queuedAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

async function viewWork<Value>(store: StoreReader, row: WorkRow): Promise<WorkView<Value>> {
  const { sessionId, workId, name, actor, queuedAt, started, ended } = row;
  const [input, result] = await Promise.all([
    readBody<unknown>(store, row.body),
    readBody<WorkResult<Value>>(store, ended?.body ?? null),
  ]);
  return {
    sessionId,
    workId,
    name,
    actor,
    status: ended !== null ? "ended" : started !== null ? "running" : "queued",
    cause: ended?.cause ?? null,
    input,
    result,
    queuedAt,
    startedAt: started?.at ?? null,
    endedAt: ended?.at ?? null,
  };
}
