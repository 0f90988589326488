import type { LaneEvent } from "../kernel/event.ts";
import type { StoreReader } from "../store/store.ts";
import { hintsFor } from "./hints.ts";
import type { LaneHub } from "./lane-hub.ts";

const pageSize = 500;

/** A session's events after a seq, each once and in order; then those to come, until aborted (T2). */
export async function* followEvents(
  parts: { store: StoreReader; lanes: LaneHub },
  target: { sessionId: string; after: number; signal?: AbortSignal },
): AsyncGenerator<LaneEvent> {
  const { sessionId, signal } = target;
  const hints = hintsFor(parts.lanes, { sessionId, signal });
  let { after } = target;
  try {
    for (;;) {
      if (signal?.aborted === true) return;
      hints.arm();
      const events = await parts.store.events(sessionId, { after, limit: pageSize });
      for (const event of events) {
        after = event.seq;
        yield event;
      }
      if (events.length < pageSize) await hints.next();
    }
  } finally {
    hints.close();
  }
}
