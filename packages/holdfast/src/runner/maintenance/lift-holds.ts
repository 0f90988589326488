import type { MaintenanceAction } from "../../kernel/maintenance.ts";
import type { Store } from "../../store/store.ts";

/**
 * A refresh lets lanes try again that a failure holds (L4). Not where the new state could not be loaded:
 * the next prompt would only share the failure.
 */
export async function liftHolds(store: Store, action: MaintenanceAction): Promise<void> {
  const { actor, directories } = action;
  const failed = action.parts.flatMap((part) => (part.status === "failed" ? part.problems : []));
  const kept = new Set(failed.map(({ directory }) => directory));
  const target = { kind: "refresh" } as const;
  for (const { sessionId, directory } of await store.failureHolds(directories)) {
    if (kept.has(directory)) continue;
    await store.execute({ command: { type: "hold.release", sessionId, actor, target } });
  }
}
