import type { Holdfast, MaintenanceAnswer } from "@holdfast/sdk";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { placeWords } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { followAction } from "./follow-action.ts";
import { exitCodeOf, showEnd, showWaiting } from "./maintenance-text.ts";
import { terminalInput } from "../terminal/person.ts";
import { printable } from "../terminal/printable.ts";

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
