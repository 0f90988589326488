/** Lets many callers wait for the next change, or for a time. */
export interface Bell {
  ring(): void;
  wait(milliseconds: number): Promise<void>;
}

export function createBell(): Bell {
  let waiting: (() => void)[] = [];
  return {
    ring() {
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    wait: (milliseconds) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, Math.max(1, milliseconds));
        waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
}
