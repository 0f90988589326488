import type { EventFrame } from "./event-log.ts";
import { frame, heartbeat } from "./frame.ts";
import type { Sink } from "./sink.ts";

/**
 * Reason why a stream is closed. `reset`: the store was replaced or restored; a reader that resumes is told where to
 * continue.
 */
export type CloseReason = "slowReader" | "draining" | "revoked" | "reset";

export interface SubscriberOptions {
  readonly sink: Sink;
  readonly deltas: boolean;
  /** Selects events by their session; null: all events. */
  readonly allows: ((sessionId: string) => boolean) | null;
  /** Maximum number of bytes to buffer for a live reader. If there are more, the stream is closed (P5). */
  readonly maxBuffer: number;
}

/** One reader of a stream, with its position. */
export interface Subscriber extends SubscriberOptions {
  /** Position after the last event that was written. */
  after: string;
  /**
   * Writes even if the buffer is full. Use this only while the reader catches up: the catch-up code itself waits until
   * the buffer has room.
   */
  write(bytes: Uint8Array): void;
  /**
   * Sends events to a live reader. A reader that does not keep up is disconnected and can resume.
   */
  deliver(page: { bytes: Buffer; frames: readonly EventFrame[]; after: string }): void;
  /** Sends a live reader a message that is not in the log. A reader that does not keep up is disconnected. */
  send(bytes: Uint8Array): void;
  /** Sends bytes that the reader can do without. Returns false if the buffer has no room. */
  offer(bytes: Uint8Array): boolean;
  /** Sends a heartbeat, or closes the connection if it is dead. Call this regularly. */
  beat(): void;
  close(reason: CloseReason): void;
}

/** Number of buffered bytes above which a reader gets no deltas. The log will contain the same text. */
const deltaRoom = 64 * 1024;
/** Number of heartbeats without progress after which a reader counts as dead. */
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
  /** Writes to a live reader. If the reader is too slow, disconnects it instead and returns false. */
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
