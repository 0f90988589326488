import { randomBytes, randomUUID } from "node:crypto";
import type { Webhook, WebhookDelivery } from "../../contract/webhook.ts";
import { ApiError } from "../errors.ts";
import type { Webhooks } from "../ports.ts";
import type { Follower } from "../stream/follower.ts";
import { follow } from "../../log/follow.ts";
import { createPost } from "./post.ts";
import type { Addresses } from "./post.ts";
import { pauseAfter, pump, scanFrom, send } from "./pump.ts";
import type { PumpOptions } from "./pump.ts";
import {
  addTest,
  addWebhook,
  isWebhookEvent,
  listWebhooks,
  readProgress,
  readTests,
  readWebhook,
  removeWebhook,
} from "./webhook-record.ts";
import type { WebhookRecord } from "./webhook-record.ts";

/**
 * Sends settled prompts and asks to registered URLs, each at least once. A webhook gets only events
 * that were committed after its creation.
 */
export interface RunningWebhooks extends Webhooks {
  /** True if a delivery is in progress or will be retried. */
  isDelivering(): boolean;
  close(): Promise<void>;
}

export interface WebhooksOptions extends Pick<PumpOptions, "store" | "encode"> {
  readonly follower: Follower;
  readonly addresses: Addresses;
  /** True: targets in private networks and on this machine are allowed. */
  readonly allowPrivate: boolean;
  readonly pause?: PumpOptions["pause"];
  readonly onAttempt?: PumpOptions["onAttempt"];
  readonly onError: (error: unknown) => void;
}

/** Interval at which a process looks for webhooks that other nodes have created. */
const lookEvery = 5_000;
const maxWebhooks = 100;
/** Milliseconds that a delivery in progress gets to complete when the process ends. */
const closeGrace = 2_000;

export function createWebhooks(options: WebhooksOptions): RunningWebhooks {
  const { store, follower, onError, pause = pauseAfter, onAttempt = () => {} } = options;
  const controller = new AbortController();
  const { signal } = controller;
  const cut = new AbortController();
  const sender = randomUUID();
  const pumpOptions: PumpOptions = {
    ...options,
    post: createPost(options),
    pause,
    onAttempt,
    signal,
    cut: cut.signal,
    sender,
  };
  const loops = new Map<string, Promise<void>>();
  const wakes = new Map<string, () => void>();
  /** Webhooks with deliveries that are not done. */
  const undelivered = new Set<string>();

  const begin = (webhook: WebhookRecord): void => {
    if (signal.aborted || loops.has(webhook.webhookId)) return;
    const { webhookId } = webhook;
    const scan = scanFrom("");
    const source = {
      read: async () => {
        undelivered.add(webhookId);
        const next = await pump(pumpOptions, { webhook, scan });
        if (next === "idle" || next === "gone") undelivered.delete(webhookId);
        const againIn = typeof next === "object" ? next.after : null;
        return { isGone: next === "gone", more: next === "again", againIn, after: null };
      },
      hints: (ring: () => void) => {
        wakes.set(webhookId, ring);
        return () => void wakes.delete(webhookId);
      },
    };
    const report = (error: unknown): void => {
      if (!signal.aborted) onError(error);
    };
    const options = { after: null, limit: 1, signal, onError: report, retryAfter: lookEvery };
    const run = async (): Promise<void> => {
      for await (const { isGone } of follow(source, options)) if (isGone) return;
    };
    loops.set(
      webhookId,
      run().finally(() => loops.delete(webhookId)),
    );
  };
  const look = async (): Promise<void> => {
    for (const webhook of await listWebhooks(store, { after: null, limit: maxWebhooks })) {
      begin(webhook);
    }
  };
  const wakeAll = (): void => {
    for (const wake of wakes.values()) wake();
  };
  const stopListening = follower.listen((event) => {
    if (isWebhookEvent(event)) wakeAll();
  });
  const timer = setInterval(() => void look().catch(onError), lookEvery).unref();
  void look().catch(onError);

  const shown = async (webhook: WebhookRecord): Promise<Webhook> => {
    const stored = await readProgress(store, webhook.webhookId);
    const { secret: _, events, directories, ...rest } = webhook;
    return {
      ...rest,
      events: [...events],
      directories: directories === null ? null : [...directories],
      failingSince: stored?.progress.failingSince ?? null,
    };
  };
  return {
    isDelivering: () => undelivered.size > 0,
    create: async (input, { directories }) => {
      checkTarget(input.url, options);
      const known = await listWebhooks(store, { after: null, limit: maxWebhooks });
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
      begin(stored);
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
      wakes.get(webhookId)?.();
      return wasThere;
    },
    deliveries: async (webhookId, { after, limit }) => {
      const stored = await readProgress(store, webhookId);
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
      const sent = await send(pumpOptions, {
        webhook,
        deliveryId,
        type: "webhook.test",
        content: {},
      });
      const delivery: WebhookDelivery = {
        ...sent,
        status: sent.status === "delivered" ? "delivered" : "failed",
      };
      onAttempt(delivery);
      await addTest(store, webhookId, delivery);
      return delivery;
    },
    close: async () => {
      controller.abort();
      clearInterval(timer);
      stopListening();
      const late = setTimeout(() => cut.abort(), closeGrace);
      await Promise.all(loops.values());
      clearTimeout(late);
    },
  };
}

/** Checks the URL only. Host names are resolved and checked at each delivery. */
function checkTarget(
  address: string,
  { addresses, allowPrivate }: { addresses: Addresses; allowPrivate: boolean },
): void {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ApiError("invalid", "url must be an http or https address");
  }
  if (url.username !== "" || url.password !== "") {
    throw new ApiError("invalid", "url must not contain a user name or password");
  }
  if (!allowPrivate && addresses.isPrivateHost(url.hostname)) {
    const advice = "to allow such targets, start the server with --allow-private-webhooks";
    throw new ApiError("invalid", `${url.hostname} is not a public address; ${advice}`);
  }
}
