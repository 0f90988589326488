import { follow } from "../../log/follow.ts";
import type { EventFrame, EventLog } from "./event-log.ts";
import { frame } from "./frame.ts";
import type { Subscriber } from "./subscriber.ts";

/**
 * Maximum number of bytes that wait to be sent to a client that catches up. If there are more, the server reads no
 * further events until the client has received some.
 */
const room = 64 * 1024;
/**
 * Number of events in the first page that a catching-up reader gets. It is small, because each reader has its own page
 * in memory.
 */
const firstPage = 8;
/** Maximum number of events in each page after the first. */
const longestPage = 50;
/** Size in bytes that each page of events after the first should have. */
const wantedLength = 128 * 1024;

/**
 * Writes all events after the reader's position, up to the end of the log. Returns false if the reader is gone. If the
 * reader is slow, waits for room in the buffer before it reads more.
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
