import { createHash, randomBytes } from "node:crypto";
import type { LaneEvent } from "../../kernel/event.ts";
import { isOver, needsPerson, noticeOf, quietReason, quietUntil } from "../../kernel/notice.ts";
import type { Notice } from "../../kernel/notice.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { withLatest } from "../notifications/attention.ts";
import type { Attentions } from "../notifications/attention.ts";
import type { Post } from "../outbox/post.ts";
import type { Progress } from "../outbox/progress.ts";
import { skip } from "../outbox/target.ts";
import type { OutboxTarget, Plan, Sending, Sent } from "../outbox/target.ts";
import { mayUse } from "../security/directories.ts";
import { readGood } from "../security/token-record.ts";
import { pushProgressKind, removeSubscription, vapidKeys } from "./subscription-record.ts";
import type { SubscriptionRecord } from "./subscription-record.ts";
import { encryptMessage, topicOf } from "./web-push.ts";
import type { VapidSigner } from "./web-push.ts";

export interface PushTargetOptions {
  readonly store: Runtime["store"];
  readonly attentions: Attentions;
  readonly post: Post;
  /** Creates the header that identifies this server to a push service. */
  readonly sign: VapidSigner;
  /**
   * Milliseconds between an event and its push message. If the person is looking at the session on another device, that
   * device marks the event as seen during this time, and no message is sent.
   */
  readonly grace: number;
  /** Aborts when a delivery in progress must stop. */
  readonly cut: AbortSignal;
}

/** Content of a push message. It contains no text from the session: the device shows a fixed sentence for each kind. */
export interface PushMessage {
  readonly kind: Notice["kind"] | "clear" | "test";
  readonly sessionId: string | null;
  readonly seq: number | null;
}

/** Milliseconds after which a message is useless. The push service and the outbox drop it then. */
const lifetime = 12 * 60 * 60_000;
/**
 * Number of notifications on a device to remember, so that they can be removed later. The oldest are forgotten first.
 */
const maxShown = 100;

/** Wraps a device as a target of the outbox. */
export function pushTarget(
  options: PushTargetOptions,
  subscription: SubscriptionRecord,
): OutboxTarget {
  const { store } = options;
  const { subscriptionId: id, tokenId } = subscription;
  const token = async () => readGood(store, { tokenId, now: await store.now() });
  return {
    progress: { kind: pushProgressKind, id },
    exists: async () => (await token()) !== null,
    remove: async () => void (await removeSubscription(store, id)),
    plan: async (event, progress) => {
      const state = await store.lane(event.sessionId);
      const owner = await token();
      if (state === null || owner === null || !mayUse(owner.token, state.directory)) return skip;
      if (event.type === "ask.closed" || event.type === "hold.released") {
        const isShown = progress.shown?.[event.sessionId] !== undefined;
        if (!isShown || needsPerson(state)) return skip;
        return { status: "send", ...clearing(options, { subscription, progress, event }) };
      }
      const notice = noticeOf(event, state);
      if (notice === null || isOver(event, state)) return skip;
      const now = await store.now();
      const person = owner.lineage.at(-1) ?? tokenId;
      const wait = await waitOrSkip(options, { notice, person, now });
      if (wait !== null) return wait;
      const { sessionId, seq } = notice;
      return {
        status: "send",
        ...sendingOf(options, { subscription, message: { kind: notice.kind, sessionId, seq } }),
        shown: withLatest(progress.shown ?? {}, { sessionId, seq }, maxShown),
      };
    },
    extra: async (progress) => {
      const { shown = {} } = progress;
      if (Object.keys(shown).length === 0) return null;
      const person = await options.attentions.person(tokenId);
      const { seen } = await options.attentions.get(person ?? tokenId);
      const [found] = Object.entries(shown).filter(
        ([sessionId, seq]) => (seen[sessionId] ?? 0) >= seq,
      );
      if (found === undefined) return null;
      const [sessionId, seq] = found;
      return clearing(options, { subscription, progress, event: { sessionId, seq } });
    },
  };
}

/** Returns the plan for a notice that must wait or is not sent at all; null: send it now. */
async function waitOrSkip(
  { attentions, grace }: PushTargetOptions,
  { notice, person, now }: { notice: Notice; person: string; now: number },
): Promise<Plan | null> {
  if (notice.at + lifetime < now) return skip;
  const attention = await attentions.get(person);
  // During quiet hours, messages that need a person are delayed, so check the current time for them. Messages about the
  // end of a run are dropped instead, so check the time at which the run ended.
  const at = notice.kind === "needsYou" ? now : notice.at;
  const reason = quietReason(notice, attention, at);
  if (reason === "quietHours" && notice.kind === "needsYou") {
    const { quietHours } = attention;
    const until = quietHours === null ? null : quietUntil(quietHours, now);
    return { status: "wait", until: until ?? now };
  }
  if (reason !== null) return skip;
  return notice.at + grace > now ? { status: "wait", until: notice.at + grace } : null;
}

/** Builds a message that removes the notification about a session from the device. */
function clearing(
  options: PushTargetOptions,
  about: {
    subscription: SubscriptionRecord;
    progress: Progress;
    event: Pick<LaneEvent, "sessionId" | "seq">;
  },
): Sending {
  const { subscription, progress, event } = about;
  const { sessionId, seq } = event;
  const { [sessionId]: _, ...shown } = progress.shown ?? {};
  const message = { kind: "clear", sessionId, seq } as const;
  return { ...sendingOf(options, { subscription, message }), shown };
}

function sendingOf(
  options: PushTargetOptions,
  { subscription, message }: { subscription: SubscriptionRecord; message: PushMessage },
): Sending {
  const { kind, sessionId, seq } = message;
  const text = JSON.stringify([subscription.subscriptionId, kind, sessionId, seq]);
  return {
    deliveryId: `delivery-${createHash("sha256").update(text).digest("hex").slice(0, 32)}`,
    event: kind,
    sessionId,
    seq,
    send: () => sendPush(options, { subscription, message }),
  };
}

/** Makes one attempt to send a message and returns the result; does not throw. */
export async function sendPush(
  options: Pick<PushTargetOptions, "store" | "post" | "sign" | "cut">,
  { subscription, message }: { subscription: SubscriptionRecord; message: PushMessage },
): Promise<Sent> {
  const { endpoint, language } = subscription;
  const now = await options.store.now();
  const device = {
    p256dh: Buffer.from(subscription.p256dh, "base64url"),
    auth: Buffer.from(subscription.auth, "base64url"),
  };
  try {
    const keys = await vapidKeys(options.store);
    const fresh = { salt: randomBytes(16), privateKey: randomBytes(32) };
    const body = encryptMessage(JSON.stringify({ ...message, language }), device, fresh);
    const headers = {
      authorization: options.sign(keys, { endpoint, now }),
      "content-encoding": "aes128gcm",
      "content-type": "application/octet-stream",
      ttl: `${lifetime / 1000}`,
      topic: topicOf(message.sessionId ?? message.kind, device.auth),
      urgency: message.kind === "needsYou" ? "high" : "normal",
    };
    const response = await options.post(endpoint, { headers, body, signal: options.cut });
    const isTaken = response >= 200 && response < 300;
    const problem = isTaken ? null : `the push service responded with status ${response}`;
    return { at: now, response, problem, isGone: response === 404 || response === 410 };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { at: now, response: null, problem };
  }
}
