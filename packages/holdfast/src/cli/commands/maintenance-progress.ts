import type { Holdfast, MaintenanceAction, MaintenanceAnswer, PinningRun } from "@holdfast/sdk";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { createLines } from "../terminal/lines.ts";
import type { Lines } from "../terminal/lines.ts";
import { askPerson, terminalInput } from "../terminal/person.ts";
import { oneLine, printable } from "../terminal/printable.ts";
import { placeWords } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";

/**
 * Waits until a refresh or close has ended. At a terminal it can be forced, and be left alone; `place`
 * is what finds it again.
 */
export async function followAction(
  holdfast: Holdfast,
  { actionId, place, isForced }: { actionId: string; place: string; isForced: boolean },
): Promise<ExitCode> {
  const lines = createLines({ answers: true, notes: true });
  const leaving = new AbortController();
  const over = new AbortController();
  const leave = (): void => leaving.abort();
  process.on("SIGINT", leave).on("SIGTERM", leave);
  const watched = { holdfast, actionId, lines, signal: over.signal };
  const watching = Promise.all([isForced ? null : offerForce(watched), tellCount(watched)]);
  try {
    const action = await holdfast.maintenance.ended(actionId, { signal: leaving.signal });
    over.abort();
    await watching;
    lines.close();
    const words = action.kind === "close" ? "closed" : "done: what was replaced is gone";
    if (action.status === "completed") console.log(words);
    return showEnd(action);
  } catch (error) {
    over.abort();
    await watching;
    lines.close();
    if (!leaving.signal.aborted) throw error;
    const advice = `\`holdfast maintenance ${actionId}${place} --wait\` waits again`;
    console.error(`left; it goes on by itself, and no run was cancelled by this; ${advice}`);
    return exitCodes.interrupted;
  } finally {
    process.off("SIGINT", leave).off("SIGTERM", leave);
  }
}

interface Watched {
  readonly holdfast: Holdfast;
  readonly actionId: string;
  readonly lines: Lines;
  /** Aborts when there is nothing to wait for any more. */
  readonly signal: AbortSignal;
}

async function offerForce({ holdfast, actionId, lines, signal }: Watched): Promise<void> {
  const input = terminalInput();
  if (input === null) return;
  const prompt = "f cancels what it waits for, Ctrl-C leaves it waiting: ";
  const wanted = await askPerson(lines, { prompt, signal, input, read: readForce });
  if (wanted !== "force") return;
  lines.waiting("cancelling");
  await holdfast.maintenance
    .force(actionId, { signal })
    .catch((error: unknown) => lines.say(`it could not be forced: ${messageOf(error)}`));
}

function readForce(line: string): "force" | null {
  return /^f(?:orce)?$/i.test(line.trim()) ? "force" : null;
}

/** Says how many it still waits for, whenever that changes. */
async function tellCount({ holdfast, actionId, lines, signal }: Watched): Promise<void> {
  let count: number | null = null;
  try {
    for await (const item of holdfast.events({ after: "now", deltas: false, signal })) {
      if (item.type !== "maintenance" || item.action.actionId !== actionId) continue;
      const { waitingFor, endedAt } = item.action;
      if (count !== null && count !== waitingFor.length && endedAt === null) {
        lines.note(waitingText(waitingFor));
      }
      count = waitingFor.length;
    }
  } catch {
    // Whoever waits for the end hears of a server that is away.
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Names the runs that something waits for, with what their sessions are called. */
export async function showWaiting(
  holdfast: Holdfast,
  runs: readonly PinningRun[],
  { isForced }: { isForced: boolean },
): Promise<void> {
  const rest = runs.length === 1 ? "it keeps what it began with to its end" : keeping;
  console.log(isForced ? `cancelling ${countOf(runs)}…` : `${waitingText(runs)} ${rest}`);
  for (const { sessionId, runId } of runs.slice(0, shown)) {
    const session = await holdfast
      .session(sessionId)
      .get()
      .catch(() => null);
    const title = oneLine(session?.title ?? "", 50);
    console.log(`  ${sessionId}  ${runId}${title === "" ? "" : `  “${title}”`}`);
  }
  if (runs.length > shown) console.log(`  and ${runs.length - shown} more`);
}

const keeping = "they keep what they began with to their end";
const shown = 20;

export function waitingText(runs: readonly PinningRun[]): string {
  return `waiting for ${countOf(runs)}…`;
}

function countOf(runs: readonly PinningRun[]): string {
  return runs.length === 1 ? "1 run" : `${runs.length} runs`;
}

/** What went wrong, if anything did. */
export function showEnd(end: Pick<MaintenanceAction, "problems" | "status">): ExitCode {
  const isFailed = end.status === "failed";
  for (const { directory, message } of end.problems) {
    const text = printable(message).replaceAll("\n", "\n  ");
    console.error(`holdfast: ${isFailed ? "failed" : "problem"}: ${printable(directory)}: ${text}`);
  }
  if (isFailed) console.error("what was in use before is still in use");
  return exitCodeOf(end);
}

/** What a command ends with. */
export function exitCodeOf({ status }: Pick<MaintenanceAction, "status">): ExitCode {
  return status === "failed" ? exitCodes.failure : exitCodes.ok;
}

export interface FollowOptions extends ClientOptions {
  /** Left out: a person at a terminal waits, a script does not. */
  readonly wait?: boolean;
  readonly json?: true;
  /** The runs that it would wait for are being cancelled: that takes a moment, and no longer. */
  readonly force?: true;
}

/** Shows what became of a change (M2), and waits with the person for what it waits for. */
export async function showAnswer(
  holdfast: Holdfast,
  answer: MaintenanceAnswer,
  options: FollowOptions & {
    /** What is to be said of it unless it failed. */
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
  const command = `holdfast maintenance ${actionId}${place}`;
  console.log(`\`${command}\` shows it; --wait waits, --force cancels what it waits for`);
  return exitCodes.ok;
}
