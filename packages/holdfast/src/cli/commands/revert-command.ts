import { openClient } from "../../compose/client.ts";
import { relative } from "node:path";
import type { RevertPlan, SessionDetail, SessionHandle } from "@holdfast/sdk";
import type { RevertReport } from "../../runtime/revert/revert-work.ts";
import { CliError, exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { expectSession, folderOf, newestSession, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { oneLine, printable } from "../terminal/printable.ts";
import { onStdout, paintDiff } from "../terminal/style.ts";
import { confirm } from "../terminal/person.ts";

interface RevertInput extends ClientOptions {
  readonly directory: string;
  readonly session?: string;
  readonly run?: string;
  readonly yes?: true;
  readonly force?: true;
  readonly json?: true;
}

/** `holdfast revert`: shows the file changes of a run and undoes them. */
export async function revertRun(input: RevertInput): Promise<ExitCode> {
  const sessionId = input.session ?? (await newestOf(input));
  await using client = await openClient({ ...placeOf(input), sessionId }, "change");
  const { holdfast, url } = client;
  const session = holdfast.session(sessionId);
  const detail = await expectSession(session, { url, store: input.store });
  // Without a server, no process would run the prompts in the queue first.
  if (detail.active !== null || detail.queue.length > 0) throw busy();
  const runId = await runFor(session, input.run);
  return await revert(session, { ...input, detail, runId });
}

type Target = RevertInput & { readonly detail: SessionDetail; readonly runId: string };

async function revert(session: SessionHandle, target: Target): Promise<ExitCode> {
  const { detail, runId } = target;
  const { sessionId, directory } = detail;
  const plan = await session.planRevert(runId);
  if (target.json === true) {
    // Programs read the plan first and then confirm with --yes.
    const report =
      target.yes === true && plan.files.length > 0 ? await undo(session, target) : null;
    console.log(JSON.stringify({ sessionId, runId, plan, report }));
    return report?.problem ? exitCodes.failure : exitCodes.ok;
  }
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

/** Ignores Ctrl-C: stopping halfway would leave a mix of both states. */
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

/** Gives the result of the work its type, which the API does not declare. */
function reportOf(value: unknown): RevertReport {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the work `revert` returns this type
  return value as RevertReport;
}

function changedSince(which: string): CliError {
  const advice = "check the diff above; --force undoes it anyway";
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
    console.log("Not covered, because the changes of these calls are unknown:");
    for (const summary of plan.unknown) console.log(`  ${oneLine(summary, 100)}`);
  }
  for (const sessionId of plan.background) {
    console.log(`Not covered: the background task in session ${sessionId}`);
  }
}

function busy(): CliError {
  const advice = "wait until it ends, or stop it with `holdfast cancel`, then try again";
  return new CliError("busy", `the session has an unfinished run or prompt; ${advice}`);
}

function ignore(): void {}

async function newestOf(input: RevertInput): Promise<string> {
  const directory = folderOf(input, input.directory);
  const advice = "name a session with --session; `holdfast sessions` lists all";
  await using client = await openClient(placeOf(input), "look");
  return await newestSession(client.holdfast, { directory, advice });
}

/** The named run, or the last one of the session. */
async function runFor(session: SessionHandle, wanted: string | undefined): Promise<string> {
  let last: string | null = null;
  for await (const { runId } of session.eachRun()) {
    last = runId;
    if (last === wanted) return last;
  }
  if (wanted === undefined && last !== null) return last;
  const { sessionId } = session;
  const problem =
    wanted === undefined
      ? `session ${sessionId} has no run yet`
      : `session ${sessionId} has no run ${wanted}`;
  throw new CliError(
    "unknownRun",
    `${problem}; \`holdfast show ${sessionId} --json\` lists its runs`,
  );
}
