import type { MaintenanceAction, MaintenanceAnswer } from "@holdfast/sdk";
import { createStore, produce } from "solid-js/store";
import { t } from "../i18n/text.ts";
import { holdfast } from "./client.ts";
import { onFeed } from "./feed.ts";
import { attempt } from "./show-error.ts";
import { showToast } from "./toasts.ts";

const [byId, setById] = createStore<Record<string, MaintenanceAction>>({});
/** Ids of unfinished actions that this page requested. A toast is shown when they end. */
const awaited = new Set<string>();

/** Known actions, latest first. */
export function maintenanceActions(): readonly MaintenanceAction[] {
  return Object.values(byId).toSorted((left, right) => right.requestedAt - left.requestedAt);
}

export async function loadMaintenance(): Promise<void> {
  const { items } = await holdfast.maintenance.list({ limit: 50 });
  for (const action of items) put(action);
}

/**
 * Requests a maintenance action, such as a reload of the config, and shows a toast with the result: done, waiting, or
 * failed.
 */
export function change(work: () => Promise<MaintenanceAnswer>): Promise<void> {
  return attempt(async () => applied(await work()));
}

/** Shows a toast with the result of a change. */
export function applied(answer: MaintenanceAnswer): void {
  const { status, actionId, waitingFor, problems } = answer;
  const text = t().maintenance;
  const problem = problems[0]?.message ?? null;
  switch (status) {
    case "completed":
      showToast(() => (problem === null ? text.done : text.doneBut({ problem })), {
        tone: problem === null ? "good" : "plain",
      });
      return;
    case "deferred":
      awaited.add(actionId);
      showToast(() => text.deferred({ count: waitingFor.length }), {
        actions: [{ label: () => text.force, run: () => void forceAction(actionId) }],
      });
      return;
    case "failed":
      showToast(() => text.failed({ problem: problem ?? "" }), { tone: "bad" });
      return;
  }
}

/** Cancels the runs that an action waits for. Queued prompts stay queued (M5). */
export function forceAction(actionId: string): Promise<void> {
  return attempt(async () => {
    const answer = await holdfast.maintenance.force(actionId);
    if (answer.status === "deferred") awaited.add(actionId);
    else if (!awaited.has(actionId)) applied(answer);
  });
}

onFeed((item) => {
  if (item.type !== "maintenance") return;
  const { action } = item;
  put(action);
  if (action.endedAt === null || !awaited.delete(action.actionId)) return;
  const problem = action.problems[0]?.message ?? "";
  if (action.status === "failed") {
    showToast(() => t().maintenance.endedBadly({ problem }), { tone: "bad" });
  } else showToast(() => t().maintenance.ended, { tone: "good" });
});

function put(action: MaintenanceAction): void {
  setById(
    produce((known) => {
      const isEnded = (known[action.actionId]?.endedAt ?? null) !== null;
      // An ended action stays ended, even if an older update arrives late.
      if (!isEnded || action.endedAt !== null) known[action.actionId] = action;
    }),
  );
}
