import { follow } from "../../log/follow.ts";
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

/**
 * Gives a reader what is in the log after its place, up to the log's end. False when it has gone
 * meanwhile. A slow reader only takes longer: nothing is read for it before it has room.
 */
export async function catchUp(
  log: EventLog,
  options: { subscriber: Subscriber; onError: (error: unknown) => void },
): Promise<boolean> {
  const { subscriber, onError } = options;
  const { sink, after } = subscriber;
  const { gone: signal } = sink;
  let limit = firstPage;
  for await (const page of follow(
    { ...log, hints: null },
    { after, limit: () => limit, signal, onError },
  )) {
    if (signal.aborted) return false;
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
      if (signal.aborted) return false;
    }
    subscriber.after = page.after;
  }
  return !signal.aborted;
}

function nextLimit(frames: readonly EventFrame[]): number {
  const length = frames.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (length === 0) return firstPage;
  const fitting = Math.floor((wantedLength / length) * frames.length);
  return Math.max(1, Math.min(longestPage, fitting));
}
