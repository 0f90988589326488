import { randomBytes, randomUUID } from "node:crypto";
import type { Webhook, WebhookDelivery } from "../../contract/webhook.ts";
import { ApiError } from "../errors.ts";
import type { Webhooks } from "../ports.ts";
import type { LaneEvent } from "../../kernel/event.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { createOutbox } from "../outbox/outbox.ts";
import type { OutboxOptions } from "../outbox/outbox.ts";
import { checkTarget, createPost } from "../outbox/post.ts";
import type { Addresses } from "../outbox/post.ts";
import { readProgress } from "../outbox/progress.ts";
import {
  addTest,
  addWebhook,
  isWebhookEvent,
  listWebhooks,
  progressKind,
  readTests,
  readWebhook,
  removeWebhook,
} from "./webhook-record.ts";
import type { WebhookRecord } from "./webhook-record.ts";
import { sendWebhook, webhookTarget } from "./webhook-target.ts";
import type { WebhookTargetOptions } from "./webhook-target.ts";
import { omitDamagedContent } from "../wire/event.ts";

/**
 * Sends events to registered URLs, each at least once: the end of a prompt, permission requests and questions, and
 * notifications. A webhook gets only events that were committed after the webhook was created.
 */
export interface RunningWebhooks extends Webhooks {
  /** True if a delivery is in progress or will be retried. */
  isDelivering(): boolean;
  close(): Promise<void>;
}

export interface WebhooksOptions extends Pick<
  OutboxOptions,
  "follower" | "pause" | "onAttempt" | "onError"
> {
  readonly store: Runtime["store"];
  /** Converts an event to the form that clients get. */
  readonly encode: (event: LaneEvent) => Promise<unknown>;
  readonly addresses: Addresses;
  /** True: addresses in private networks and on this machine are allowed. */
  readonly allowPrivate: boolean;
}

const maxWebhooks = 100;

const noContent = async (): Promise<object> => ({});

export function createWebhooks(options: WebhooksOptions): RunningWebhooks {
  const { store } = options;
  const readAll = (): Promise<WebhookRecord[]> =>
    listWebhooks(store, { after: null, limit: maxWebhooks });
  const outbox = createOutbox({
    ...options,
    isCandidate: isWebhookEvent,
    targets: async () => (await readAll()).map((webhook) => webhookTarget(sending, webhook)),
  });
  const sending: WebhookTargetOptions = {
    ...options,
    encode: omitDamagedContent(options),
    post: createPost(options),
    cut: outbox.cut,
  };

  const shown = async (webhook: WebhookRecord): Promise<Webhook> => {
    const stored = await readProgress(store, {
      kind: progressKind,
      id: webhook.webhookId,
    });
    const { secret: _, events, directories, ...rest } = webhook;
    return {
      ...rest,
      events: [...events],
      directories: directories === null ? null : [...directories],
      failingSince: stored?.progress.failingSince ?? null,
    };
  };
  return {
    isDelivering: () => outbox.isDelivering(),
    create: async (input, { directories }) => {
      checkTarget(input.url, { ...options, field: "url" });
      const known = await readAll();
      const webhookId = input.webhookId ?? `webhook-${randomUUID()}`;
      const repeated = known.find((webhook) => webhook.webhookId === webhookId);
      if (repeated === undefined && known.length >= maxWebhooks) {
        throw new ApiError(
          "invalid",
          `the limit of ${maxWebhooks} webhooks is reached; remove one first`,
        );
      }
      const secret = `hfw_${randomBytes(32).toString("base64url")}`;
      const { url, events, sessionId = null } = input;
      const createdAt = await store.now();
      const webhook = { webhookId, url, events, sessionId, directories, createdAt, secret };
      const stored = await addWebhook(store, { webhook, cursor: await store.feedEnd() });
      if (stored.secret !== secret) {
        throw new ApiError("conflict", `webhook ${webhookId} already exists; choose another id`);
      }
      outbox.begin(webhookTarget(sending, stored));
      return { ...(await shown(stored)), secret };
    },
    list: async ({ after, limit }) => {
      const found = await listWebhooks(store, { after, limit: limit + 1 });
      const items = await Promise.all(found.slice(0, limit).map(shown));
      return { items, cursor: found.length > limit ? (items.at(-1)?.webhookId ?? null) : null };
    },
    get: async (webhookId) => {
      const webhook = await readWebhook(store, webhookId);
      return webhook === null ? null : shown(webhook);
    },
    remove: async (webhookId) => {
      const wasThere = await removeWebhook(store, webhookId);
      outbox.wake(webhookId);
      return wasThere;
    },
    deliveries: async (webhookId, { after, limit }) => {
      const stored = await readProgress(store, { kind: progressKind, id: webhookId });
      if (stored === null) return null;
      const tests = await readTests(store, webhookId);
      const deliveries = [...stored.progress.deliveries, ...tests].toSorted(
        (left, right) => right.at - left.at,
      );
      const begin = deliveries.findIndex(({ deliveryId }) => deliveryId === after) + 1;
      const items = deliveries.slice(begin, begin + limit);
      const isEnd = begin + limit >= deliveries.length;
      return { items, cursor: isEnd ? null : (items.at(-1)?.deliveryId ?? null) };
    },
    test: async (webhookId) => {
      const webhook = await readWebhook(store, webhookId);
      if (webhook === null) return null;
      const deliveryId = `delivery-${randomUUID()}`;
      const message = { webhook, deliveryId, type: "webhook.test", content: noContent };
      const sent = await sendWebhook(sending, message);
      const delivery: WebhookDelivery = {
        deliveryId,
        event: message.type,
        sessionId: null,
        seq: null,
        tries: 1,
        ...sent,
        status: sent.problem === null ? "delivered" : "failed",
      };
      options.onAttempt?.(delivery);
      await addTest(store, webhookId, delivery);
      return delivery;
    },
    close: () => outbox.close(),
  };
}
