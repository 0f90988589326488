import { isOf } from "../../kernel/event-table.ts";
import type { LaneEvent } from "../../kernel/event.ts";
import { noticeEvents } from "../../kernel/notice.ts";
import type { WebhookDelivery, WebhookInput } from "../../contract/webhook.ts";
import { updateRecord } from "../../store/update-record.ts";
import { firstProgress } from "../outbox/progress.ts";
import type { Records } from "../outbox/progress.ts";

/**
 * True if the event may be sent to webhooks. A webhook gets an event if it lists the event's type, or if it lists
 * `notice` and the event causes a notification.
 */
export function isWebhookEvent(event: LaneEvent): boolean {
  return isOf(event, noticeEvents);
}

/** A registered webhook. It never changes. */
export interface WebhookRecord {
  readonly webhookId: string;
  readonly url: string;
  readonly events: readonly WebhookInput["events"][number][];
  /** Null: the webhook gets the events of all sessions. */
  readonly sessionId: string | null;
  /** Directories that the token that created the webhook is limited to; null: no limit. */
  readonly directories: readonly string[] | null;
  readonly createdAt: number;
  /** Secret that signs every delivery. It is shown only when the webhook is created. */
  readonly secret: string;
}

const recordKind = "webhook";
export const progressKind = "webhookProgress";
/**
 * Kind of the records with test deliveries. They are separate, so that a test never conflicts with a delivery in
 * progress.
 */
const testsKind = "webhookTests";
const keptTests = 10;

// Functions for webhook records in the store. Only this program writes such records, so their content is not validated.

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

/** Stores a webhook. If a webhook with this id exists, returns the existing one. */
export async function addWebhook(
  records: Records,
  added: { webhook: WebhookRecord; cursor: string },
): Promise<WebhookRecord> {
  const { webhook, cursor } = added;
  const id = webhook.webhookId;
  const progress = firstProgress(cursor);
  // Write the progress record first: without it, a webhook would have no start position.
  await records.putRecord({ kind: progressKind, id, value: progress, version: null });
  const written = await records.putRecord({ kind: recordKind, id, value: webhook, version: null });
  return written.record === null ? webhook : asWebhook(written.record.value);
}

export async function removeWebhook(records: Records, id: string): Promise<boolean> {
  // Remove the webhook's own record last. If the process ends in between, the webhook can be removed again, and a new
  // webhook with this id does not start at the old position.
  await records.removeRecord({ kind: progressKind, id });
  await records.removeRecord({ kind: testsKind, id });
  return records.removeRecord({ kind: recordKind, id });
}

/** Returns the test deliveries, newest first. */
export async function readTests(records: Records, id: string): Promise<readonly WebhookDelivery[]> {
  const found = await records.record(testsKind, id);
  return found === null ? [] : asDeliveries(found.value);
}

export async function addTest(
  records: Records,
  id: string,
  delivery: WebhookDelivery,
): Promise<void> {
  await updateRecord(records, { kind: testsKind, id }, (found) => {
    const before = found === null ? [] : asDeliveries(found.value);
    return [delivery, ...before].slice(0, keptTests);
  });
}

function asWebhook(value: unknown): WebhookRecord {
  const webhook: WebhookRecord = JSON.parse(JSON.stringify(value));
  return webhook;
}

function asDeliveries(value: unknown): readonly WebhookDelivery[] {
  const deliveries: readonly WebhookDelivery[] = JSON.parse(JSON.stringify(value));
  return deliveries;
}
