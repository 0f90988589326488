/**
 * Gives work a signal that aborts after so many seconds, or when one of the others does, and leaves
 * neither a timer nor a listener behind.
 */
export async function withPatience<T>(
  options: { seconds: number; signals: readonly AbortSignal[] },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  const timer = setTimeout(stop, options.seconds * 1000).unref();
  for (const signal of options.signals) {
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
  }
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    for (const signal of options.signals) signal.removeEventListener("abort", stop);
  }
}
