import { createHash, randomBytes } from "node:crypto";
import { createMutex } from "../../base/serial.ts";
import type { PushSubscriptionOnWire } from "../../contract/notification.ts";
import type { LaneEvent } from "../../kernel/event.ts";
import { noticeEvents } from "../../kernel/notice.ts";
import { isOf } from "../../kernel/event-table.ts";
import { ApiError } from "../errors.ts";
import { createOutbox } from "../outbox/outbox.ts";
import type { OutboxOptions } from "../outbox/outbox.ts";
import { checkTarget, createPost } from "../outbox/post.ts";
import type { Addresses } from "../outbox/post.ts";
import { forgetShown, readProgress } from "../outbox/progress.ts";
import type { Push } from "../ports.ts";
import { readGood } from "../security/token-record.ts";
import { pushTarget, sendPush } from "./push-target.ts";
import type { PushTargetOptions } from "./push-target.ts";
import {
  listSubscriptions,
  pushProgressKind,
  removeSubscription,
  storeSubscription,
  vapidKeys,
} from "./subscription-record.ts";
import type { SubscriptionRecord } from "./subscription-record.ts";
import { createVapidSigner, encryptMessage } from "./web-push.ts";

export interface PushOptions
  extends
    Pick<OutboxOptions, "follower" | "pause" | "onAttempt" | "onError">,
    Pick<PushTargetOptions, "store" | "attentions"> {
  /** Web or mail address at which push services can reach the operator. */
  readonly contact: string;
  readonly addresses: Addresses;
  /** True: push services may be in private networks or on this machine, and may use http. */
  readonly allowPrivate: boolean;
  readonly grace?: number | undefined;
}

/** Sends notifications to the devices of people, through an outbox like that of webhooks. */
export interface RunningPush extends Push {
  /** Looks for notifications to remove from devices. Call this after a person has seen a session. */
  wake(): void;
  /**
   * Notes that a person has seen a session on the device of this token. The page there removes its own notifications, so
   * the device needs no message for that.
   */
  seenOn(tokenId: string | null, mark: { sessionId: string; seq: number }): Promise<void>;
  /** True if a message is being sent or will be retried. */
  isDelivering(): boolean;
  /** Removes the subscriptions of tokens that are no longer valid. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

/** Maximum numbers of subscriptions: per person and in the store. */
export const maxPerPerson = 20;
export const maxSubscriptions = 500;
const usualGrace = 3_000;

export function createPush(options: PushOptions): RunningPush {
  const { store, attentions, allowPrivate } = options;
  const outbox = createOutbox({
    ...options,
    isCandidate: (event: LaneEvent) => isOf(event, noticeEvents),
    targets: async () => (await listSubscriptions(store)).map((each) => pushTarget(sending, each)),
  });
  const sending: PushTargetOptions = {
    ...options,
    post: createPost(options),
    sign: createVapidSigner(options.contact),
    grace: options.grace ?? usualGrace,
    cut: outbox.cut,
  };
  const personOf = async (tokenId: string): Promise<string> =>
    (await attentions.person(tokenId)) ?? tokenId;
  const own = async (tokenId: string): Promise<SubscriptionRecord[]> => {
    const person = await personOf(tokenId);
    const all = await listSubscriptions(store);
    const persons = await Promise.all(all.map((each) => attentions.person(each.tokenId)));
    return all.filter((_, index) => persons[index] === person);
  };
  const find = async (tokenId: string, subscriptionId: string): Promise<SubscriptionRecord> => {
    const found = (await own(tokenId)).find((each) => each.subscriptionId === subscriptionId);
    if (found !== undefined) return found;
    throw unknown(subscriptionId);
  };
  const shown = async (record: SubscriptionRecord): Promise<PushSubscriptionOnWire> => {
    const { subscriptionId, tokenId, name, createdAt, endpoint } = record;
    const key = { kind: pushProgressKind, id: subscriptionId };
    const progress = (await readProgress(store, key))?.progress ?? null;
    const failingSince = progress?.failingSince ?? null;
    const problem = failingSince === null ? null : (progress?.deliveries[0]?.problem ?? null);
    const service = new URL(endpoint).host;
    return { subscriptionId, tokenId, name, service, createdAt, failingSince, problem };
  };
  const remove = async (subscriptionId: string): Promise<void> => {
    await removeSubscription(store, subscriptionId);
    outbox.wake(subscriptionId);
  };
  // Add one device at a time: parallel requests must not exceed the limits.
  const adding = createMutex();
  const add: Push["add"] = async (input, tokenId) => {
    checkEndpoint(input.endpoint, options);
    const { p256dh, auth } = input.keys;
    checkKeys(input.keys);
    const all = await listSubscriptions(store);
    const subscriptionId = idOf({ tokenId, endpoint: input.endpoint });
    const mine = await own(tokenId);
    const isNew = !mine.some((each) => each.subscriptionId === subscriptionId);
    // The person has turned this device off on another device.
    if (isNew && input.renews === subscriptionId) throw unknown(subscriptionId);
    // The push service has given this device a new address.
    const old = mine.find((each) => each.subscriptionId === input.renews);
    const replaced = isNew && old !== undefined ? 1 : 0;
    if (isNew && mine.length - replaced >= maxPerPerson) throw tooMany(maxPerPerson);
    if (isNew && all.length - replaced >= maxSubscriptions) throw tooMany(maxSubscriptions);
    // Remove the replaced subscription, and those that this device created before it signed in again. Only this device
    // knows its keys, so a subscription with the same keys belongs to this device.
    const sameDevice = all.filter(
      (each) =>
        each.subscriptionId !== subscriptionId &&
        (each.subscriptionId === old?.subscriptionId ||
          (each.endpoint === input.endpoint && each.auth === auth && each.p256dh === p256dh)),
    );
    for (const each of sameDevice) await remove(each.subscriptionId);
    const value: SubscriptionRecord = {
      subscriptionId,
      tokenId,
      endpoint: input.endpoint,
      p256dh,
      auth,
      language: input.language ?? "en",
      name: input.name ?? null,
      createdAt: await store.now(),
    };
    await storeSubscription(store, { value, cursor: await store.feedEnd() });
    outbox.begin(pushTarget(sending, value));
    return shown(value);
  };
  return {
    list: async (tokenId) => {
      const items = await Promise.all((await own(tokenId)).map(shown));
      return { publicKey: (await vapidKeys(store)).publicKey, items };
    },
    add: (input, tokenId) => adding(() => add(input, tokenId)),
    remove: async (subscriptionId, tokenId) => {
      const found = await find(tokenId, subscriptionId);
      await remove(found.subscriptionId);
    },
    test: async (subscriptionId, tokenId) => {
      const subscription = await find(tokenId, subscriptionId);
      const message = { kind: "test", sessionId: null, seq: null } as const;
      const sent = await sendPush(sending, { subscription, message });
      if (sent.isGone === true) await remove(subscriptionId);
      return { response: sent.response, problem: sent.problem };
    },
    wake: () => outbox.wake(),
    seenOn: async (tokenId, mark) => {
      for (const each of await listSubscriptions(store)) {
        const key = { kind: pushProgressKind, id: each.subscriptionId };
        if (each.tokenId === tokenId) await forgetShown(store, key, mark);
      }
    },
    isDelivering: () => outbox.isDelivering(),
    sweep: async () => {
      const now = await store.now();
      for (const { subscriptionId, tokenId } of await listSubscriptions(store)) {
        if ((await readGood(store, { tokenId, now })) === null) await remove(subscriptionId);
      }
    },
    close: () => outbox.close(),
  };

  function checkEndpoint(endpoint: string, given: PushOptions): void {
    checkTarget(endpoint, { ...given, field: "endpoint" });
    if (allowPrivate || endpoint.startsWith("https:")) return;
    throw new ApiError("invalid", "endpoint must be an https address");
  }
}

/** Refuses a key that is not a point of the curve, before anything is stored. */
function checkKeys({ p256dh, auth }: { p256dh: string; auth: string }): void {
  const device = { p256dh: Buffer.from(p256dh, "base64url"), auth: Buffer.from(auth, "base64url") };
  try {
    encryptMessage("", device, { salt: randomBytes(16), privateKey: randomBytes(32) });
  } catch {
    throw new ApiError("invalid", "keys.p256dh must be a public key of the curve P-256");
  }
}

function idOf(source: { tokenId: string; endpoint: string }): string {
  const text = JSON.stringify([source.tokenId, source.endpoint]);
  return `push-${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
}

function unknown(subscriptionId: string): ApiError {
  return new ApiError("unknownSubscription", `there is no subscription ${subscriptionId}`);
}

function tooMany(limit: number): ApiError {
  const message = `the limit of ${limit} devices is reached; remove a device first`;
  return new ApiError("invalid", message);
}
