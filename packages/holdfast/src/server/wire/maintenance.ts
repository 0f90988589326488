import type { MaintenanceAction, MaintenanceAnswer } from "../../contract/maintenance.ts";
import type { MaintenanceAction as KernelAction } from "../../kernel/maintenance.ts";
import { revokedBy } from "../../kernel/decide/maintenance.ts";
import { answerOf } from "../../runner/maintenance/maintenance.ts";

/**
 * Converts an action to the form that clients get, without directories that the principal may not use. Null if no
 * directory is left.
 */
export function wireMaintenance(
  action: KernelAction,
  mayUse: ((directory: string) => boolean) | null,
): MaintenanceAction | null {
  const { actionId, kind, mode, cause, actor, requestedAt, forced, status, endedAt } = action;
  const { affectedDirectories, waitingFor, problems } = answerOf(action);
  const whole: MaintenanceAction = {
    actionId,
    kind,
    directories: action.directories,
    mode,
    cause,
    revoke: revokedBy(action),
    actor,
    requestedAt,
    forced,
    status,
    endedAt,
    affectedDirectories,
    waitingFor,
    problems,
    nodes: action.parts.map((part) => ({ nodeId: part.nodeId, status: part.status })),
  };
  if (mayUse === null) return whole;
  const directories = whole.directories?.filter(mayUse) ?? null;
  const seen = { ...whole, ...onlyVisible(whole, mayUse), directories };
  return seen.affectedDirectories.length + (directories?.length ?? 0) === 0 ? null : seen;
}

/**
 * Converts the answer to a maintenance request (M2) to the form that clients get, without directories that the
 * principal may not use.
 */
export function wireAnswer(
  answer: MaintenanceAnswer,
  mayUse: ((directory: string) => boolean) | null,
): MaintenanceAnswer {
  const { status, actionId, affectedDirectories, waitingFor, problems } = answer;
  const whole = { status, actionId, affectedDirectories, waitingFor, problems };
  return mayUse === null ? whole : { ...whole, ...onlyVisible(whole, mayUse) };
}

type Places = Pick<MaintenanceAnswer, "affectedDirectories" | "waitingFor" | "problems">;

function onlyVisible(places: Places, mayUse: (directory: string) => boolean): Places {
  return {
    affectedDirectories: places.affectedDirectories.filter(mayUse),
    waitingFor: places.waitingFor.filter(({ directory }) => mayUse(directory)),
    problems: places.problems.filter(({ directory }) => mayUse(directory)),
  };
}
