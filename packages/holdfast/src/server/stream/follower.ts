import { addListener } from "../../base/listeners.ts";
import type { LaneEvent } from "../../kernel/event.ts";
import { feedToEnd, followFeed } from "../../log/feed.ts";
import { follow } from "../../log/follow.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { FeedPage } from "../../store/store.ts";

/** Reads the events of all sessions once for all listeners in this process. */
export interface Follower {
  /**
   * Calls the listener with every event that is committed from now on. The listener must be quick and must not throw.
   */
  listen(listener: (event: LaneEvent) => void): () => void;
  close(): Promise<void>;
}

/**
 * Milliseconds to collect events before reading them. Logs and metrics can wait, so that they do not slow down runs.
 */
const gather = 20;

const restSize = 500;

export async function startFollower(options: {
  runtime: Pick<Runtime, "store">;
  /** Poll interval in milliseconds: the longest delay if a signal is lost. Default: 1 s. */
  poll?: number | undefined;
  onError: (error: unknown) => void;
}): Promise<Follower> {
  const { poll, onError } = options;
  const { store } = options.runtime;
  const listeners = new Set<(event: LaneEvent) => void>();
  const controller = new AbortController();
  const { signal } = controller;
  let after = await store.feedEnd();
  const deliver = (page: FeedPage): void => {
    after = page.cursor;
    if (page.status === "reset") return;
    for (const event of page.events) for (const listener of listeners) listener(event);
  };
  const run = async (): Promise<void> => {
    const pace = poll === undefined ? {} : { poll };
    const following = { after, signal, gather, onError, ...pace };
    for await (const page of followFeed(store, following)) deliver(page);
    // After the abort, read the remaining events that are already committed: no signal for them will follow.
    for await (const { page } of follow(feedToEnd(store), { after, limit: restSize }))
      deliver(page);
  };
  const ended = run().catch(onError);
  return {
    listen: (listener) => addListener(listeners, listener),
    close: async () => {
      controller.abort();
      await ended;
    },
  };
}
