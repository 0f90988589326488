/** Counts what clients have open: each may have so many, all together so many. */
export interface StreamCount {
  /** The function that ends it; null when there is no place. */
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
