import type { Clock, Timer } from "../base/time.ts";
import { StoreError } from "../store/store-error.ts";
import type { Renewal, Store } from "../store/store.ts";

/**
 * Keeps this process's lease: renews it regularly. If that fails, gives the lease up before it expires by the local
 * clock, because other processes may take over after that.
 */
export interface LeaseKeeper {
  /** The node id under which this process owns lanes now; null without a lease. */
  readonly nodeId: () => string | null;
  /** True if this is the current or an earlier node id of this process. */
  readonly isOwn: (nodeId: string) => boolean;
  /**
   * Gives the lease up at once if it has expired by the local clock. Call this before acting, because timers fire late
   * in a process that was frozen (L5).
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
  /** Called each time the lease has been renewed, with the sessions that this process owns. */
  readonly onRenewed: (lanes: Extract<Renewal, { status: "renewed" }>["lanes"]) => void;
  /** Called when the lease has expired or may have expired: stop all work at once (L5). */
  readonly onLost: () => void;
  /** Called if the store needs a newer release: this process can get no lease any more. */
  readonly onOutdated: (error: StoreError) => void;
  readonly onError: (error: unknown) => void;
}

/** Takes a lease and keeps it. Resolves when this process has its first lease; throws if the store refuses one. */
export async function keepLease(options: LeaseOptions): Promise<LeaseKeeper> {
  const { store, ttl, clock } = options;
  let nodeId: string | null = null;
  const own = new Set<string>();
  /**
   * Node ids that the store may still count as alive: ids that this process no longer uses, or tried to register
   * without getting an answer.
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
  /**
   * Takes a new lease. First ends the leases of this process's former node ids, so that their sessions are free at
   * once.
   */
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
    // The local clock ended the lease during the request, so this late renewal does not count.
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
  /**
   * Extends the period in which this process may act, after the store has renewed the lease. `asked` is the monotonic
   * time just before the renewal request.
   */
  extend(asked: number): void;
  /** Calls `onOver` if the period in which this process may act has ended. */
  readonly check: () => void;
  end(): void;
}

/**
 * Creates the period in which this process may work on its sessions, measured by the local clock. The period ends on
 * time even if the request that renews the lease hangs.
 */
function createTerm(
  { ttl, renewEvery, clock }: Pick<LeaseOptions, "ttl" | "renewEvery" | "clock">,
  onOver: () => void,
): Term {
  let alarm: Timer | null = null;
  let until = { monotonic: 0, wall: 0 };
  return {
    extend: (asked) => {
      alarm?.cancel();
      // Count the lease's duration from the time before the request was sent. This process then stops using the lease
      // no later than the lease ends in the store.
      const left = asked + ttl - Math.min(renewEvery, ttl / 4) - clock.monotonic();
      until = { monotonic: clock.monotonic() + left, wall: clock.now() + left };
      alarm = clock.after(Math.max(0, left), onOver);
    },
    // Check both clocks: the monotonic clock may stop while the machine sleeps, and the wall clock does not.
    check: () => {
      if (clock.monotonic() >= until.monotonic || clock.now() >= until.wall) onOver();
    },
    end: () => alarm?.cancel(),
  };
}
