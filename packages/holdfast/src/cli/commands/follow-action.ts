import type { Holdfast } from "@holdfast/sdk";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { createLines } from "../terminal/lines.ts";
import type { Lines } from "../terminal/lines.ts";
import { showEnd, waitingText } from "./maintenance-text.ts";
import { askPerson, terminalInput } from "../terminal/person.ts";

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
