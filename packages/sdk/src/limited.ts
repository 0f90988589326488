import { Aborted, throwIfAborted, Unreachable } from "./errors.ts";
import type { Timing } from "./timing.ts";

/** Rejects when the caller's signal aborts or the timeout ends, even if a custom `fetch` ignores its signal. */
export async function limited<Value>(
  timing: Timing,
  limits: { signal: AbortSignal | undefined; timeout: number },
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const { signal, timeout } = limits;
  throwIfAborted(signal);
  const inner = new AbortController();
  const releases: (() => void)[] = [];
  const stopped = new Promise<never>((_, fail) => {
    const late = new Unreachable(`the server did not answer within ${timeout} ms`);
    releases.push(timing.after(timeout, () => fail(late)));
    if (signal === undefined) return;
    const onAbort = (): void => fail(new Aborted(signal));
    signal.addEventListener("abort", onAbort, { once: true });
    releases.push(() => signal.removeEventListener("abort", onAbort));
  });
  try {
    return await Promise.race([work(inner.signal), stopped]);
  } catch (error) {
    inner.abort(error);
    throw error;
  } finally {
    for (const release of releases) release();
  }
}
