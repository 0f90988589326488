import type { Holdfast, MaintenanceAction, MaintenanceAnswer, PinningRun } from "@holdfast/sdk";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { createLines } from "../terminal/lines.ts";
import type { Lines } from "../terminal/lines.ts";
import { askPerson, terminalInput } from "../terminal/person.ts";
import { oneLine, printable } from "../terminal/printable.ts";
import { shortId } from "../ids.ts";
import { placeWords } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";

/**
 * Waits until a reload or close has ended. At a terminal the user can force it or stop waiting. `place`: options that
 * make a later command use the same server.
 */
export async function followAction(
  holdfast: Holdfast,
  { actionId, place, isForced }: { actionId: string; place: string; isForced: boolean },
): Promise<ExitCode> {
  const lines = createLines({ answers: true, notes: true });
  const leaving = new AbortController();
  const over = new AbortController();
  let isTerminated = false;
  const leave = (signal: NodeJS.Signals): void => {
    isTerminated ||= signal === "SIGTERM";
    leaving.abort();
  };
  process.on("SIGINT", leave).on("SIGTERM", leave);
  const watched = { holdfast, actionId, lines, signal: over.signal };
  const watching = Promise.all([isForced ? null : offerForce(watched), showCount(watched)]);
  try {
    const action = await holdfast.maintenance.ended(actionId, { signal: leaving.signal });
    over.abort();
    await watching;
    lines.close();
    const words = action.kind === "close" ? "closed" : "done: the old config is no longer in use";
    if (action.status === "completed") console.log(words);
    return showEnd(action);
  } catch (error) {
    over.abort();
    await watching;
    lines.close();
    if (!leaving.signal.aborted) throw error;
    const advice = `\`holdfast server maintenance ${shortId(actionId)}${place} --wait\` resumes waiting`;
    console.error(`stopped waiting; the action continues, and no run was cancelled; ${advice}`);
    return isTerminated ? exitCodes.terminated : exitCodes.interrupted;
  } finally {
    process.off("SIGINT", leave).off("SIGTERM", leave);
  }
}

interface Watched {
  readonly holdfast: Holdfast;
  readonly actionId: string;
  readonly lines: Lines;
  /** Aborts when the action has ended. */
  readonly signal: AbortSignal;
}

async function offerForce({ holdfast, actionId, lines, signal }: Watched): Promise<void> {
  const input = terminalInput();
  if (input === null) return;
  const prompt = "f and Enter cancels these runs, Ctrl-C stops waiting: ";
  const wanted = await askPerson(lines, { prompt, signal, input, read: readForce });
  if (wanted !== "force") return;
  lines.waiting("cancelling");
  await holdfast.maintenance
    .force(actionId, { signal })
    .catch((error: unknown) => lines.say(`could not cancel the runs: ${messageOf(error)}`));
}

function readForce(line: string): "force" | null {
  return /^f(?:orce)?$/i.test(line.trim()) ? "force" : null;
}

/** Prints how many runs the action still waits for, whenever the number changes. */
async function showCount({ holdfast, actionId, lines, signal }: Watched): Promise<void> {
  let count: number | null = null;
  try {
    for await (const item of holdfast.events({ after: "now", deltas: false, signal })) {
      if (item.type !== "maintenance" || item.action.actionId !== actionId) continue;
      const { waitingFor, endedAt } = item.action;
      const isChanged = count !== null && count !== waitingFor.length;
      // No runs are left while the old config closes.
      if (isChanged && waitingFor.length > 0 && endedAt === null) {
        lines.note(waitingText(waitingFor));
      }
      count = waitingFor.length;
    }
  } catch {
    // Ignore the error: the caller waits for the end of the maintenance action and reports an unreachable server.
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Lists the runs that an action waits for, with the titles of their sessions. */
export async function showWaiting(
  holdfast: Holdfast,
  runs: readonly PinningRun[],
  { isForced }: { isForced: boolean },
): Promise<void> {
  const rest = runs.length === 1 ? "it keeps the old config until it ends" : keeping;
  console.log(isForced ? `cancelling ${countOf(runs)}…` : `${waitingText(runs)} ${rest}`);
  for (const { sessionId, runId } of runs.slice(0, shown)) {
    // Without the session's details, only the title is missing in the line.
    const session = await holdfast
      .session(sessionId)
      .get()
      .catch(() => null);
    const title = oneLine(session?.title ?? "", 50);
    const words = title === "" ? "" : `  “${title}”`;
    console.log(`  session ${shortId(sessionId)}  run ${shortId(runId)}${words}`);
  }
  if (runs.length > shown) console.log(`  and ${runs.length - shown} more`);
}

const keeping = "they keep the old config until they end";
const shown = 20;

export function waitingText(runs: readonly PinningRun[]): string {
  return `waiting for ${countOf(runs)}…`;
}

function countOf(runs: readonly PinningRun[]): string {
  return runs.length === 1 ? "1 run" : `${runs.length} runs`;
}

/** Prints the problems, if any. */
export function showEnd(end: Pick<MaintenanceAction, "problems" | "status">): ExitCode {
  const isFailed = end.status === "failed";
  for (const { directory, message } of end.problems) {
    const text = printable(message).replaceAll("\n", "\n  ");
    console.error(`holdfast: ${isFailed ? "failed" : "problem"}: ${printable(directory)}: ${text}`);
  }
  if (isFailed) console.error("the previous config stays in use");
  return exitCodeOf(end);
}

/** Returns the exit code of a command that requested the action. */
export function exitCodeOf({ status }: Pick<MaintenanceAction, "status">): ExitCode {
  return status === "failed" ? exitCodes.failure : exitCodes.ok;
}

export interface FollowOptions extends ClientOptions {
  /** Whether to wait until the reload or close has ended. Undefined: wait at a terminal, but not in a script. */
  readonly wait?: boolean;
  readonly json?: true;
  /** True: runs that the action would wait for are cancelled, so the wait is short. */
  readonly force?: true;
}

/**
 * Prints the result of a config change, such as a reload (M2). Waits for runs on the old config if the options say so.
 */
export async function showAnswer(
  holdfast: Holdfast,
  answer: MaintenanceAnswer,
  options: FollowOptions & {
    /** Text to print if the change did not fail. */
    readonly said: string | readonly string[];
  },
): Promise<ExitCode> {
  const { status, actionId, waitingFor } = answer;
  const place = placeWords(options);
  const isWatched = options.json !== true && terminalInput() !== null;
  const isForced = options.force === true;
  const isFollowed = status === "deferred" && (options.wait ?? (isWatched || isForced));
  if (options.json === true) {
    const shown = isFollowed ? await holdfast.maintenance.ended(actionId) : answer;
    console.log(JSON.stringify(shown));
    return exitCodeOf(shown);
  }
  if (status !== "failed") for (const line of [options.said].flat()) console.log(printable(line));
  if (status !== "deferred") return showEnd(answer);
  await showWaiting(holdfast, waitingFor, { isForced });
  if (isFollowed) return followAction(holdfast, { actionId, place, isForced });
  const command = `holdfast server maintenance ${shortId(actionId)}${place}`;
  console.log(`\`${command}\` shows its state; add --wait to wait, or --force to cancel the runs`);
  return exitCodes.ok;
}
