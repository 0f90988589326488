import type { Clock, Timer } from "../base/time.ts";
import { StoreError } from "../store/store-error.ts";
import type { Renewal, Store } from "../store/store.ts";

/**
 * Keeps this process's lease: renews it regularly, and gives it up by the local clock before other processes may take
 * over.
 */
export interface LeaseKeeper {
  /** The id under which lanes are owned now; null without a lease. */
  readonly nodeId: () => string | null;
  /** True if this process owns or owned lanes under this id. */
  readonly isOwn: (nodeId: string) => boolean;
  /**
   * Gives the lease up at once if it has expired by the local clock. Timers fire late in a process that was
   * frozen, so call this before acting (L5).
   */
  readonly check: () => void;
  stop(): Promise<void>;
}

export interface LeaseOptions {
  readonly store: Store;
  readonly ttl: number;
  readonly renewEvery: number;
  readonly clock: Clock;
  /** Returns an id that no process has used before. */
  readonly newNodeId: () => string;
  /** Called when a lease begins: from now on this process may claim lanes. */
  readonly onJoined: (nodeId: string) => void;
  /** Receives the owned lanes from each renewal. */
  readonly onRenewed: (lanes: Extract<Renewal, { status: "renewed" }>["lanes"]) => void;
  /** Called when the lease has expired or may have expired: stop all work at once (L5). */
  readonly onLost: () => void;
  /** Called if the store needs a newer release: this process will get no lease any more. */
  readonly onOutdated: (error: StoreError) => void;
  readonly onError: (error: unknown) => void;
}

/** Resolves when the first lease is held; throws if the store cannot give one. */
export async function keepLease(options: LeaseOptions): Promise<LeaseKeeper> {
  const { store, ttl, clock } = options;
  let nodeId: string | null = null;
  const own = new Set<string>();
  /**
   * Node ids that the store may still count as alive: this process no longer uses them, or asked the store
   * to register them and got no answer.
   */
  const behind = new Set<string>();

  const join = async (): Promise<void> => {
    const asked = clock.monotonic();
    const id = options.newNodeId();
    behind.add(id);
    await store.join({ nodeId: id, ttl });
    behind.delete(id);
    nodeId = id;
    own.add(id);
    term.extend(asked);
  };
  const leaveBehind = async (): Promise<void> => {
    for (const id of behind) {
      await store.leave(id);
      behind.delete(id);
    }
  };
  /** Ends the leases of old ids, so that their lanes are free at once. */
  const rejoin = async (): Promise<void> => {
    await leaveBehind();
    await join();
    if (nodeId !== null) options.onJoined(nodeId);
  };
  const lose = (): void => {
    if (nodeId === null) return;
    behind.add(nodeId);
    nodeId = null;
    options.onLost();
  };
  const term = createTerm(options, lose);
  const renew = async (): Promise<void> => {
    if (nodeId === null) {
      await rejoin();
      return;
    }
    const asked = clock.monotonic();
    const renewal = await store.renew(nodeId);
    // The lease was given up meanwhile, by the local clock: a late renewal does not count.
    if (nodeId === null) return;
    if (renewal.status === "lost") {
      lose();
      return;
    }
    term.extend(asked);
    options.onRenewed(renewal.lanes);
  };
  await join();
  const renewals = startRenewals(options, renew);
  return {
    nodeId: () => nodeId,
    isOwn: (id) => own.has(id),
    check: term.check,
    stop: async () => {
      term.end();
      await renewals.stop();
      term.end();
      if (nodeId !== null) behind.add(nodeId);
      nodeId = null;
      await leaveBehind();
    },
  };
}

/** Renews the lease until stopped, or until the store is too new for this release. */
function startRenewals(
  { renewEvery, clock, onError, onOutdated }: LeaseOptions,
  renew: () => Promise<void>,
): { stop(): Promise<void> } {
  let stopped = false;
  let timer: Timer | null = null;
  let renewing: Promise<void> = Promise.resolve();
  const beat = async (): Promise<void> => {
    try {
      await renew();
    } catch (error) {
      onError(error);
      if (error instanceof StoreError && error.code === "storeTooNew") {
        onOutdated(error);
        return;
      }
    }
    if (!stopped) schedule();
  };
  const schedule = (): void => {
    timer = clock.after(renewEvery, () => {
      renewing = beat();
    });
  };
  schedule();
  return {
    stop: async () => {
      stopped = true;
      timer?.cancel();
      await renewing;
    },
  };
}

interface Term {
  /** Extends the term after a renewal that was requested at the given monotonic time. */
  extend(asked: number): void;
  /** Calls `onOver` if the term is over. */
  readonly check: () => void;
  end(): void;
}

/** The time in which this process may act, by the local clock. Ends on time even if a renewal hangs. */
function createTerm(
  { ttl, renewEvery, clock }: Pick<LeaseOptions, "ttl" | "renewEvery" | "clock">,
  onOver: () => void,
): Term {
  let alarm: Timer | null = null;
  let until = { monotonic: 0, wall: 0 };
  return {
    extend: (asked) => {
      alarm?.cancel();
      // Count from the moment before the request, so that the term ends no later than the store's own count.
      const left = asked + ttl - Math.min(renewEvery, ttl / 4) - clock.monotonic();
      until = { monotonic: clock.monotonic() + left, wall: clock.now() + left };
      alarm = clock.after(Math.max(0, left), onOver);
    },
    // Check both clocks: the monotonic clock stops while a machine sleeps; the wall clock does not.
    check: () => {
      if (clock.monotonic() >= until.monotonic || clock.now() >= until.wall) onOver();
    },
    end: () => alarm?.cancel(),
  };
}
