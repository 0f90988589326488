import type { MaintenanceAction, MaintenanceNotice } from "../../kernel/maintenance.ts";
import type { Maintenance } from "../../runner/maintenance/maintenance.ts";
import { wireMaintenance } from "../wire/maintenance.ts";
import { frame } from "./frame.ts";
import type { Subscriber } from "./subscriber.ts";

/**
 * Sends readers the progress of maintenance actions: reloading or closing directories. No log contains these actions,
 * so a reader that reconnects gets all actions that have not ended.
 */
export interface MaintenanceFrames {
  /**
   * Adds a reader. The reader first gets all actions that have not ended, because it may have missed messages about
   * them while it was not connected.
   */
  add(subscriber: Subscriber, mayUse: ((directory: string) => boolean) | null): void;
}

export function createMaintenanceFrames(
  maintenance: Pick<Maintenance, "open" | "onChange">,
): MaintenanceFrames {
  const readers = new Map<Subscriber, ((directory: string) => boolean) | null>();
  let stop: (() => void) | null = null;
  const send = (action: MaintenanceAction, change: MaintenanceNotice): void => {
    const whole = frameOf(action, change, null);
    for (const [reader, mayUse] of readers) {
      const bytes = mayUse === null ? whole : frameOf(action, change, mayUse);
      if (bytes !== null) reader.send(bytes);
    }
  };
  return {
    add: (subscriber, mayUse) => {
      const { gone } = subscriber.sink;
      if (gone.aborted) return;
      readers.set(subscriber, mayUse);
      stop ??= maintenance.onChange(send);
      const leave = (): void => {
        readers.delete(subscriber);
        if (readers.size > 0) return;
        stop?.();
        stop = null;
      };
      gone.addEventListener("abort", leave, { once: true });
      for (const action of maintenance.open()) {
        const bytes = frameOf(action, `maintenance.${action.status}`, mayUse);
        if (bytes !== null) subscriber.send(bytes);
      }
    },
  };
}

function frameOf(
  action: MaintenanceAction,
  change: MaintenanceNotice,
  mayUse: ((directory: string) => boolean) | null,
): Buffer | null {
  const seen = wireMaintenance(action, mayUse);
  return seen === null
    ? null
    : frame({ event: "maintenance", data: { told: change, action: seen } });
}
