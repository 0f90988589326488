import { relative } from "node:path";
import { send } from "../commands/command-context.ts";
import { acceptRequest } from "../../runner/prompt.ts";
import { applyRevert, planRevert } from "./revert.ts";
import type { RevertPlan } from "./revert.ts";
import { WorkFailure } from "../../runner/work-handler.ts";
import type { WorkContext } from "../../runner/work-handler.ts";

/** Input of the exclusive operation `revert`, which undoes a run. */
export interface RevertRequest {
  readonly runId: string;
  /** True: also overwrite files that people or other programs have changed after the run. */
  readonly overwrite: boolean;
  /** Real paths of the files to undo. Omitted: all files that the run changed. */
  readonly files?: readonly string[];
}

/** Result of a revert. Paths are relative to the session's directory. */
export interface RevertReport {
  readonly runId: string;
  readonly done: readonly string[];
  /** The file at which the revert stopped. This file and those after it are unchanged. */
  readonly problem: { readonly path: string; readonly message: string } | null;
  readonly left: readonly string[];
}

/** Restores the files that a run has changed, and tells the model about it (M8). */
export async function revertWork(context: WorkContext): Promise<RevertReport> {
  const { store, sessionId, signal } = context;
  const { runId, overwrite, files: wanted } = readRequest(context.input);
  const lane = await store.lane(sessionId);
  const directory = lane?.directory ?? "/";
  const whole = await planRevert(store, { sessionId, runId });
  const isWanted = ({ path }: RevertPlan["files"][number]): boolean =>
    wanted?.includes(path) ?? true;
  const plan = { ...whole, files: whole.files.filter(isWanted) };
  const name = (path: string): string => relative(directory, path);
  const conflict = plan.files.find((file) => file.conflict !== null);
  if (conflict !== undefined && !overwrite) {
    throw new WorkFailure("changedSince", `${name(conflict.path)}: ${conflict.conflict}`);
  }
  if (plan.files.length === 0) return { runId, done: [], problem: null, left: [] };
  signal.throwIfAborted();
  const files = plan.files.map(({ path }) => name(path)).join(", ");
  await informModel(context, newsOf(plan, { runId, files }));
  const { done, problem } = await applyRevert(plan.files, signal);
  const left = plan.files.map(({ path }) => path).filter((path) => !done.includes(path));
  const report: RevertReport = {
    runId,
    done: done.map(name),
    problem: problem === null ? null : { ...problem, path: name(problem.path) },
    left: left.map(name),
  };
  if (left.length > 0) await informModel(context, correctionOf(report));
  return report;
}

function readRequest(input: unknown): RevertRequest {
  const given = typeof input === "object" && input !== null ? input : {};
  const runId = "runId" in given && typeof given.runId === "string" ? given.runId : null;
  if (runId === null)
    throw new WorkFailure(
      "invalid",
      'the run id is missing; set "runId" to the run whose file changes should be undone',
    );
  const files = "files" in given && Array.isArray(given.files) ? given.files : null;
  return {
    runId,
    overwrite: "overwrite" in given && given.overwrite === true,
    ...(files === null ? {} : { files: files.map(String) }),
  };
}

/**
 * Tells the model that its changes are undone. The message becomes part of the conversation before the first file is
 * changed, so that the model knows about it even after a cancel or a crash.
 */
async function informModel(context: WorkContext, text: string): Promise<void> {
  const { store, sessionId, actor, workId, fence } = context;
  const promptId = context.newId("revert");
  const limits = { maxQueue: 100_000, maxBytes: 1 << 30, draining: false };
  const message = { sessionId, promptId, text, reply: false, actor };
  await send(store, acceptRequest(message, { limits, work: { workId, fence } }));
}

function newsOf(plan: RevertPlan, undone: { runId: string; files: string }): string {
  const { runId, files } = undone;
  const what =
    `The changes of run ${runId} to these files were undone by the user: ${files}. ` +
    "The files have their content from before that run, unless the undo was interrupted.";
  const rest =
    plan.unknown.length === 0 ? "" : " Changes that commands made in other ways were not undone.";
  return `${what}${rest} Read the files again before you change them.`;
}

/** Builds the message for the model if the revert has restored fewer files than announced. */
function correctionOf({ runId, done, left }: RevertReport): string {
  const undone = done.length === 0 ? "None of them" : `Only ${done.join(", ")}`;
  return (
    `Undoing the changes of run ${runId} was interrupted. ${undone} was undone; ` +
    `not undone: ${left.join(", ")}.`
  );
}
