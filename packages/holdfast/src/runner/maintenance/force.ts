import type { MaintenanceAction, PinningRun } from "../../kernel/maintenance.ts";
import type { Store } from "../../store/store.ts";

/** Cancels runs that an action waits for (M5). What waits in their queues is left alone. */
export async function cancelForced(
  store: Store,
  target: { action: MaintenanceAction; runs: readonly PinningRun[] },
): Promise<void> {
  const { actionId, actor, forced } = target.action;
  for (const { sessionId, runId } of target.runs) {
    // Under one id for the action and the run: asked again, it covers nothing more (C4).
    const cancelId = `force:${actionId}:${runId}`;
    const scope = { kind: "run", runId } as const;
    const by = forced?.actor ?? actor;
    const command = {
      type: "cancel",
      sessionId,
      actor: by,
      cancelId,
      scope,
      reason: "force",
    } as const;
    await store.execute({ command });
  }
}
