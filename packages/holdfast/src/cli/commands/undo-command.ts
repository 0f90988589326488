import { openClient } from "../../compose/client.ts";
import { relative } from "node:path";
import type { Prompt, RevertPlan, SessionDetail, SessionHandle } from "@holdfast/sdk";
import type { RevertReport } from "../../runtime/revert/revert-work.ts";
import { CliError, exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { expectSession, folderOf, newestSession, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { oneLine, printable } from "../terminal/printable.ts";
import { onStdout, paintDiff } from "../terminal/style.ts";
import { findPrompt, shortId } from "../ids.ts";
import { resolveSession } from "../resolve-session.ts";
import { age } from "../terminal/age.ts";
import { confirm, terminalInput } from "../terminal/person.ts";
import { pick } from "../terminal/pick.ts";

interface UndoInput extends ClientOptions {
  readonly directory: string;
  readonly session?: string;
  /** The prompt whose changes are undone, or the start of its id. */
  readonly prompt?: string;
  readonly yes?: true;
  readonly force?: true;
  readonly json?: true;
}

/** `holdfast undo`: shows the file changes of a prompt and undoes them. */
export async function undoPrompt(input: UndoInput): Promise<ExitCode> {
  const sessionId = await (input.session === undefined
    ? newestOf(input)
    : resolveSession(input, input.session));
  await using client = await openClient({ ...placeOf(input), sessionId }, "change");
  const { holdfast, url } = client;
  const session = holdfast.session(sessionId);
  const detail = await expectSession(session, { url, store: input.store });
  // An undo waits in the queue after earlier prompts. Without a server, no process would run those prompts.
  if (detail.active !== null || detail.queue.length > 0) throw busy();
  const runId = await runFor(session, input);
  if (runId === null) return exitCodes.failure;
  return await revert(session, { ...input, detail, runId });
}

type Target = UndoInput & { readonly detail: SessionDetail; readonly runId: string };

async function revert(session: SessionHandle, target: Target): Promise<ExitCode> {
  const { detail, runId } = target;
  const { sessionId, directory } = detail;
  const plan = await session.planRevert(runId);
  if (target.json === true) {
    // With --json, a program calls this command twice: first to read the planned changes, then with --yes to undo them.
    const report =
      target.yes === true && plan.files.length > 0 ? await undo(session, target) : null;
    console.log(JSON.stringify({ sessionId, runId, plan, report }));
    return report?.problem ? exitCodes.failure : exitCodes.ok;
  }
  console.log(`session ${shortId(sessionId)}, run ${shortId(runId)}, in ${directory}`);
  show(plan, directory);
  if (plan.files.length === 0) {
    console.log(
      "Nothing to undo: the run recorded no file changes, or the files already have their earlier content.",
    );
    return exitCodes.ok;
  }
  const conflicts = plan.files.filter(({ conflict }) => conflict !== null);
  if (conflicts.length > 0 && target.force !== true) {
    const [first] = conflicts;
    throw changedSince(`${relative(directory, first?.path ?? "")}: ${first?.conflict}`);
  }
  if (target.yes !== true && !(await confirm("Undo these changes?"))) return exitCodes.failure;
  const { done, problem, left } = await undo(session, target);
  if (done.length > 0) {
    console.log(`Undone: ${done.map(printable).join(", ")}. The session was informed.`);
  }
  if (problem === null) return exitCodes.ok;
  const message = `${problem.path} could not be restored: ${problem.message}`;
  const rest = `${left.length} of ${plan.files.length} files were not restored`;
  throw new CliError("notUndone", `${message}; ${rest}`);
}

/** Undoes the changes. Ignores Ctrl-C, because stopping halfway would leave a mix of both states. */
async function undo(session: SessionHandle, target: Target): Promise<RevertReport> {
  const { runId, force = false } = target;
  process.on("SIGINT", ignore);
  try {
    const { result } = await session.revert(runId, { overwrite: force });
    if (result?.status === "completed") return reportOf(result.value);
    if (result?.code === "changedSince") throw changedSince(result.message);
    throw new CliError(
      "notUndone",
      result?.message ?? "the revert was stopped before it was complete",
    );
  } finally {
    process.off("SIGINT", ignore);
  }
}

/** Returns the result of a revert with its type, because the API declares the result as unknown. */
function reportOf(value: unknown): RevertReport {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the work `revert` returns this type
  return value as RevertReport;
}

function changedSince(which: string): CliError {
  const advice = "check the diff above, or undo the changes anyway with --force";
  return new CliError("changedSince", `${which}; ${advice}`);
}

function show(plan: RevertPlan, directory: string): void {
  for (const { path, diff, conflict } of plan.files) {
    console.log(paintDiff(printable(diff.trimEnd()), onStdout));
    if (conflict !== null) {
      console.log(onStdout("yellow", `! ${printable(relative(directory, path))}: ${conflict}`));
    }
  }
  if (plan.unknown.length > 0) {
    console.log("Not undone, because Holdfast does not know which files these calls changed:");
    for (const summary of plan.unknown) console.log(`  ${oneLine(summary, 100)}`);
  }
  for (const sessionId of plan.background) {
    console.log(`Not undone: changes of the background task in session ${shortId(sessionId)}`);
  }
}

function busy(): CliError {
  const advice = "wait until it ends, or stop it with `holdfast cancel`, then try again";
  return new CliError("busy", `the session has an unfinished run or prompt; ${advice}`);
}

function ignore(): void {}

async function newestOf(input: UndoInput): Promise<string> {
  const directory = folderOf(input, input.directory);
  const advice = "name a session with --session; `holdfast sessions` lists all";
  await using client = await openClient(placeOf(input), "look");
  return await newestSession(client.holdfast, { directory, advice });
}

/** Number of prompts that the user can choose from. */
const offered = 10;

/**
 * Returns the run of the named prompt, of the prompt that the user chooses, or of the last prompt. Null: the user chose
 * none.
 */
async function runFor(session: SessionHandle, input: UndoInput): Promise<string | null> {
  const prompts: Prompt[] = [];
  for await (const prompt of session.eachPrompt())
    if (prompt.runId !== null) prompts.unshift(prompt);
  const [last] = prompts;
  const { sessionId } = session;
  const problem = `session ${shortId(sessionId)} has no prompt that ran`;
  if (last === undefined) throw new CliError("unknownPrompt", `${problem}; nothing can be undone`);
  if (input.prompt !== undefined) {
    const promptId = await findPrompt(session, input.prompt);
    const found = prompts.find((prompt) => prompt.promptId === promptId);
    if (found !== undefined) return found.runId;
    const advice = `\`holdfast prompts --session ${shortId(sessionId)}\` lists all`;
    throw new CliError("unknownPrompt", `no prompt ${input.prompt} has run here; ${advice}`);
  }
  if (prompts.length === 1 || input.yes === true || input.json === true) return last.runId;
  if (terminalInput() === null) return last.runId;
  const rows = prompts.slice(0, offered).map((prompt) => ({
    value: prompt.runId,
    text: `${age(Date.now() - prompt.acceptedAt)}  ${oneLine(prompt.text ?? "", 60)}`,
  }));
  return pick("Undo the changes of which prompt?", rows);
}
