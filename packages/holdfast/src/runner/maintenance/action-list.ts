import type { MaintenanceAction } from "../../kernel/maintenance.ts";
import { newestFirst } from "./action-records.ts";
import type { MaintenancePage, MaintenanceQuery } from "./maintenance.ts";

/** One page of actions that come newest first. */
export function pageOfActions(
  actions: readonly MaintenanceAction[],
  query: MaintenanceQuery,
): MaintenancePage {
  const { limit = 100, after = null } = query;
  const place = after === null ? null : placeOf(after);
  if (after !== null && place === null) throw new RangeError("this is no cursor of maintenance");
  const found = actions.filter(
    (action) => isAskedFor(action, query) && (place === null || newestFirst(place, action) < 0),
  );
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return { actions: page, cursor: last === undefined ? null : cursorOf(last) };
}

export function isActionCursor(text: string): boolean {
  return placeOf(text) !== null;
}

function isAskedFor(action: MaintenanceAction, query: MaintenanceQuery): boolean {
  const { status, directory, matches } = query;
  return (
    (status === undefined || action.status === status) &&
    (directory === undefined || (action.directories?.includes(directory) ?? true)) &&
    (matches === undefined || matches(action))
  );
}

type Place = Pick<MaintenanceAction, "requestedAt" | "actionId">;

function cursorOf({ requestedAt, actionId }: Place): string {
  return Buffer.from(`${requestedAt} ${actionId}`).toString("base64url");
}

function placeOf(text: string): Place | null {
  const found = /^(\d{1,15}) (\S{1,100})$/.exec(Buffer.from(text, "base64url").toString());
  const [, requestedAt, actionId] = found ?? [];
  if (requestedAt === undefined || actionId === undefined) return null;
  return { requestedAt: Number(requestedAt), actionId };
}
