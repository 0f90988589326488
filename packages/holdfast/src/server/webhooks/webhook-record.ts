import { isOf } from "../../kernel/event-table.ts";
import type { LaneEvent } from "../../kernel/event.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { WebhookDelivery } from "../../contract/webhook.ts";

export type Records = Pick<Runtime["store"], "record" | "records" | "putRecord" | "removeRecord">;

const webhookEvents = ["prompt.settled", "ask.opened", "ask.closed"] as const;
export type WebhookEvent = Extract<LaneEvent, { type: (typeof webhookEvents)[number] }>;

export function isWebhookEvent(event: LaneEvent): event is WebhookEvent {
  return isOf(event, webhookEvents);
}

/** A registered webhook; immutable. */
export interface WebhookRecord {
  readonly webhookId: string;
  readonly url: string;
  readonly events: readonly WebhookEvent["type"][];
  /** Null for all sessions. */
  readonly sessionId: string | null;
  /** Directories of the token that created the webhook; null: all. */
  readonly directories: readonly string[] | null;
  readonly createdAt: number;
  /** Signs every delivery. Shown only when the webhook is created. */
  readonly secret: string;
}

/** Delivery state of a webhook. Written only if its version has not changed. */
export interface Progress {
  /** Everything up to this position was delivered, or given up and reported as failed. */
  readonly cursor: string;
  /** The node that is sending, and until when others must not send. */
  readonly sender: { readonly id: string; readonly until: number } | null;
  readonly failingSince: number | null;
  readonly nextTryAt: number | null;
  /** Latest deliveries, newest first. */
  readonly deliveries: readonly WebhookDelivery[];
}

export interface StoredProgress {
  readonly version: number;
  readonly progress: Progress;
}

const recordKind = "webhook";
const progressKind = "webhookProgress";
/** Test deliveries have their own record, so that a test never conflicts with a delivery in progress. */
const testsKind = "webhookTests";
const keptTests = 10;

// Only this program writes these records, so their shape is trusted.

export async function readWebhook(
  records: Records,
  webhookId: string,
): Promise<WebhookRecord | null> {
  const found: { value: unknown } | null = await records.record(recordKind, webhookId);
  return found === null ? null : asWebhook(found.value);
}

export async function listWebhooks(
  records: Records,
  page: { after: string | null; limit: number },
): Promise<WebhookRecord[]> {
  const found = await records.records(recordKind, page);
  return found.map(({ value }) => asWebhook(value));
}

/** Stores a webhook. If one with this id exists, returns that one. */
export async function addWebhook(
  records: Records,
  added: { webhook: WebhookRecord; cursor: string },
): Promise<WebhookRecord> {
  const { webhook, cursor } = added;
  const id = webhook.webhookId;
  const progress: Progress = {
    cursor,
    sender: null,
    failingSince: null,
    nextTryAt: null,
    deliveries: [],
  };
  // Write the progress first: a webhook without it would have no start position.
  await records.putRecord({ kind: progressKind, id, value: progress, version: null });
  const written = await records.putRecord({ kind: recordKind, id, value: webhook, version: null });
  return written.record === null ? webhook : asWebhook(written.record.value);
}

export async function removeWebhook(records: Records, id: string): Promise<boolean> {
  const wasThere = await records.removeRecord({ kind: recordKind, id });
  await records.removeRecord({ kind: progressKind, id });
  await records.removeRecord({ kind: testsKind, id });
  return wasThere;
}

/** Test deliveries, newest first. */
export async function readTests(records: Records, id: string): Promise<readonly WebhookDelivery[]> {
  const found = await records.record(testsKind, id);
  return found === null ? [] : asDeliveries(found.value);
}

export async function addTest(
  records: Records,
  id: string,
  delivery: WebhookDelivery,
): Promise<void> {
  for (;;) {
    const found = await records.record(testsKind, id);
    const before = found === null ? [] : asDeliveries(found.value);
    const value = [delivery, ...before].slice(0, keptTests);
    const version = found?.version ?? null;
    const written = await records.putRecord({ kind: testsKind, id, value, version });
    if (written.status === "stored") return;
  }
}

export async function readProgress(records: Records, id: string): Promise<StoredProgress | null> {
  const found = await records.record(progressKind, id);
  return found === null ? null : { version: found.version, progress: asProgress(found.value) };
}

/** Writes the progress. Returns null if another node has changed it. */
export async function writeProgress(
  records: Records,
  write: { id: string; version: number; progress: Progress },
): Promise<StoredProgress | null> {
  const { id, version, progress: value } = write;
  const written = await records.putRecord({ kind: progressKind, id, value, version });
  if (written.status === "conflict") return null;
  return { version: written.record.version, progress: value };
}

function asWebhook(value: unknown): WebhookRecord {
  const webhook: WebhookRecord = JSON.parse(JSON.stringify(value));
  return webhook;
}

function asProgress(value: unknown): Progress {
  const progress: Progress = JSON.parse(JSON.stringify(value));
  return progress;
}

function asDeliveries(value: unknown): readonly WebhookDelivery[] {
  const deliveries: readonly WebhookDelivery[] = JSON.parse(JSON.stringify(value));
  return deliveries;
}
