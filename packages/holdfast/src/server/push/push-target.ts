import { createHash, randomBytes } from "node:crypto";
import type { LaneEvent } from "../../kernel/event.ts";
import { isOver, needsPerson, noticeOf, quietReason, quietUntil } from "../../kernel/notice.ts";
import type { Notice } from "../../kernel/notice.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { withLatest } from "../notifications/attention.ts";
import { sessionsAbove } from "../notifications/sessions-above.ts";
import type { Attentions } from "../notifications/attention.ts";
import type { Post } from "../outbox/post.ts";
import type { Progress } from "../outbox/progress.ts";
import { skip } from "../outbox/target.ts";
import type { OutboxTarget, Sending, Sent } from "../outbox/target.ts";
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

/**
 * Milliseconds after which a push service drops a message. After the same time, the outbox drops a message about
 * the end of a run, but not a message about a request that still waits.
 */
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
      const above = await sessionsAbove(store, state);
      const time = await sendTime(options, { notice: { ...notice, above }, person, now });
      if (time === null) return skip;
      if (time > now) {
        const isLong = time > now + options.grace;
        const meanwhile = isLong ? await clearingOver(options, { subscription, progress }) : null;
        return { status: "wait", until: time, meanwhile };
      }
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

/** Returns the time at which to send a notice; null: do not send it. */
async function sendTime(
  { attentions, grace }: PushTargetOptions,
  about: { notice: Notice & { above: readonly string[] }; person: string; now: number },
): Promise<number | null> {
  const { notice, person, now } = about;
  const isRequest = notice.kind === "needsYou";
  if (!isRequest && notice.at + lifetime < now) return null;
  const attention = await attentions.get(person);
  // During quiet hours, messages that need a person are delayed, so check the current time for them. Messages about the
  // end of a run are dropped instead, so check the time at which the run ended.
  const reason = quietReason(notice, attention, isRequest ? now : notice.at);
  const { quietHours } = attention;
  if (reason === "quietHours" && isRequest && quietHours !== null) {
    return quietUntil(quietHours, now) ?? now;
  }
  return reason === null ? notice.at + grace : null;
}

/**
 * Builds a message that removes a notification about a request that no longer waits; null if the device shows none. Used
 * while the events that would cause such a message must wait.
 */
async function clearingOver(
  options: PushTargetOptions,
  about: { subscription: SubscriptionRecord; progress: Progress },
): Promise<Sending | null> {
  const { store } = options;
  for (const [sessionId, seq] of Object.entries(about.progress.shown ?? {})) {
    const state = await store.lane(sessionId);
    const [event] = await store.events(sessionId, { after: seq - 1, limit: 1 });
    if (state === null || event?.seq !== seq || needsPerson(state)) continue;
    if (isOver(event, state)) return clearing(options, { ...about, event: { sessionId, seq } });
  }
  return null;
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
