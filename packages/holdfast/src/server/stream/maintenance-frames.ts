import type { MaintenanceAction, MaintenanceNotice } from "../../kernel/maintenance.ts";
import type { Maintenance } from "../../runner/maintenance/maintenance.ts";
import { wireMaintenance } from "../wire/maintenance.ts";
import { frame } from "./frame.ts";
import type { Subscriber } from "./subscriber.ts";

/** Tells readers of refreshes and closes. These are in no log: who comes back is told what is open. */
export interface MaintenanceFrames {
  /** Begins with the actions that have not ended, so that nothing is missed between two streams. */
  add(subscriber: Subscriber, mayUse: ((directory: string) => boolean) | null): void;
}

export function createMaintenanceFrames(
  maintenance: Pick<Maintenance, "open" | "onChange">,
): MaintenanceFrames {
  const readers = new Map<Subscriber, ((directory: string) => boolean) | null>();
  let stop: (() => void) | null = null;
  const sendAction = (action: MaintenanceAction, told: MaintenanceNotice): void => {
    const whole = frameOf(action, told, null);
    for (const [reader, mayUse] of readers) {
      const bytes = mayUse === null ? whole : frameOf(action, told, mayUse);
      if (bytes !== null) reader.send(bytes);
    }
  };
  return {
    add: (subscriber, mayUse) => {
      const { gone } = subscriber.sink;
      if (gone.aborted) return;
      readers.set(subscriber, mayUse);
      stop ??= maintenance.onChange(sendAction);
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
  told: MaintenanceNotice,
  mayUse: ((directory: string) => boolean) | null,
): Buffer | null {
  const seen = wireMaintenance(action, mayUse);
  return seen === null ? null : frame({ event: "maintenance", data: { told, action: seen } });
}
