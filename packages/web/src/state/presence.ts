/** How long a hidden page stays connected, in milliseconds. People often switch back and forth. */
const lingering = 20_000;

export interface Wanted {
  /** Aborts when the connection is no longer needed, or when it is needed with other options. */
  readonly signal: AbortSignal;
  /** Deltas are needed only while the page is visible. */
  readonly deltas: boolean;
  readonly release: () => void;
}

/**
 * Waits until this page should be connected. A visible page is always connected. Of the hidden pages, only one is
 * connected, to show notifications: more of them would use up the browser's connections.
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

/**
 * Resolves when this page becomes visible or is chosen as the one hidden page that stays connected.
 */
async function watchOrVisible(): Promise<() => void> {
  const { locks } = navigator;
  // Without the lock API (plain http from another machine), every page stays connected.
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
  // Wait until the page gets the lock or becomes visible. If it becomes visible, `granted` rejects: ignore that error.
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
