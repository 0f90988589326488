import type { Holdfast, MaintenanceAction, PinningRun } from "@holdfast/sdk";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { oneLine, printable } from "../terminal/printable.ts";

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
