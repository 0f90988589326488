import { updateRecord } from "../../store/update-record.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { WebhookDelivery } from "../../contract/webhook.ts";

export type Records = Pick<Runtime["store"], "record" | "records" | "putRecord" | "removeRecord">;

/** Delivery state of a target, as stored. A node can write it only if no other node has changed it meanwhile. */
export interface Progress {
  /**
   * Position in the event feed. All earlier events are done: delivered, not wanted by the target, or listed as failed.
   */
  readonly cursor: string;
  /** The node that is sending now, and the time until which other nodes must not send. */
  readonly sender: { readonly id: string; readonly until: number } | null;
  readonly failingSince: number | null;
  readonly nextTryAt: number | null;
  /** Latest deliveries, newest first. */
  readonly deliveries: readonly WebhookDelivery[];
  /** Only for devices: the `seq` of the notification that the device shows, by session. */
  readonly shown?: Readonly<Record<string, number>>;
}

export interface StoredProgress {
  readonly version: number;
  readonly progress: Progress;
}

export interface ProgressKey {
  readonly kind: string;
  readonly id: string;
}

export function firstProgress(cursor: string): Progress {
  return { cursor, sender: null, failingSince: null, nextTryAt: null, deliveries: [] };
}

// Functions for records of delivery progress. Only this program writes such records, so their content is not validated.

export async function readProgress(
  records: Records,
  { kind, id }: ProgressKey,
): Promise<StoredProgress | null> {
  const found = await records.record(kind, id);
  return found === null ? null : { version: found.version, progress: progressOf(found.value) };
}

function progressOf(value: unknown): Progress {
  const progress: Progress = JSON.parse(JSON.stringify(value));
  return progress;
}

/**
 * Forgets a session's notification after the device has removed it. Does nothing while a node sends to the device;
 * otherwise that node would have to send its message again.
 */
export async function forgetShown(
  records: Records,
  key: ProgressKey,
  { sessionId, seq }: { sessionId: string; seq: number },
): Promise<void> {
  await updateRecord(records, key, (found) => {
    const progress = found === null ? null : progressOf(found.value);
    if (progress === null || progress.sender !== null) return null;
    const { [sessionId]: shown, ...others } = progress.shown ?? {};
    return shown === undefined || shown > seq ? null : { ...progress, shown: others };
  });
}

/** Writes the delivery state of a target. Returns null, and writes nothing, if another node has changed the state. */
export async function writeProgress(
  records: Records,
  write: ProgressKey & { version: number; progress: Progress },
): Promise<StoredProgress | null> {
  const { kind, id, version, progress: value } = write;
  const written = await records.putRecord({ kind, id, value, version });
  if (written.status === "conflict") return null;
  return { version: written.record.version, progress: value };
}
