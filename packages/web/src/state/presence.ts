/** Time to go on following when the page is put out of sight: switching back and forth is common. */
const lingering = 20_000;

export interface Wanted {
  /** Fires when the connection is no longer wanted, or is wanted in another form. */
  readonly signal: AbortSignal;
  /** Pieces of answers are of use only to somebody who looks. */
  readonly deltas: boolean;
  readonly release: () => void;
}

/**
 * Waits until this page should follow the server. One that is in sight does. Of those out of sight
 * one does, so that it can call its person: more would use up the browser's connections.
 */
export async function whenWanted(): Promise<Wanted> {
  const ended = new AbortController();
  if (isVisible()) {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const undo = onVisibility((isNow) => {
      if (!isNow) timer ??= setTimeout(() => ended.abort(), lingering);
      else if (timer !== null) {
        clearTimeout(timer);
        timer = null;
      }
    });
    const release = (): void => {
      undo();
      if (timer !== null) clearTimeout(timer);
    };
    return { signal: ended.signal, deltas: true, release };
  }
  const unlock = await watchOrVisible();
  const undo = onVisibility((isNow) => {
    if (isNow) ended.abort();
  });
  if (isVisible()) ended.abort();
  const release = (): void => {
    undo();
    unlock();
  };
  return { signal: ended.signal, deltas: false, release };
}

/** Resolves when this page is the one that watches in the background, or is looked at. */
async function watchOrVisible(): Promise<() => void> {
  const { locks } = navigator;
  // Without locks (a page that came over plain http from elsewhere) each watches for itself.
  if (locks === undefined) return () => {};
  const waiting = new AbortController();
  const undo = onVisibility((isNow) => {
    if (isNow) waiting.abort();
  });
  const held = Promise.withResolvers<void>();
  const granted = new Promise<void>((resolve, reject) => {
    const take = (): Promise<void> => {
      resolve();
      return held.promise;
    };
    locks.request("holdfast.watch", { signal: waiting.signal }, take).catch(reject);
  });
  // Rejects when the page becomes visible, which also ends the wait.
  await granted.catch(() => {});
  undo();
  return held.resolve;
}

function isVisible(): boolean {
  return document.visibilityState === "visible";
}

function onVisibility(work: (isNow: boolean) => void): () => void {
  const listener = (): void => work(isVisible());
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}
