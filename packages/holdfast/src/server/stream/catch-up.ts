import { follow } from "../../log/follow.ts";
import type { EventFrame, EventLog } from "./event-log.ts";
import { frame } from "./frame.ts";
import type { Subscriber } from "./subscriber.ts";

/** Bytes that may be buffered while a reader catches up. The reader sets the pace. */
const room = 64 * 1024;
/**
 * Page sizes while catching up. Events that were read but not written use memory for each reader,
 * so pages start small and then aim for `wantedLength` bytes.
 */
const firstPage = 8;
const longestPage = 50;
const wantedLength = 128 * 1024;

/**
 * Writes the log after the reader's position, up to its end. False if the reader is gone. For a
 * slow reader, nothing is read before the buffer has room.
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
