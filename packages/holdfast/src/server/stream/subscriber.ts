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
  /** Position of the reader in the log. */
  readonly after: string;
  /** Selects events by their session; null: all events. */
  readonly allows: ((sessionId: string) => boolean) | null;
  /** Maximum number of bytes to buffer for a live reader. If there are more, the stream is closed (P5). */
  readonly maxBuffer: number;
}

/** Number of buffered bytes above which a reader gets no deltas. The log will contain the same text. */
const deltaRoom = 64 * 1024;
/** Number of heartbeats without progress after which a reader counts as dead. */
const patience = 4;

/**
 * One reader of a stream, with its position. A class, because closures for each of many idle readers would need much
 * more memory.
 */
export class Subscriber {
  readonly sink: Sink;
  readonly deltas: boolean;
  readonly allows: SubscriberOptions["allows"];
  /** Position after the last event that was written. */
  after: string;
  readonly #maxBuffer: number;
  #written = 0;
  #taken = 0;
  #idleBeats = 0;

  constructor(options: SubscriberOptions) {
    this.sink = options.sink;
    this.deltas = options.deltas;
    this.allows = options.allows;
    this.after = options.after;
    this.#maxBuffer = options.maxBuffer;
  }

  /**
   * Writes even if the buffer is full. Use this only while the reader catches up: the catch-up code itself waits until
   * the buffer has room.
   */
  write(bytes: Uint8Array): void {
    this.#written += bytes.length;
    this.sink.write(bytes);
  }

  /**
   * Sends events to a live reader. A reader that does not keep up is disconnected and can resume.
   */
  deliver(page: { bytes: Buffer; frames: readonly EventFrame[]; after: string }): void {
    const bytes = this.allows === null ? page.bytes : allowedBytes(page.frames, this.allows);
    if (this.#keepUp(bytes)) this.after = page.after;
  }

  /** Sends a live reader a message that is not in the log. A reader that does not keep up is disconnected. */
  send(bytes: Uint8Array): void {
    this.#keepUp(bytes);
  }

  /** Sends bytes that the reader can do without. Returns false if the buffer has no room. */
  offer(bytes: Uint8Array): boolean {
    if (this.sink.buffered() > deltaRoom) return false;
    this.write(bytes);
    return true;
  }

  /** Sends a heartbeat, or closes the connection if it is dead. Call this regularly. */
  beat(): void {
    const waiting = this.sink.buffered();
    if (waiting === 0) {
      this.#idleBeats = 0;
      this.write(heartbeat);
      return;
    }
    const taken = this.#written - waiting;
    this.#idleBeats = taken === this.#taken ? this.#idleBeats + 1 : 0;
    this.#taken = taken;
    if (this.#idleBeats >= patience) this.close("slowReader");
  }

  close(reason: CloseReason): void {
    this.sink.end(frame({ event: "closed", data: { reason, after: this.after } }));
  }

  /** Writes to a live reader. If the reader is too slow, disconnects it instead and returns false. */
  #keepUp(bytes: Uint8Array): boolean {
    const waiting = this.sink.buffered();
    if (waiting > 0 && waiting + bytes.length > this.#maxBuffer) {
      this.close("slowReader");
      return false;
    }
    if (bytes.length > 0) this.write(bytes);
    return true;
  }
}

function allowedBytes(
  frames: readonly EventFrame[],
  allows: (sessionId: string) => boolean,
): Buffer {
  return Buffer.concat(
    frames.flatMap(({ event, bytes }) => (allows(event.sessionId) ? [bytes] : [])),
  );
}
