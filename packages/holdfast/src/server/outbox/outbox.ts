import { randomUUID } from "node:crypto";
import { repeat } from "../../base/repeat.ts";
import { withTimeout } from "../../base/time.ts";
import { follow } from "../../log/follow.ts";
import type { Follower } from "../stream/follower.ts";
import { pauseAfter, pump, scanFrom } from "./pump.ts";
import type { PumpOptions } from "./pump.ts";
import type { OutboxTarget } from "./target.ts";

export interface OutboxOptions extends Pick<PumpOptions, "store" | "isCandidate"> {
  readonly follower: Follower;
  /** Lists all targets, including those that other nodes have created. */
  readonly targets: () => Promise<readonly OutboxTarget[]>;
  readonly pause?: PumpOptions["pause"] | undefined;
  readonly onAttempt?: PumpOptions["onAttempt"] | undefined;
  readonly onError: (error: unknown) => void;
}

/**
 * Sends events to targets, such as webhooks: every event at least once, and in order. The store keeps the position of
 * each target in the feed.
 */
export interface Outbox {
  /** Starts the deliveries to a target. If they were already started, replaces the target for the next deliveries. */
  begin(target: OutboxTarget): void;
  /** Looks for new deliveries to one target, or to all targets if `id` is omitted. */
  wake(id?: string): void;
  /** True if a delivery is in progress or will be retried. Deliveries that a target wants later do not count. */
  isDelivering(): boolean;
  /** Aborts when deliveries in progress must stop because the process ends. */
  readonly cut: AbortSignal;
  close(): Promise<void>;
}

/** The deliveries to one target. */
interface Delivery {
  /** The current target: people can change a device's language and keys. */
  target: OutboxTarget;
  /** Looks for new events. */
  wake: () => void;
  /** True if an event may be on its way or wait for a retry. */
  isOpen: boolean;
  /** Resolves when the target is gone or the outbox was closed. */
  ended: Promise<void>;
}

/** Milliseconds between checks for webhooks and push subscriptions that were created through other nodes. */
const lookEvery = 5_000;
/** Milliseconds that deliveries in progress may still take when the process ends. */
const closeGrace = 2_000;

export function createOutbox(options: OutboxOptions): Outbox {
  const { follower, isCandidate, onError } = options;
  const controller = new AbortController();
  const { signal } = controller;
  const cut = new AbortController();
  const pumpOptions: PumpOptions = {
    store: options.store,
    isCandidate,
    pause: options.pause ?? pauseAfter,
    onAttempt: options.onAttempt ?? (() => {}),
    sender: randomUUID(),
    signal,
  };
  const deliveries = new Map<string, Delivery>();

  const run = async (delivery: Delivery): Promise<void> => {
    const scan = scanFrom("");
    const source = {
      read: async () => {
        delivery.isOpen = true;
        const next = await pump(pumpOptions, { target: delivery.target, scan });
        const isLater = typeof next === "object" && !next.isDue;
        if (next === "idle" || next === "gone" || isLater) delivery.isOpen = false;
        const againIn = typeof next === "object" ? next.after : null;
        return { isGone: next === "gone", more: next === "again", againIn, after: null };
      },
      hints: (ring: () => void) => {
        delivery.wake = ring;
        return () => {};
      },
    };
    const report = (error: unknown): void => {
      if (!signal.aborted) onError(error);
    };
    const following = { after: null, limit: 1, signal, onError: report, retryAfter: lookEvery };
    for await (const { isGone } of follow(source, following)) if (isGone) return;
  };
  const begin = (target: OutboxTarget): void => {
    const { id } = target.progress;
    if (signal.aborted) return;
    const known = deliveries.get(id);
    if (known !== undefined) {
      known.target = target;
      return;
    }
    const delivery = { target, wake: () => {}, isOpen: false, ended: Promise.resolve() };
    deliveries.set(id, delivery);
    delivery.ended = run(delivery).finally(() => deliveries.delete(id));
  };
  const look = async (): Promise<void> => {
    for (const target of await options.targets()) begin(target);
  };
  const wake = (id?: string): void => {
    if (id === undefined) for (const delivery of deliveries.values()) delivery.wake();
    else deliveries.get(id)?.wake();
  };
  const stopListening = follower.listen((event) => {
    if (isCandidate(event)) wake();
  });
  const looking = repeat({ work: look, first: 0, every: lookEvery, onError });
  return {
    begin,
    wake,
    isDelivering: () => deliveries.values().some(({ isOpen }) => isOpen),
    cut: cut.signal,
    close: async () => {
      controller.abort();
      stopListening();
      const loops = deliveries.values().map(({ ended }) => ended);
      const ended = Promise.all([looking.stop(), ...loops]);
      await withTimeout(ended, { milliseconds: closeGrace, late: () => cut.abort() });
      await ended;
    },
  };
}
