/** A clock that stands still until it is moved, also back. */
export interface HandClock {
  (): number;
  move(milliseconds: number): void;
}

export function createHandClock(): HandClock {
  let now = Date.UTC(2030, 0, 1);
  return Object.assign(() => now, {
    move: (milliseconds: number) => {
      now += milliseconds;
    },
  });
}
