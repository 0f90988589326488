import { relative } from "node:path";
import { itemId } from "../kernel/state.ts";
import type { LaneState } from "../kernel/state.ts";
import { send } from "./commands/command-parts.ts";
import { acceptRequest, editRequest } from "./prompt.ts";
import { applyRevert, planRevert } from "./revert.ts";
import type { RevertedFile, RevertPlan } from "./revert.ts";
import { WorkFailure } from "./work-handler.ts";
import type { WorkContext } from "./work-handler.ts";

/** What the exclusive work `revert` is asked to do. */
export interface RevertRequest {
  readonly runId: string;
  /** Also files that somebody else has changed since. */
  readonly overwrite: boolean;
}

/** What came of it. Paths are relative to the session's directory. */
export interface RevertReport {
  readonly runId: string;
  readonly done: readonly string[];
  /** Where it had to stop: that file and those behind it are as they were. */
  readonly problem: { readonly path: string; readonly message: string } | null;
  readonly left: readonly string[];
}

/** Puts back the files that a run has changed, and lets the session know (M8). */
export async function revertWork(context: WorkContext): Promise<RevertReport> {
  const { store, sessionId, signal } = context;
  const { runId, overwrite } = readRequest(context.input);
  const lane = await store.lane(sessionId);
  const directory = lane?.directory ?? "/";
  const plan = await planRevert(store, { sessionId, runId });
  const name = (path: string): string => relative(directory, path);
  const conflict = plan.files.find((file) => file.conflict !== null);
  if (conflict !== undefined && !overwrite) {
    throw new WorkFailure("changedSince", `${name(conflict.path)}: ${conflict.conflict}`);
  }
  if (plan.files.length === 0) return { runId, done: [], problem: null, left: [] };
  signal.throwIfAborted();
  const news = await tellFirst(context, { runId, plan, name });
  const { done, problem } = await applyRevert(plan.files, signal);
  await news.correct(done.map(name));
  const left = plan.files.map(({ path }) => path).filter((path) => !done.includes(path));
  return {
    runId,
    done: done.map(name),
    problem: problem === null ? null : { ...problem, path: name(problem.path) },
    left: left.map(name),
  };
}

function readRequest(input: unknown): RevertRequest {
  const given = typeof input === "object" && input !== null ? input : {};
  const runId = "runId" in given && typeof given.runId === "string" ? given.runId : null;
  if (runId === null) throw new WorkFailure("invalid", "a revert names its run as runId");
  return { runId, overwrite: "overwrite" in given && given.overwrite === true };
}

/**
 * The model must not believe that its changes are still there. The message is in the queue before
 * the first file is touched, and enters when the work has ended, also if that is by a crash.
 */
async function tellFirst(
  context: WorkContext,
  undone: { runId: string; plan: RevertPlan; name: (path: string) => string },
): Promise<{ correct(names: readonly string[]): Promise<void> }> {
  const { store, sessionId, actor } = context;
  const { runId, plan, name } = undone;
  const promptId = context.newId("revert");
  const limits = { maxQueue: 100_000, maxBytes: 1 << 30, draining: false };
  const names = plan.files.map((file: RevertedFile) => name(file.path));
  const text = newsOf({ runId, names, plan, certain: false });
  const message = { sessionId, promptId, text, reply: false, actor };
  const { state } = await send(store, acceptRequest(message, { limits }));
  await moveFirst(context, { state, promptId });
  return {
    correct: async (done) => {
      if (done.length === 0) {
        const scope = { kind: "prompt", promptId } as const;
        const cancelId = context.newId("cancel");
        const command = {
          type: "cancel",
          sessionId,
          cancelId,
          scope,
          reason: null,
          actor,
        } as const;
        await send(store, { command });
        return;
      }
      const sure = newsOf({ runId, names: done, plan, certain: true });
      const { maxBytes } = limits;
      const target = { sessionId, promptId, revision: 1, actor, maxBytes };
      await send(store, await editRequest(store, { ...target, text: sure }));
    },
  };
}

/** Before whatever was sent meanwhile: those prompts are about the files as they will be. */
async function moveFirst(
  context: WorkContext,
  message: { state: LaneState; promptId: string },
): Promise<void> {
  const { store, sessionId, actor } = context;
  const { state, promptId } = message;
  const first = state.queue[0];
  if (first === undefined || itemId(first) === promptId) return;
  const before = itemId(first);
  const command = { type: "prompt.move", sessionId, promptId, before, actor } as const;
  await store.execute({ command });
}

function newsOf(undone: {
  runId: string;
  names: readonly string[];
  plan: RevertPlan;
  certain: boolean;
}): string {
  const { runId, names, plan, certain } = undone;
  const files = names.join(", ");
  const what = certain
    ? `The changes of run ${runId} to these files were undone by a person: ${files}. ` +
      "They are as they were before that run."
    : `A person has begun to undo the changes of run ${runId} to these files: ${files}. ` +
      "Some of them, or all, are as they were before that run.";
  const rest =
    plan.unknown.length === 0 ? "" : " What commands have changed in other ways was left as it is.";
  return `${what}${rest} Read them again before you change them.`;
}
