import type { WebhookDelivery } from "../../contract/webhook.ts";
import type { LaneEvent } from "../../kernel/event.ts";
import { feedToEnd } from "../../log/feed.ts";
import { follow } from "../../log/follow.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { mayUse } from "../security/directories.ts";
import type { Post } from "./post.ts";
import { postTimeout } from "./post.ts";
import { isWebhookEvent, readProgress, writeProgress } from "./webhook-record.ts";
import type { Progress, WebhookEvent, WebhookRecord } from "./webhook-record.ts";
import { createHash, createHmac } from "node:crypto";

export interface PumpOptions {
  readonly store: Runtime["store"];
  readonly post: Post;
  /** Converts an event to its form for clients. */
  readonly encode: (event: LaneEvent) => Promise<unknown>;
  /** Id of this process among the senders. */
  readonly sender: string;
  /** Milliseconds before the next try. */
  readonly pause: (tries: number) => number;
  readonly onAttempt: (delivery: WebhookDelivery) => void;
  /** Aborts when no more deliveries should start. */
  readonly signal: AbortSignal;
  /** Aborts the delivery in progress. */
  readonly cut: AbortSignal;
}

/**
 * Position up to which this process has searched for events of a webhook, beyond the stored
 * position.
 */
export interface Scan {
  base: string;
  cursor: string;
  passed: number;
}

/** When to call `pump` again: immediately, when woken (by a new event), never, or after some milliseconds. */
export type Next = "again" | "idle" | "gone" | { readonly after: number };

/**
 * Advances one webhook by one delivery: sends the next event after its cursor, or retries it.
 * Events are sent in feed order, each until it is accepted. A target that is down only delays its
 * own deliveries.
 */
export async function pump(
  options: PumpOptions,
  target: { webhook: WebhookRecord; scan: Scan },
): Promise<Next> {
  const { store, sender } = options;
  const { webhook, scan } = target;
  const { webhookId: id } = webhook;
  const stored = await readProgress(store, id);
  if (stored === null) return "gone";
  const now = await store.now();
  const { progress } = stored;
  if (progress.nextTryAt !== null && progress.nextTryAt > now) {
    return { after: progress.nextTryAt - now };
  }
  const { sender: other } = progress;
  if (other !== null && other.id !== sender && other.until > now)
    return { after: other.until - now };
  if (scan.base !== progress.cursor) Object.assign(scan, scanFrom(progress.cursor));
  const found = await nextEvent(options, { webhook, scan });
  if (found === null) {
    if (scan.passed < worthNoting) return "idle";
    const noted = { ...progress, cursor: scan.cursor };
    await writeProgress(store, { id, version: stored.version, progress: noted });
    return "idle";
  }
  const claimed = await writeProgress(store, {
    id,
    version: stored.version,
    progress: { ...progress, sender: { id: sender, until: now + claimFor } },
  });
  if (claimed === null) return "again";
  const delivery = await attempt(options, { webhook, event: found.event, progress });
  options.onAttempt(delivery);
  const after = progressAfter(options, { delivery, progress, cursor: found.cursor });
  // If the delivery took too long, another node has claimed the webhook. Then this write fails and that node sends
  // the event again.
  await writeProgress(store, { id, version: claimed.version, progress: after });
  return "again";
}

/** Milliseconds during which no other node may send a delivery that a node has claimed. */
const claimFor = postTimeout + 5_000;
/** Number of events without a match after which the position is stored. */
const worthNoting = 1_000;
const pageSize = 200;
const shownDeliveries = 50;

interface Found {
  readonly event: WebhookEvent;
  /** Position after the event. */
  readonly cursor: string;
}

export function scanFrom(cursor: string): Scan {
  return { base: cursor, cursor, passed: 0 };
}

/**
 * Returns the next event for the webhook; null at the end of the feed. The scan stays before the found event, so that
 * the next call finds it again.
 */
async function nextEvent(
  options: PumpOptions,
  target: { webhook: WebhookRecord; scan: Scan },
): Promise<Found | null> {
  const { webhook, scan } = target;
  const paging = { after: scan.cursor, limit: pageSize };
  for await (const { page } of follow(feedToEnd(options.store), paging)) {
    options.signal.throwIfAborted();
    if (page.status === "reset") {
      Object.assign(scan, { cursor: page.cursor, passed: worthNoting });
      return null;
    }
    for (const [index, event] of page.events.entries()) {
      if (isWebhookEvent(event) && (await isWanted(options, webhook, event))) {
        return { event, cursor: page.cursors[index] ?? page.cursor };
      }
    }
    scan.cursor = page.cursor;
    scan.passed += page.events.length;
  }
  return null;
}

async function isWanted(
  options: PumpOptions,
  webhook: WebhookRecord,
  event: WebhookEvent,
): Promise<boolean> {
  const { events, sessionId, directories } = webhook;
  if (!events.includes(event.type)) return false;
  if (sessionId !== null && sessionId !== event.sessionId) return false;
  if (directories === null) return true;
  const state = await options.store.lane(event.sessionId);
  return state !== null && mayUse({ directories }, state.directory);
}

async function attempt(
  options: PumpOptions,
  step: { webhook: WebhookRecord; event: WebhookEvent; progress: Progress },
): Promise<WebhookDelivery> {
  const { webhook, event, progress } = step;
  const { sessionId, seq } = event;
  const deliveryId = deliveryIdOf({ webhookId: webhook.webhookId, sessionId, seq });
  const before = progress.deliveries.find((delivery) => delivery.deliveryId === deliveryId);
  const content = { event: await options.encode(event) };
  const sent = await send(options, { webhook, deliveryId, type: event.type, content });
  return { ...sent, sessionId, seq, tries: (before?.tries ?? 0) + 1 };
}

/** Sends one delivery once and returns the result; does not throw. */
export async function send(
  options: Pick<PumpOptions, "store" | "post" | "cut">,
  message: { webhook: WebhookRecord; deliveryId: string; type: string; content: object },
): Promise<WebhookDelivery> {
  const { webhook, deliveryId, type, content } = message;
  const { webhookId, url, secret } = webhook;
  const at = await options.store.now();
  const body = JSON.stringify({ deliveryId, webhookId, type, ...content });
  const headers = deliveryHeaders({ deliveryId, event: type, body, at, secret });
  const delivery = { deliveryId, event: type, sessionId: null, seq: null, at, tries: 1 } as const;
  try {
    const response = await options.post(url, { headers, body, signal: options.cut });
    const isTaken = response >= 200 && response < 300;
    const problem = isTaken ? null : `the target responded with status ${response}`;
    return { ...delivery, status: isTaken ? "delivered" : "pending", response, problem };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { ...delivery, status: "pending", response: null, problem };
  }
}

function progressAfter(
  options: PumpOptions,
  step: { delivery: WebhookDelivery; progress: Progress; cursor: string },
): Progress {
  const { delivery, progress, cursor } = step;
  const others = progress.deliveries.filter(({ deliveryId }) => deliveryId !== delivery.deliveryId);
  const show = (shown: WebhookDelivery): WebhookDelivery[] =>
    [shown, ...others].slice(0, shownDeliveries);
  const done = { ...progress, cursor, sender: null, nextTryAt: null };
  if (delivery.status === "delivered") {
    return { ...done, failingSince: null, deliveries: show(delivery) };
  }
  const failingSince = progress.failingSince ?? delivery.at;
  if (isRefusal(delivery.response) && delivery.at - failingSince > giveUpAfter) {
    return { ...done, failingSince: null, deliveries: show({ ...delivery, status: "failed" }) };
  }
  const nextTryAt = delivery.at + options.pause(delivery.tries);
  return { ...progress, sender: null, failingSince, nextTryAt, deliveries: show(delivery) };
}

/**
 * Time after which a refused delivery is dropped. A target that keeps refusing one delivery must
 * not block later ones forever; a target that is down gets everything when it is back.
 */
const giveUpAfter = 24 * 60 * 60_000;

function isRefusal(response: number | null): boolean {
  if (response === null || response < 400 || response >= 500) return false;
  return response !== 408 && response !== 425 && response !== 429;
}

const firstPause = 1_000;
const longestPause = 5 * 60_000;

/** Exponential backoff with jitter. */
export function pauseAfter(tries: number): number {
  const pause = Math.min(longestPause, firstPause * 2 ** Math.min(tries - 1, 20));
  return Math.round(pause * (0.75 + Math.random() / 2));
}

/** Headers of a delivery, with which the receiver can check its origin and age. */
function deliveryHeaders(delivery: {
  deliveryId: string;
  event: string;
  body: string;
  at: number;
  secret: string;
}): Record<string, string> {
  const { deliveryId, event, body, at, secret } = delivery;
  const signature = createHmac("sha256", secret).update(`${at}.${body}`).digest("hex");
  return {
    "content-type": "application/json",
    "user-agent": "holdfast-webhook",
    "holdfast-delivery": deliveryId,
    "holdfast-event": event,
    "holdfast-timestamp": String(at),
    "holdfast-signature": `v1=${signature}`,
  };
}

/**
 * Returns the same id for the same event on every node and every retry, so that receivers can drop
 * duplicates.
 */
function deliveryIdOf(source: { webhookId: string; sessionId: string; seq: number }): string {
  const { webhookId, sessionId, seq } = source;
  const text = JSON.stringify([webhookId, sessionId, seq]);
  return `delivery-${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
}
