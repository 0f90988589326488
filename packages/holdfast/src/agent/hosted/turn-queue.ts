/** A queue between a hosted agent, which writes at its own speed, and the run, which commits what it reads. */
export interface TurnQueue<Item> {
  push(item: Item): void;
  next(): Promise<Item>;
  /** True if a waiting item matches. */
  has(matches: (item: Item) => boolean): boolean;
}

/** Maximum number of waiting items. Above it the agent is paused, so that memory stays bounded (P5). */
const most = 1_000;

export function createTurnQueue<Item>(pause: () => () => void): TurnQueue<Item> {
  const items: Item[] = [];
  let waiting: ((item: Item) => void) | null = null;
  let resume: (() => void) | null = null;
  return {
    push: (item) => {
      if (waiting !== null) {
        const take = waiting;
        waiting = null;
        take(item);
        return;
      }
      items.push(item);
      if (items.length > most) resume ??= pause();
    },
    has: (matches) => items.some(matches),
    next: () => {
      const item = items.shift();
      if (items.length < most / 2) {
        resume?.();
        resume = null;
      }
      if (item !== undefined) return Promise.resolve(item);
      return new Promise((resolve) => {
        waiting = resolve;
      });
    },
  };
}
