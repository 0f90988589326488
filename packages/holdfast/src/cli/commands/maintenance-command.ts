import type { Holdfast, MaintenanceAction } from "@holdfast/sdk";
import { openClient } from "../../compose/client.ts";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { placeOf, placeWords } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import {
  exitCodeOf,
  followAction,
  showEnd,
  showWaiting,
  waitingText,
} from "./maintenance-progress.ts";
import { printable } from "../terminal/printable.ts";
import { onStdout } from "../terminal/style.ts";

export type MaintenanceOptions = ClientOptions & {
  readonly action?: string;
  readonly wait?: true;
  readonly force?: true;
  readonly json?: true;
};

/** `holdfast maintenance`: shows one refresh or close, or lists the latest. */
export async function showMaintenance(options: MaintenanceOptions): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "running");
  const { holdfast } = client;
  return options.action === undefined
    ? await listActions(holdfast, options)
    : await showAction(holdfast, { ...options, action: options.action });
}

async function listActions(holdfast: Holdfast, { json }: MaintenanceOptions): Promise<ExitCode> {
  const { items } = await holdfast.maintenance.list({ limit: 20 });
  for (const action of items.toReversed()) {
    console.log(json === true ? JSON.stringify(action) : lineOf(action));
  }
  if (items.length === 0 && json !== true) console.log("nothing was reloaded or closed yet");
  return exitCodes.ok;
}

async function showAction(
  holdfast: Holdfast,
  options: MaintenanceOptions & { readonly action: string },
): Promise<ExitCode> {
  const { action: actionId, json } = options;
  const { maintenance } = holdfast;
  if (options.force === true) await maintenance.force(actionId);
  if (json === true) {
    const action = await (options.wait === true
      ? maintenance.ended(actionId)
      : maintenance.get(actionId));
    console.log(JSON.stringify(action));
    return exitCodeOf(action);
  }
  const action = await maintenance.get(actionId);
  console.log(lineOf(action));
  if (action.endedAt !== null) return showEnd(action);
  const isForced = action.mode === "force";
  await showWaiting(holdfast, action.waitingFor, { isForced });
  return options.wait === true
    ? followAction(holdfast, { actionId, place: placeWords(options), isForced })
    : exitCodes.ok;
}

function lineOf(action: MaintenanceAction): string {
  const { actionId, kind, status, requestedAt, cause, actor, waitingFor, mode } = action;
  const time = new Date(requestedAt).toISOString().slice(0, 19).replace("T", " ");
  const where = action.directories?.map(printable).join(", ") ?? "all directories";
  const why = cause === "request" ? "" : ` (${cause})`;
  const force = mode === "force" ? ", forced" : "";
  const waits = status === "deferred" ? `, ${waitingText(waitingFor)}` : "";
  const state = onStdout(status === "failed" ? "red" : "bold", status.padEnd(9));
  const who = actor.kind === "node" ? "automatic" : `by ${printable(actor.id)}`;
  const what = `${kind} ${where}${why}${force}${waits}`;
  return `${time}  ${state}  ${what}  ${who}  ${onStdout("dim", actionId)}`;
}
