import { relative } from "node:path";
import { logOf, openExistingStore, openWorkshop } from "../main.ts";
import type { LaneState, RevertPlan, RevertReport, Runtime, Store } from "../main.ts";
import { CliError, exitCodes } from "./cli-error.ts";
import type { ExitCode } from "./cli-error.ts";
import { expectSession } from "./expect-session.ts";
import { findSessions } from "./find-sessions.ts";
import { realFolder } from "./folder.ts";
import { createLines } from "./lines.ts";
import { askPerson, terminalInput } from "./person.ts";
import { oneLine, printable } from "./printable.ts";
import { readYesOrNo } from "./reply.ts";
import { onStdout, paintDiff } from "./style.ts";

interface RevertInput {
  readonly store: string;
  readonly directory: string;
  readonly session?: string;
  readonly run?: string;
  readonly yes?: true;
  readonly force?: true;
}

/** `holdfast revert`: puts back the files that a run has changed, after showing how. */
export async function revertRun(input: RevertInput): Promise<ExitCode> {
  const store = await openExistingStore(input.store);
  try {
    const lane = await sessionFor(store, input);
    // Nobody is here who would work on what comes first.
    if (lane.active !== null || lane.queue.length > 0) throw busy();
    const runId = await runFor(store, { lane, wanted: input.run });
    const runtime = await openWorkshop(store, lane.sessionId);
    try {
      return await revert(runtime, { ...input, lane, runId });
    } finally {
      await runtime.close();
    }
  } finally {
    await store.close();
  }
}

type Target = RevertInput & { readonly lane: LaneState; readonly runId: string };

async function revert(runtime: Runtime, target: Target): Promise<ExitCode> {
  const { lane, runId } = target;
  const { sessionId, directory } = lane;
  const plan = await runtime.planRevert({ sessionId, runId });
  console.log(`session ${sessionId}, run ${runId}, in ${directory}`);
  show(plan, directory);
  if (plan.files.length === 0) {
    console.log("Nothing to undo: the files are as they were before the run.");
    return exitCodes.ok;
  }
  const conflicts = plan.files.filter(({ conflict }) => conflict !== null);
  if (conflicts.length > 0 && target.force !== true) {
    const [first] = conflicts;
    throw changedSince(`${relative(directory, first?.path ?? "")}: ${first?.conflict}`);
  }
  if (target.yes !== true && !(await isConfirmed())) return exitCodes.failure;
  const { done, problem, left } = await undo(runtime, target);
  if (done.length > 0) {
    console.log(`Undone: ${done.map(printable).join(", ")}. The session was told.`);
  }
  if (problem === null) return exitCodes.ok;
  const message = `${problem.path} could not be put back: ${problem.message}`;
  const rest = `${left.length} of ${plan.files.length} files are left`;
  throw new CliError("notUndone", `${message}; ${rest}`);
}

/** It takes a moment, and half of it would be neither the one state nor the other. */
async function undo(runtime: Runtime, target: Target): Promise<RevertReport> {
  const { lane, runId, force = false } = target;
  const { sessionId } = lane;
  process.on("SIGINT", ignore);
  try {
    const { result } = await runtime.revert({ sessionId, runId, overwrite: force });
    if (result?.status === "completed") return result.value;
    if (result?.code === "changedSince") throw changedSince(result.message);
    throw new CliError("notUndone", result?.message ?? "it was ended before it was done");
  } finally {
    process.off("SIGINT", ignore);
  }
}

function changedSince(which: string): CliError {
  const advice = "look at the diff above; --force undoes it all the same";
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
    console.log("Not covered, since it is not known what these have changed:");
    for (const summary of plan.unknown) console.log(`  ${oneLine(summary, 100)}`);
  }
  for (const sessionId of plan.background) {
    console.log(`Not covered: the background task in session ${sessionId}`);
  }
}

async function isConfirmed(): Promise<boolean> {
  const input = terminalInput();
  if (input === null) {
    const advice = "--yes does it without asking";
    throw new CliError("notConfirmed", `there is no terminal to ask on; ${advice}`);
  }
  const lines = createLines({ answers: true, notes: true });
  const { signal } = new AbortController();
  const prompt = "Put the files back? y or n: ";
  const answer = await askPerson(lines, { prompt, signal, input, read: readYesOrNo });
  const isYes = typeof answer === "object" && answer.verdict === "allow";
  if (!isYes) console.log("Nothing was changed.");
  return isYes;
}

function busy(): CliError {
  const advice = "wait for its end, or continue the session and cancel it, then try again";
  return new CliError("busy", `the session has a run or a prompt that has not ended; ${advice}`);
}

function ignore(): void {}

async function sessionFor(store: Store, input: RevertInput): Promise<LaneState> {
  if (input.session !== undefined) {
    return expectSession(store, { sessionId: input.session, store: input.store });
  }
  const directory = realFolder(input.directory);
  const [newest] = await findSessions(store, { directory, children: false });
  if (newest !== undefined) return newest.lane;
  const advice = "name one with --session, `holdfast sessions` lists them";
  throw new CliError("unknownSession", `no session has worked in ${directory}; ${advice}`);
}

/** The run that was named, or the session's last. */
async function runFor(
  store: Store,
  target: { lane: LaneState; wanted: string | undefined },
): Promise<string> {
  const { lane, wanted } = target;
  let last: string | null = null;
  for await (const event of logOf(store, lane.sessionId)) {
    if (event.type !== "run.started") continue;
    last = event.runId;
    if (last === wanted) return last;
  }
  if (wanted === undefined && last !== null) return last;
  const { sessionId } = lane;
  const problem =
    wanted === undefined
      ? `session ${sessionId} has had no run`
      : `session ${sessionId} has no run ${wanted}`;
  throw new CliError(
    "unknownRun",
    `${problem}; \`holdfast show ${sessionId} --json\` names its runs`,
  );
}
