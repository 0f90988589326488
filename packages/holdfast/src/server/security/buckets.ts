/** Rate limit as a token bucket: at most `burst` requests at once, and `perSecond` new ones each second. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

export interface Buckets {
  /** Counts one request. Returns 0 if it is allowed, otherwise the milliseconds to wait. */
  take(client: string): number;
  /** Returns the number of clients in memory. */
  size(): number;
}

/** Creates token buckets, one per client. The clients that have been silent for longest are forgotten first. */
export function createBuckets(rate: Rate, now: () => number): Buckets {
  const { burst, perSecond } = rate;
  const clients = new Map<string, { left: number; at: number }>();
  return {
    take: (client) => {
      const bucket = clients.get(client) ?? { left: burst, at: now() };
      // If the clock was set back, count no time instead of making clients wait until the clock catches up.
      const refill = (Math.max(0, now() - bucket.at) / 1000) * perSecond;
      const left = Math.min(burst, bucket.left + refill);
      clients.delete(client);
      clients.set(client, { left: left >= 1 ? left - 1 : left, at: now() });
      const [oldest] = clients.keys();
      if (clients.size > maxClients && oldest !== undefined) clients.delete(oldest);
      return left >= 1 ? 0 : Math.ceil(((1 - left) / perSecond) * 1000);
    },
    size: () => clients.size,
  };
}

const maxClients = 10_000;

/** Limits the number of open streams, per client and in total. */
interface StreamCount {
  /** Returns a function that ends the stream; null if the limit is reached. */
  open(client: string): (() => void) | null;
  has(client: string): boolean;
}

export function createStreamCount(limits: { perClient: number; total: number }): StreamCount {
  const counts = new Map<string, number>();
  let total = 0;
  return {
    open: (client) => {
      const count = counts.get(client) ?? 0;
      if (count >= limits.perClient || total >= limits.total) return null;
      counts.set(client, count + 1);
      total += 1;
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        total -= 1;
        const left = (counts.get(client) ?? 1) - 1;
        if (left === 0) counts.delete(client);
        else counts.set(client, left);
      };
    },
    has: (client) => counts.has(client),
  };
}
