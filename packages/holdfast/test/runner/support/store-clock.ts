/** The time of a store, which stands still until a test moves it, even back. */
export interface StoreClock {
  (): number;
  move(milliseconds: number): void;
}

export function createStoreClock(start = Date.UTC(2030, 0, 1)): StoreClock {
  let now = start;
  return Object.assign(() => now, {
    move: (milliseconds: number) => {
      now += milliseconds;
    },
  });
}
