/** Runs one task at a time, in call order. A failed task does not stop the next. */
export type Mutex = <Value>(task: () => Promise<Value>) => Promise<Value>;

export function createMutex(): Mutex {
  return createSemaphore(1);
}

/** Runs at most `limit` tasks concurrently; others wait in call order. */
export function createSemaphore(limit: number): Mutex {
  let running = 0;
  const waiting: (() => void)[] = [];
  const enter = async (): Promise<void> => {
    if (running < limit) {
      running += 1;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push(resolve);
    await promise;
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };
  return async (task) => {
    await enter();
    try {
      return await task();
    } finally {
      leave();
    }
  };
}

/** Runs one task at a time for each key. A key without tasks takes no memory. */
export interface KeyedMutex {
  run<Value>(key: string, task: () => Promise<Value>): Promise<Value>;
  /** Returns true if a task with this key runs or waits. */
  isBusy(key: string): boolean;
  /** Resolves when no task runs or waits. */
  idle(): Promise<void>;
}

export function createKeyedMutex(): KeyedMutex {
  const byKey = new Map<string, { readonly mutex: Mutex; tasks: number }>();
  return {
    run: async (key, task) => {
      const entry = byKey.get(key) ?? { mutex: createMutex(), tasks: 0 };
      byKey.set(key, entry);
      entry.tasks += 1;
      try {
        return await entry.mutex(task);
      } finally {
        entry.tasks -= 1;
        if (entry.tasks === 0) byKey.delete(key);
      }
    },
    isBusy: (key) => byKey.has(key),
    idle: async () => {
      while (byKey.size > 0) {
        await Promise.all([...byKey.values()].map(({ mutex }) => mutex(async () => {})));
      }
    },
  };
}
