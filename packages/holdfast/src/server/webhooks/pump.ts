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

export interface PumpParts {
  readonly store: Runtime["store"];
  readonly post: Post;
  /** What an event looks like on the wire. */
  readonly encode: (event: LaneEvent) => Promise<unknown>;
  /** Names this process among the senders. */
  readonly sender: string;
  /** Milliseconds before the next try. */
  readonly pause: (tries: number) => number;
  readonly onAttempt: (delivery: WebhookDelivery) => void;
  /** Begin nothing more. */
  readonly signal: AbortSignal;
  /** Break off what is being sent. */
  readonly cut: AbortSignal;
}

/** How far a process has looked for events that a webhook wants, beyond what is written down. */
export interface Scan {
  base: string;
  cursor: string;
  passed: number;
}

/** What to do next: again at once, when woken, or after so many milliseconds. */
export type Next = "again" | "idle" | "gone" | { readonly after: number };

/**
 * Takes one webhook one delivery further: the next event after its cursor is sent, or tried again.
 * Events are sent in the order of the feed, each until it is taken: a target that is away costs
 * nothing but its own place in the feed.
 */
export async function pump(
  parts: PumpParts,
  target: { webhook: WebhookRecord; scan: Scan },
): Promise<Next> {
  const { store, sender } = parts;
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
  const found = await nextEvent(parts, { webhook, scan });
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
  const delivery = await attempt(parts, { webhook, event: found.event, progress });
  parts.onAttempt(delivery);
  const after = progressAfter(parts, { delivery, progress, cursor: found.cursor });
  // Not ours any more when it took too long: then the other's view counts, and it sends again.
  await writeProgress(store, { id, version: claimed.version, progress: after });
  return "again";
}

/** How long others leave a delivery to its sender. */
const claimFor = postTimeout + 5_000;
/** After so many events without one that is wanted, the place in the feed is worth a write. */
const worthNoting = 1_000;
const pageSize = 200;
const shownDeliveries = 50;

interface Found {
  readonly event: WebhookEvent;
  /** The place behind it. */
  readonly cursor: string;
}

export function scanFrom(cursor: string): Scan {
  return { base: cursor, cursor, passed: 0 };
}

/** Null at the feed's end; the scan stays before what was found, so that it is found again. */
async function nextEvent(
  parts: PumpParts,
  target: { webhook: WebhookRecord; scan: Scan },
): Promise<Found | null> {
  const { webhook, scan } = target;
  const paging = { after: scan.cursor, limit: pageSize };
  for await (const { page } of follow(feedToEnd(parts.store), paging)) {
    parts.signal.throwIfAborted();
    if (page.status === "reset") {
      Object.assign(scan, { cursor: page.cursor, passed: worthNoting });
      return null;
    }
    for (const [index, event] of page.events.entries()) {
      if (isWebhookEvent(event) && (await isWanted(parts, webhook, event))) {
        return { event, cursor: page.cursors[index] ?? page.cursor };
      }
    }
    scan.cursor = page.cursor;
    scan.passed += page.events.length;
  }
  return null;
}

async function isWanted(
  parts: PumpParts,
  webhook: WebhookRecord,
  event: WebhookEvent,
): Promise<boolean> {
  const { events, sessionId, directories } = webhook;
  if (!events.includes(event.type)) return false;
  if (sessionId !== null && sessionId !== event.sessionId) return false;
  if (directories === null) return true;
  const state = await parts.store.lane(event.sessionId);
  return state !== null && mayUse({ directories }, state.directory);
}

async function attempt(
  parts: PumpParts,
  step: { webhook: WebhookRecord; event: WebhookEvent; progress: Progress },
): Promise<WebhookDelivery> {
  const { webhook, event, progress } = step;
  const { sessionId, seq } = event;
  const deliveryId = deliveryIdOf({ webhookId: webhook.webhookId, sessionId, seq });
  const before = progress.deliveries.find((delivery) => delivery.deliveryId === deliveryId);
  const content = { event: await parts.encode(event) };
  const sent = await send(parts, { webhook, deliveryId, type: event.type, content });
  return { ...sent, sessionId, seq, tries: (before?.tries ?? 0) + 1 };
}

/** One delivery, once; it says how that went, and does not throw. */
export async function send(
  parts: Pick<PumpParts, "store" | "post" | "cut">,
  message: { webhook: WebhookRecord; deliveryId: string; type: string; content: object },
): Promise<WebhookDelivery> {
  const { webhook, deliveryId, type, content } = message;
  const { webhookId, url, secret } = webhook;
  const at = await parts.store.now();
  const body = JSON.stringify({ deliveryId, webhookId, type, ...content });
  const headers = deliveryHeaders({ deliveryId, event: type, body, at, secret });
  const delivery = { deliveryId, event: type, sessionId: null, seq: null, at, tries: 1 } as const;
  try {
    const response = await parts.post(url, { headers, body, signal: parts.cut });
    const isTaken = response >= 200 && response < 300;
    const problem = isTaken ? null : `the target answered ${response}`;
    return { ...delivery, status: isTaken ? "delivered" : "pending", response, problem };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { ...delivery, status: "pending", response: null, problem };
  }
}

function progressAfter(
  parts: PumpParts,
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
  const nextTryAt = delivery.at + parts.pause(delivery.tries);
  return { ...progress, sender: null, failingSince, nextTryAt, deliveries: show(delivery) };
}

/**
 * A target that answers, and does not want this delivery, must not keep others from coming for
 * ever; one that is away gets everything when it is back.
 */
const giveUpAfter = 24 * 60 * 60_000;

function isRefusal(response: number | null): boolean {
  if (response === null || response < 400 || response >= 500) return false;
  return response !== 408 && response !== 425 && response !== 429;
}

const firstPause = 1_000;
const longestPause = 5 * 60_000;

/** Twice as long each time, and never for all senders at the same moment. */
export function pauseAfter(tries: number): number {
  const pause = Math.min(longestPause, firstPause * 2 ** Math.min(tries - 1, 20));
  return Math.round(pause * (0.75 + Math.random() / 2));
}

/** What goes with a delivery, so that its receiver can tell where it comes from and how old it is. */
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

/** The same for the same event, whoever sends it and how often: receivers can drop what they have. */
function deliveryIdOf(source: { webhookId: string; sessionId: string; seq: number }): string {
  const { webhookId, sessionId, seq } = source;
  const text = JSON.stringify([webhookId, sessionId, seq]);
  return `delivery-${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
}
