import type { EventFrame } from "./event-log.ts";
import { frame, heartbeat } from "./frame.ts";
import type { Sink } from "./sink.ts";

/** `reset`: the store is another than it was; who resumes is told where to go on. */
export type CloseReason = "slowReader" | "draining" | "revoked" | "reset";

export interface SubscriberOptions {
  readonly sink: Sink;
  readonly deltas: boolean;
  /** Whether it may see a session's events; null for all of them. */
  readonly allows: ((sessionId: string) => boolean) | null;
  /** So many bytes may wait for a live reader; past it the stream ends (P5). */
  readonly maxBuffer: number;
}

/** One reader of a stream: what it has been given, and how it comes to an end. */
export interface Subscriber extends SubscriberOptions {
  /** The place behind the last event that was written. */
  after: string;
  /** For readers that set their own pace. */
  write(bytes: Uint8Array): void;
  /** Events for a reader that is live: one that does not keep up is cut off, and can resume. */
  deliver(page: { bytes: Buffer; frames: readonly EventFrame[]; after: string }): void;
  /** The same for what is not in the log. */
  send(bytes: Uint8Array): void;
  /** Something that it can do without; false when there is no room for it now. */
  offer(bytes: Uint8Array): boolean;
  /** To be called now and then: shows that the connection is alive, ends one that is not. */
  beat(): void;
  close(reason: CloseReason): void;
}

/** Beyond this a reader gets no deltas: the log has it all later. */
const deltaRoom = 64 * 1024;
/** So many beats without a byte being taken, and nobody reads there. */
const patience = 4;

export function createSubscriber(options: SubscriberOptions, after: string): Subscriber {
  const { sink, allows, maxBuffer } = options;
  let written = 0;
  let taken = 0;
  let idleBeats = 0;
  const write = (bytes: Uint8Array): void => {
    written += bytes.length;
    sink.write(bytes);
  };
  /** False when it is cut off instead. */
  const keepUp = (bytes: Uint8Array): boolean => {
    const waiting = sink.buffered();
    if (waiting > 0 && waiting + bytes.length > maxBuffer) {
      subscriber.close("slowReader");
      return false;
    }
    if (bytes.length > 0) write(bytes);
    return true;
  };
  const subscriber: Subscriber = {
    ...options,
    after,
    write,
    deliver: (page) => {
      const bytes = allows === null ? page.bytes : allowedBytes(page.frames, allows);
      if (keepUp(bytes)) subscriber.after = page.after;
    },
    send: (bytes) => void keepUp(bytes),
    offer: (bytes) => {
      if (sink.buffered() > deltaRoom) return false;
      write(bytes);
      return true;
    },
    beat: () => {
      const waiting = sink.buffered();
      if (waiting === 0) {
        idleBeats = 0;
        write(heartbeat);
        return;
      }
      idleBeats = written - waiting === taken ? idleBeats + 1 : 0;
      taken = written - waiting;
      if (idleBeats >= patience) subscriber.close("slowReader");
    },
    close: (reason) => {
      sink.end(frame({ event: "closed", data: { reason, after: subscriber.after } }));
    },
  };
  return subscriber;
}

function allowedBytes(
  frames: readonly EventFrame[],
  allows: (sessionId: string) => boolean,
): Buffer {
  return Buffer.concat(
    frames.flatMap(({ event, bytes }) => (allows(event.sessionId) ? [bytes] : [])),
  );
}
