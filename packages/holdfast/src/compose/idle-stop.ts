import { repeat } from "../base/repeat.ts";
import type { Clock } from "../base/time.ts";
import { systemClock } from "../base/time.ts";
import { isUnsettled } from "../kernel/attention.ts";
import { unfinishedStatuses } from "../kernel/session-status.ts";
import type { StoreReader } from "../store/store.ts";

export interface IdleOptions {
  /** Milliseconds without work and clients after which `stop` is called. */
  readonly after: number;
  /** Monotonic time of the last request or event; `Infinity` while a client is connected. */
  readonly lastUse: () => number;
  /** True if work is running or waiting. Reads many sessions, so it is called rarely. */
  readonly hasWork: () => Promise<boolean>;
  readonly stop: () => void;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

const longestPause = 30_000;

/** Stops a server that no client uses and that has no work. */
export function stopWhenIdle(options: IdleOptions): AsyncDisposable {
  const { after, lastUse, hasWork, stop, onError, clock = systemClock } = options;
  const every = Math.min(longestPause, after / 4);
  /** `at`: time of the last check that found work. `use`: the value that `lastUse` returned in that check. */
  let found = { at: -Infinity, use: -Infinity };
  const check = async (): Promise<void> => {
    const [now, use] = [clock.monotonic(), lastUse()];
    if (now - use < after) return;
    // The last call of `hasWork` found work, and no request or event has followed. Do not call `hasWork` again yet: the
    // end of the work would have been an event.
    if (use === found.use && now - found.at < after) return;
    if (await hasWork()) found = { at: now, use };
    // Check the time again, because a client may have connected meanwhile.
    else if (clock.monotonic() - lastUse() >= after) stop();
  };
  const checking = repeat({ work: check, first: every, every, onError, clock });
  return { [Symbol.asyncDispose]: () => checking.stop() };
}

/** True if a session has a run, a queued prompt or a hold that ends by itself. */
export async function hasUnsettledSession(store: StoreReader): Promise<boolean> {
  for (let after: string | null = null; ;) {
    const page = await store.listSessions({ statuses: unfinishedStatuses, limit: 100, after });
    if (page.sessions.some(({ state }) => isUnsettled(state))) return true;
    if (page.cursor === null) return false;
    after = page.cursor;
  }
}
