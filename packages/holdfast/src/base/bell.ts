/** Lets a loop sleep until somebody rings, so much time has passed, or everything ends. */
export interface Bell {
  /** From here on a ring is remembered: arm first, look then, so that nothing falls in between. */
  arm(): void;
  ring(): void;
  /** Null: however long it takes. */
  wait(milliseconds: number | null): Promise<void>;
}

export function createBell(signal: AbortSignal): Bell {
  let rung = Promise.withResolvers<void>();
  const ring = (): void => rung.resolve();
  signal.addEventListener("abort", ring, { once: true });
  return {
    ring,
    arm: () => {
      rung = Promise.withResolvers();
      if (signal.aborted) ring();
    },
    wait: async (milliseconds) => {
      const timer = milliseconds === null ? undefined : setTimeout(ring, milliseconds).unref();
      await rung.promise;
      clearTimeout(timer);
    },
  };
}
