/** Closings under way, by the key of what is closed, so that the same is not opened beside it. */
export interface Endings {
  /** Resolves when nothing under this key is being closed. */
  over(key: string): Promise<void>;
  /** It must not reject. */
  add(key: string, ended: Promise<unknown>): void;
  isEmpty(): boolean;
  all(): Promise<void>;
}

export function createEndings(onEmpty: () => void): Endings {
  const open = new Map<string, Promise<unknown>>();
  return {
    over: async (key) => {
      await open.get(key);
    },
    add: (key, ended) => {
      const over = Promise.all([open.get(key), ended]).finally(() => {
        if (open.get(key) === over) open.delete(key);
        if (open.size === 0) onEmpty();
      });
      open.set(key, over);
    },
    isEmpty: () => open.size === 0,
    all: async () => {
      await Promise.all(open.values());
    },
  };
}
