import type { LaneEvent } from "../../kernel/event.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { FeedPage } from "../../store/store.ts";

/** Reads all sessions' events once for everybody in this process who looks at them as they come. */
export interface Follower {
  /** Every event that is committed from now on. Must not throw, and must not take long. */
  listen(listener: (event: LaneEvent) => void): () => void;
  close(): Promise<void>;
}

export async function startFollower(options: {
  runtime: Pick<Runtime, "feed" | "store">;
  onError: (error: unknown) => void;
}): Promise<Follower> {
  const { runtime, onError } = options;
  const listeners = new Set<(event: LaneEvent) => void>();
  const controller = new AbortController();
  const { signal } = controller;
  let after = await runtime.store.feedEnd();
  const tell = (page: FeedPage): void => {
    after = page.cursor;
    if (page.status === "reset") return;
    for (const event of page.events) for (const listener of listeners) listener(event);
  };
  const read = async (): Promise<void> => {
    for await (const page of runtime.feed({ after, signal, gather })) {
      tell(page);
    }
  };
  /** What was committed before the end and not read yet: nothing of it is told later. */
  const readRest = async (): Promise<void> => {
    for (let more = true; more;) {
      const page = await runtime.store.feed({ after, limit: restSize });
      tell(page);
      more = page.status === "events" && page.more;
    }
  };
  const ended = (async (): Promise<void> => {
    while (!signal.aborted) {
      await read().catch(onError);
      if (!signal.aborted) await pause(signal);
    }
    await readRest().catch(onError);
  })();
  return {
    listen: (listener) => {
      const own = (event: LaneEvent): void => listener(event);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    close: async () => {
      controller.abort();
      await ended;
    },
  };
}

/** Milliseconds: logs, metrics and the like can wait, and whoever works on a prompt should not. */
const gather = 20;

const restSize = 500;

/** How long to wait before a store that failed is asked again. */
const retryAfter = 500;

function pause(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, retryAfter).unref();
  const stop = (): void => {
    clearTimeout(timer);
    resolve();
  };
  signal.addEventListener("abort", stop, { once: true });
  return promise.finally(() => signal.removeEventListener("abort", stop));
}
