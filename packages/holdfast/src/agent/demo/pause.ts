/** Waits so long, for ever when null. True when it waited to the end, false when aborted first. */
export async function pause(
  milliseconds: number | null,
  signal: AbortSignal | null,
): Promise<boolean> {
  if (signal?.aborted === true) return false;
  return new Promise((resolve) => {
    const timer =
      milliseconds === null
        ? undefined
        : setTimeout(() => {
            signal?.removeEventListener("abort", stop);
            resolve(true);
          }, milliseconds);
    const stop = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
}
