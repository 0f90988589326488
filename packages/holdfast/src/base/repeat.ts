/** What happens again and again in a process that goes on. */
export interface Regularly {
  /** Resolves when nothing of it is under way any more. */
  stop(): Promise<void>;
}

/** The first time after `first` milliseconds, then so long after each end. It keeps no process alive. */
export function regularly(options: {
  work: () => Promise<void>;
  first: number;
  every: number;
  onError: (error: unknown) => void;
}): Regularly {
  const { work, first, every, onError } = options;
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const schedule = (delay: number): void => {
    if (stopped) return;
    timer = setTimeout(() => {
      running = work()
        .catch(onError)
        .then(() => schedule(every));
    }, delay);
    timer.unref();
  };
  schedule(first);
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
