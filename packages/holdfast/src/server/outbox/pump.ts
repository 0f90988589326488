import type { WebhookDelivery } from "../../contract/webhook.ts";
import type { LaneEvent } from "../../kernel/event.ts";
import { feedToEnd } from "../../log/feed.ts";
import { follow } from "../../log/follow.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { postTimeout } from "./post.ts";
import { readProgress, writeProgress } from "./progress.ts";
import type { Progress } from "./progress.ts";
import type { OutboxTarget, Sending, Sent } from "./target.ts";

export interface PumpOptions {
  readonly store: Runtime["store"];
  /** True if the event may have to be sent to a target, such as a webhook or a device. */
  readonly isCandidate: (event: LaneEvent) => boolean;
  /** Unique id of this process as a sender. */
  readonly sender: string;
  /** Returns the milliseconds to wait before the next attempt. */
  readonly pause: (tries: number) => number;
  readonly onAttempt: (delivery: WebhookDelivery) => void;
  /** Aborts when no more deliveries may start. */
  readonly signal: AbortSignal;
}

/**
 * Progress of this process in searching the event feed for events to send to one target, such as a webhook. The search
 * can be ahead of the position in the database, which is written less often.
 */
export interface Scan {
  base: string;
  cursor: string;
  passed: number;
}

/**
 * When to call `pump` again: `again`: at once; `idle`: after a new event; `gone`: never; or after some milliseconds.
 * `isDue`: a delivery is being sent or retried. Otherwise the target wants its next delivery later.
 */
export type Next = "again" | "idle" | "gone" | { readonly after: number; readonly isDue: boolean };

/**
 * Sends the next delivery to one target, or retries the last one. Events are sent in feed order, and each is retried
 * until the target accepts it. A target that is down delays only its own deliveries.
 */
export async function pump(
  options: PumpOptions,
  { target, scan }: { target: OutboxTarget; scan: Scan },
): Promise<Next> {
  const { store, sender } = options;
  const stored = await readProgress(store, target.progress);
  if (stored === null) return "gone";
  const now = await store.now();
  const { progress } = stored;
  if (progress.nextTryAt !== null && progress.nextTryAt > now) {
    return { after: progress.nextTryAt - now, isDue: true };
  }
  const { sender: other } = progress;
  if (other !== null && other.id !== sender && other.until > now)
    return { after: other.until - now, isDue: true };
  // Check this before looking for an event: no event is found for a target that no longer exists, so it would never be
  // removed.
  if ((await target.exists?.()) === false) return removed(target);
  if (scan.base !== progress.cursor) Object.assign(scan, scanFrom(progress.cursor));
  const found = await nextSending(options, { target, scan, progress });
  if (typeof found === "number") return { after: Math.max(0, found - now), isDue: false };
  if (found === null) {
    if (scan.passed < worthNoting) return "idle";
    const noted = { ...progress, cursor: scan.cursor };
    await writeProgress(store, { ...target.progress, version: stored.version, progress: noted });
    return "idle";
  }
  const claimed = await writeProgress(store, {
    ...target.progress,
    version: stored.version,
    progress: { ...progress, sender: { id: sender, until: now + claimFor } },
  });
  if (claimed === null) return "again";
  const { sending } = found;
  const sent = await sending.send();
  const delivery = deliveryOf({ sending, sent, progress });
  options.onAttempt(delivery);
  if (sent.isGone === true) return removed(target);
  const after = progressAfter(options, { delivery, progress, found });
  // If the delivery took too long, another node may have claimed the target. Then this write fails, and that node sends
  // the event again.
  await writeProgress(store, { ...target.progress, version: claimed.version, progress: after });
  return "again";
}

async function removed(target: OutboxTarget): Promise<Next> {
  await target.remove?.();
  return "gone";
}

/** Milliseconds for which a node claims a target: no other node may send to it during this time. */
const claimFor = postTimeout + 5_000;
/**
 * The outbox searches the event log for events to deliver to a target. If it has passed this many events and reaches
 * the end of the log with nothing to deliver, it saves its position in the store.
 */
const worthNoting = 1_000;
const pageSize = 200;
const shownDeliveries = 50;

interface Found {
  readonly sending: Sending;
  /** Position after the event. */
  readonly cursor: string;
}

export function scanFrom(cursor: string): Scan {
  return { base: cursor, cursor, passed: 0 };
}

/**
 * Finds the next event to deliver to the target. Returns null at the end of the feed, or a time if the target wants no
 * delivery before that time. `scan.cursor` stays before the found event, so that the next call finds the event again.
 */
async function nextSending(
  options: PumpOptions,
  { target, scan, progress }: { target: OutboxTarget; scan: Scan; progress: Progress },
): Promise<Found | number | null> {
  const extra = (await target.extra?.(progress)) ?? null;
  if (extra !== null) return { sending: extra, cursor: progress.cursor };
  const paging = { after: scan.cursor, limit: pageSize };
  for await (const { page } of follow(feedToEnd(options.store), paging)) {
    options.signal.throwIfAborted();
    if (page.status === "reset") {
      Object.assign(scan, { cursor: page.cursor, passed: worthNoting });
      return null;
    }
    for (const [index, event] of page.events.entries()) {
      if (!options.isCandidate(event)) continue;
      const plan = await target.plan(event, progress);
      if (plan.status === "skip") continue;
      // Move the position to right before this event. The next search then starts here and does not call `plan` again
      // for earlier events.
      scan.cursor = page.cursors[index - 1] ?? scan.cursor;
      if (plan.status === "wait") {
        const { until, meanwhile } = plan;
        return meanwhile === null ? until : { sending: meanwhile, cursor: progress.cursor };
      }
      const cursor = page.cursors[index] ?? page.cursor;
      return { sending: plan, cursor };
    }
    scan.cursor = page.cursor;
    scan.passed += page.events.length;
  }
  return null;
}

function deliveryOf(step: { sending: Sending; sent: Sent; progress: Progress }): WebhookDelivery {
  const { sending, sent, progress } = step;
  const { deliveryId, event, sessionId, seq } = sending;
  const before = progress.deliveries.find((delivery) => delivery.deliveryId === deliveryId);
  const { at, response, problem } = sent;
  const status = problem === null ? "delivered" : "pending";
  const tries = (before?.tries ?? 0) + 1;
  return { deliveryId, event, sessionId, seq, at, tries, status, response, problem };
}

function progressAfter(
  options: PumpOptions,
  step: { delivery: WebhookDelivery; progress: Progress; found: Found },
): Progress {
  const { delivery, progress, found } = step;
  const { cursor } = found;
  const others = progress.deliveries.filter(({ deliveryId }) => deliveryId !== delivery.deliveryId);
  const show = (latest: WebhookDelivery): WebhookDelivery[] =>
    [latest, ...others].slice(0, shownDeliveries);
  const { shown } = found.sending;
  const noted = shown === undefined ? {} : { shown };
  const done = { ...progress, ...noted, cursor, sender: null, nextTryAt: null };
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
 * Milliseconds after which a refused delivery is dropped. A target that keeps refusing one delivery must not block
 * later ones forever. A target that is down gets everything when it is back.
 */
const giveUpAfter = 24 * 60 * 60_000;

function isRefusal(response: number | null): boolean {
  if (response === null || response < 400 || response >= 500) return false;
  return response !== 408 && response !== 425 && response !== 429;
}

const firstPause = 1_000;
const longestPause = 5 * 60_000;

/** Returns the milliseconds to wait after this many attempts: exponential backoff with jitter. */
export function pauseAfter(tries: number): number {
  const pause = Math.min(longestPause, firstPause * 2 ** Math.min(tries - 1, 20));
  return Math.round(pause * (0.75 + Math.random() / 2));
}
