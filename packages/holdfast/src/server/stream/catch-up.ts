import { setTimeout } from "node:timers/promises";
import type { EventFrame, EventLog } from "./event-log.ts";
import { frame } from "./frame.ts";
import type { Subscriber } from "./subscriber.ts";

/** So much is written before a reader has taken it: it sets the pace while it catches up. */
const room = 64 * 1024;
/**
 * What was read and not written waits in memory, for each reader its own: so few events at first,
 * and then as many as are expected to be about so long together.
 */
const firstPage = 8;
const longestPage = 50;
const wantedLength = 128 * 1024;
/** How long to wait before a store that failed is asked again. */
const retryAfter = 500;

/**
 * Gives a reader what is in the log after its place, up to the log's end. False when it has gone
 * meanwhile. A slow reader only takes longer: nothing is read for it before it has room.
 */
export async function catchUp(
  log: EventLog,
  options: { subscriber: Subscriber; onError: (error: unknown) => void },
): Promise<boolean> {
  const { subscriber, onError } = options;
  const { sink } = subscriber;
  let limit = firstPage;
  for (;;) {
    if (sink.gone.aborted) return false;
    const page = await log.read(subscriber.after, limit).catch(onError);
    if (page === undefined) {
      await setTimeout(retryAfter, undefined, { ref: false });
      continue;
    }
    if (page.status === "reset") {
      const { after } = page;
      subscriber.write(frame({ id: after, event: "reset", data: { cursor: after } }));
      subscriber.after = after;
      continue;
    }
    limit = nextLimit(page.frames);
    for (const { event, bytes, after } of page.frames) {
      if (subscriber.allows === null || subscriber.allows(event.sessionId)) subscriber.write(bytes);
      subscriber.after = after;
      if (sink.buffered() > room) await sink.drained();
      if (sink.gone.aborted) return false;
    }
    subscriber.after = page.after;
    if (!page.more) return true;
  }
}

function nextLimit(frames: readonly EventFrame[]): number {
  const length = frames.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (length === 0) return firstPage;
  const fitting = Math.floor((wantedLength / length) * frames.length);
  return Math.max(1, Math.min(longestPage, fitting));
}
