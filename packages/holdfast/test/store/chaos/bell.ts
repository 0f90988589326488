/** Lets many wait for the next sign of a change, or for a while. */
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
