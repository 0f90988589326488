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
import { printTable } from "../terminal/table.ts";
import type { Column } from "../terminal/table.ts";
import { timeText } from "../terminal/time.ts";
import { findAction, shortId } from "../ids.ts";

export type MaintenanceOptions = ClientOptions & {
  readonly action?: string;
  readonly wait?: true;
  readonly force?: true;
  readonly json?: true;
};

/** `holdfast server maintenance`: shows one action (a reload or a close), or lists the latest actions. */
export async function showMaintenance(options: MaintenanceOptions): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "running");
  const { holdfast } = client;
  return options.action === undefined
    ? await listActions(holdfast, options)
    : await showAction(holdfast, {
        ...options,
        action: await findAction(holdfast, options.action),
      });
}

async function listActions(holdfast: Holdfast, { json }: MaintenanceOptions): Promise<ExitCode> {
  const { items } = await holdfast.maintenance.list({ limit: 20 });
  const actions = items.toReversed();
  if (json === true) for (const action of actions) console.log(JSON.stringify(action));
  else printTable(columns, actions.map(cellsOf));
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
  printTable(columns, [cellsOf(action)]);
  if (action.endedAt !== null) return showEnd(action);
  const isForced = action.mode === "force";
  await showWaiting(holdfast, action.waitingFor, { isForced });
  return options.wait === true
    ? followAction(holdfast, { actionId, place: placeWords(options), isForced })
    : exitCodes.ok;
}

const columns: readonly Column[] = [
  { title: "REQUESTED" },
  { title: "ID" },
  { title: "STATUS", paint: (text) => onStdout(text.startsWith("failed") ? "red" : "bold", text) },
  { title: "ACTION", cut: "middle", least: 30 },
  { title: "BY", optional: 1 },
];

function cellsOf(action: MaintenanceAction): readonly string[] {
  const { actionId, kind, status, requestedAt, cause, actor, waitingFor, mode } = action;
  const where = action.directories?.map(printable).join(", ") ?? "all directories";
  const why = cause === "request" ? "" : ` (${cause})`;
  const force = mode === "force" ? ", forced" : "";
  const waits = status === "deferred" ? `, ${waitingText(waitingFor)}` : "";
  const who = actor.kind === "node" ? "automatic" : printable(actor.id);
  const what = `${kind} ${where}${why}${force}${waits}`;
  return [timeText(requestedAt), shortId(actionId), status, what, who];
}
