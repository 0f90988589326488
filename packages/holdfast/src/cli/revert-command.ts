import { randomUUID } from "node:crypto";
import { relative } from "node:path";
import { acceptRequest, CommandRefused, loadRevert, logOf, openExistingStore } from "../main.ts";
import type { LaneState, RevertPlan, Store } from "../main.ts";
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
    if (lane.active !== null) throw busy();
    const runId = await runFor(store, { lane, wanted: input.run });
    return await revert(store, { ...input, lane, runId });
  } finally {
    await store.close();
  }
}

type Target = RevertInput & { readonly lane: LaneState; readonly runId: string };

async function revert(store: Store, target: Target): Promise<ExitCode> {
  const { lane, runId } = target;
  const { sessionId, directory } = lane;
  const { planRevert, applyRevert } = await loadRevert();
  const plan = await planRevert(store, { sessionId, runId });
  console.log(`session ${sessionId}, run ${runId}, in ${directory}`);
  show(plan, directory);
  if (plan.files.length === 0) {
    console.log("Nothing to undo: the files are as they were before the run.");
    return exitCodes.ok;
  }
  const conflicts = plan.files.filter(({ conflict }) => conflict !== null);
  if (conflicts.length > 0 && target.force !== true) {
    const [first] = conflicts;
    const which = `${relative(directory, first?.path ?? "")}: ${first?.conflict}`;
    const advice = "look at the diff above; --force undoes it all the same";
    throw new CliError("changedSince", `${which}; ${advice}`);
  }
  if (target.yes !== true && !(await isConfirmed())) return exitCodes.failure;
  // Each file is put back only if it still is as it was shown.
  const { done, problem } = await whileQuiet(store, {
    sessionId,
    work: async () => {
      const result = await applyRevert(plan.files);
      const names = result.done.map((path) => relative(directory, path));
      if (names.length > 0)
        await tellSession(store, { sessionId, text: newsOf({ runId, names, plan }) });
      return result;
    },
  });
  if (done.length > 0) {
    const names = done.map((path) => printable(relative(directory, path)));
    console.log(`Undone: ${names.join(", ")}. The session was told.`);
  }
  if (problem === null) return exitCodes.ok;
  const rest = plan.files.length - done.length;
  const message = `${relative(directory, problem.path)} could not be put back: ${problem.message}`;
  throw new CliError("notUndone", `${message}; ${rest} of ${plan.files.length} files are left`);
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

/** The model must not believe that its changes are still there. */
function newsOf(undone: { runId: string; names: readonly string[]; plan: RevertPlan }): string {
  const { runId, names, plan } = undone;
  const rest =
    plan.unknown.length === 0 ? "" : " What commands have changed in other ways was left as it is.";
  return (
    `The changes of run ${runId} to these files were undone by a person: ${names.join(", ")}. ` +
    `They are as they were before that run.${rest} Read them again before you change them.`
  );
}

async function tellSession(
  store: Store,
  message: { sessionId: string; text: string },
): Promise<void> {
  const limits = { maxQueue: 1_000, maxBytes: 4 * 1024 * 1024, draining: false };
  const promptId = `revert-${randomUUID()}`;
  await send(store, acceptRequest({ ...message, promptId, reply: false, actor }, { limits }));
}

/** Holds the lane meanwhile, so that no run starts; refused while one is active (M8). */
async function whileQuiet<Result>(
  store: Store,
  options: { sessionId: string; work: () => Promise<Result> },
): Promise<Result> {
  const { sessionId, work } = options;
  const holdId = `revert-${randomUUID()}`;
  const reason = "files are being put back";
  // It takes a moment, and half of it would be neither the one state nor the other.
  process.on("SIGINT", ignore);
  try {
    const command = { type: "hold.place", sessionId, holdId, reason, actor } as const;
    const { active } = await send(store, { command });
    try {
      if (active !== null) throw busy();
      return await work();
    } finally {
      const target = { kind: "hold", holdId } as const;
      await send(store, { command: { type: "hold.release", sessionId, target, actor } });
    }
  } finally {
    process.off("SIGINT", ignore);
  }
}

function busy(): CliError {
  const advice = "wait for its end, or continue the session and cancel it, then try again";
  return new CliError("busy", `the session has a run that has not ended; ${advice}`);
}

function ignore(): void {}

const actor = { kind: "client", id: "local" } as const;

async function send(store: Store, request: Parameters<Store["execute"]>[0]): Promise<LaneState> {
  const answer = await store.execute(request);
  if (answer.status === "refused") throw new CommandRefused(answer.refusal);
  return answer.state;
}

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
