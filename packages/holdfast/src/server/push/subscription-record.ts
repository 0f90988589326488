import { z } from "zod";
import type { Wire } from "../../contract/component.ts";
import { allRecords } from "../all-records.ts";
import { updateRecord } from "../../store/update-record.ts";
import { firstProgress } from "../outbox/progress.ts";
import type { Records } from "../outbox/progress.ts";
import { newVapidKeys } from "./web-push.ts";
import type { VapidKeys } from "./web-push.ts";

const subscriptionRecord = z.object({
  subscriptionId: z.string(),
  /** Id of the token that created the subscription. The subscription ends with this token. */
  tokenId: z.string(),
  /** URL of the device at its push service. Anyone who knows it can send to the device, so it is never shown. */
  endpoint: z.string(),
  p256dh: z.string(),
  auth: z.string(),
  language: z.enum(["en", "zh"]),
  name: z.string().nullable(),
  createdAt: z.number(),
});
export type SubscriptionRecord = Wire<typeof subscriptionRecord>;

const subscriptionKind = "pushSubscription";
export const pushProgressKind = "pushProgress";

export async function listSubscriptions(
  records: Pick<Records, "records">,
): Promise<SubscriptionRecord[]> {
  const found: SubscriptionRecord[] = [];
  for await (const { value } of allRecords(records, subscriptionKind)) {
    const { data } = subscriptionRecord.safeParse(value);
    if (data !== undefined) found.push(data);
  }
  return found;
}

/** Stores a browser's subscription to push notifications. Replaces a subscription with the same id. */
export async function storeSubscription(
  records: Records,
  { value, cursor }: { value: SubscriptionRecord; cursor: string },
): Promise<void> {
  const id = value.subscriptionId;
  // Write the progress record first: without it, a subscription would have no start position.
  const progress = { kind: pushProgressKind, id, value: firstProgress(cursor), version: null };
  await records.putRecord(progress);
  await updateRecord(records, { kind: subscriptionKind, id }, () => value);
}

export async function removeSubscription(records: Records, id: string): Promise<boolean> {
  const wasThere = await records.removeRecord({ kind: subscriptionKind, id });
  await records.removeRecord({ kind: pushProgressKind, id });
  return wasThere;
}

const vapidRecord = z.object({ publicKey: z.string(), privateKey: z.string() });

/** Returns the VAPID key pair, which all nodes of the store share. The first caller creates it. */
export async function vapidKeys(records: Records): Promise<VapidKeys> {
  const key = { kind: "pushKey", id: "vapid" };
  const found = await records.record(key.kind, key.id);
  if (found !== null) return vapidRecord.parse(found.value);
  const written = await records.putRecord({ ...key, value: newVapidKeys(), version: null });
  if (written.record === null)
    throw new Error("the signing key for push messages could not be stored");
  return vapidRecord.parse(written.record.value);
}
