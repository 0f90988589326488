import { createHash, createHmac } from "node:crypto";
import type { LaneEvent } from "../../kernel/event.ts";
import { noticeOf } from "../../kernel/notice.ts";
import type { NoticeKind } from "../../kernel/notice.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Post } from "../outbox/post.ts";
import { skip } from "../outbox/target.ts";
import type { OutboxTarget, Sent } from "../outbox/target.ts";
import { mayUse } from "../security/directories.ts";
import { progressKind } from "./webhook-record.ts";
import type { WebhookRecord } from "./webhook-record.ts";

export interface WebhookTargetOptions {
  readonly store: Runtime["store"];
  readonly post: Post;
  /** Converts an event to the form that clients get. */
  readonly encode: (event: LaneEvent) => Promise<unknown>;
  /** Aborts when a delivery in progress must stop. */
  readonly cut: AbortSignal;
}

/** Wraps a webhook as a target of the outbox. */
export function webhookTarget(options: WebhookTargetOptions, webhook: WebhookRecord): OutboxTarget {
  const { webhookId } = webhook;
  return {
    progress: { kind: progressKind, id: webhookId },
    plan: async (event) => {
      const wanted = await wantedAs(options, webhook, event);
      if (wanted === null) return skip;
      const { sessionId, seq } = event;
      const { type, notice } = wanted;
      const deliveryId = deliveryIdOf({ webhookId, sessionId, seq });
      const content = async (): Promise<object> => ({
        ...notice,
        event: await options.encode(event),
      });
      const send = (): Promise<Sent> =>
        sendWebhook(options, { webhook, deliveryId, type, content });
      return { status: "send", deliveryId, event: type, sessionId, seq, send };
    },
  };
}

/**
 * Returns the event type to deliver, or null if the webhook does not want the event. If the webhook wants notifications
 * and the event causes one, `notice` has the kind of the notification: `needsYou`, `finished` or `failed`.
 */
async function wantedAs(
  options: WebhookTargetOptions,
  { events, sessionId, directories }: WebhookRecord,
  event: LaneEvent,
): Promise<{ type: string; notice?: { notice: NoticeKind } } | null> {
  const isNamed = events.some((type) => type === event.type);
  const wantsNotices = events.includes("notice");
  if (!isNamed && !wantsNotices) return null;
  if (sessionId !== null && sessionId !== event.sessionId) return null;
  if (!wantsNotices && directories === null) return { type: event.type };
  const state = await options.store.lane(event.sessionId);
  if (state === null || !mayUse({ directories }, state.directory)) return null;
  const notice = wantsNotices ? noticeOf(event, state) : null;
  if (notice === null) return isNamed ? { type: event.type } : null;
  return { type: isNamed ? event.type : "notice", notice: { notice: notice.kind } };
}

/**
 * Makes one attempt to send a delivery and returns the result. If the content cannot be read, the attempt has failed.
 * Throws only if the store cannot return the time.
 */
export async function sendWebhook(
  options: Pick<WebhookTargetOptions, "store" | "post" | "cut">,
  message: {
    webhook: WebhookRecord;
    deliveryId: string;
    type: string;
    content: () => Promise<object>;
  },
): Promise<Sent> {
  const { webhook, deliveryId, type, content } = message;
  const { webhookId, url, secret } = webhook;
  const at = await options.store.now();
  try {
    const body = JSON.stringify({ deliveryId, webhookId, type, ...(await content()) });
    const headers = deliveryHeaders({ deliveryId, event: type, body, at, secret });
    const response = await options.post(url, { headers, body, signal: options.cut });
    const isTaken = response >= 200 && response < 300;
    return {
      at,
      response,
      problem: isTaken ? null : `the target responded with status ${response}`,
    };
  } catch (error) {
    return { at, response: null, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Returns the headers of a delivery, with which the receiver can verify its sender and age. */
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
 * Returns the id of a delivery. It is the same for the same event on every node and in every retry, so that receivers
 * can drop duplicates.
 */
function deliveryIdOf(source: { webhookId: string; sessionId: string; seq: number }): string {
  const { webhookId, sessionId, seq } = source;
  const text = JSON.stringify([webhookId, sessionId, seq]);
  return `delivery-${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
}
