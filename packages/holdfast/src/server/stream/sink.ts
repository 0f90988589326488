import type { ServerResponse } from "node:http";

/**
 * Destination of one reader's bytes. Never blocks: bytes that cannot be sent at once are buffered
 * and counted.
 */
export interface Sink {
  write(bytes: Uint8Array): void;
  /** Returns the number of bytes that were written but not sent yet. */
  buffered(): number;
  /** Resolves when the buffer is nearly empty or the reader is gone. */
  drained(): Promise<void>;
  /** Writes the last bytes and closes the connection. A reader that is too slow to receive them is disconnected. */
  end(last: Uint8Array | null): void;
  /** Aborts when nothing more can be written, for any reason. */
  readonly gone: AbortSignal;
}

export const streamHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Tells proxies not to buffer the response, which would delay events.
  "x-accel-buffering": "no",
};

/** Ends a sink, and wakes callers that wait until it has room. */
class SinkEnd {
  readonly #controller = new AbortController();
  #waiting: PromiseWithResolvers<void> | null = null;

  get gone(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the sink: nothing more is written, and waiting callers continue. */
  leave(): void {
    this.#controller.abort();
    this.release();
  }

  /** Resolves when `release` or `leave` is called. */
  wait(): Promise<void> {
    return (this.#waiting ??= Promise.withResolvers<void>()).promise;
  }

  release(): void {
    this.#waiting?.resolve();
    this.#waiting = null;
  }
}

/**
 * Milliseconds after the end of a stream at which its connection is closed, even if the reader has not received all
 * bytes.
 */
const linger = 5_000;

/** Writes to the socket directly: a web stream in between would double the time per event. */
export class NodeSink extends SinkEnd implements Sink {
  readonly #outgoing: ServerResponse;

  constructor(outgoing: ServerResponse) {
    super();
    this.#outgoing = outgoing;
    outgoing.on("drain", () => this.release());
    outgoing.once("close", () => this.leave());
    // The "close" event reports a broken connection; an unhandled error would end the process.
    outgoing.on("error", ignoreError);
    if (outgoing.destroyed || outgoing.socket === null) this.leave();
  }

  buffered(): number {
    return this.#outgoing.writableLength;
  }

  write(bytes: Uint8Array): void {
    if (!this.gone.aborted) this.#outgoing.write(bytes);
  }

  drained(): Promise<void> {
    if (this.gone.aborted || !this.#outgoing.writableNeedDrain) return Promise.resolve();
    return this.wait();
  }

  end(last: Uint8Array | null): void {
    if (this.gone.aborted) return;
    const outgoing = this.#outgoing;
    const timer = setTimeout(() => outgoing.destroy(), linger).unref();
    outgoing.once("close", () => clearTimeout(timer));
    if (last === null) outgoing.end();
    else outgoing.end(last);
    this.leave();
  }
}

function ignoreError(): void {}

/**
 * Maximum number of bytes that should wait in the body's queue. The stream calls `pull` only while fewer bytes wait.
 */
const highWater = 64 * 1024;

/** Writes to a Response body, for in-process readers, which have no socket. */
export class WebSink extends SinkEnd implements Sink {
  #output: ReadableStreamDefaultController<Uint8Array> | null = null;
  readonly body = new ReadableStream<Uint8Array>(
    {
      start: (output) => {
        this.#output = output;
      },
      pull: () => this.release(),
      cancel: () => this.leave(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: highWater }),
  );

  buffered(): number {
    return highWater - (this.#output?.desiredSize ?? highWater);
  }

  write(bytes: Uint8Array): void {
    if (!this.gone.aborted) this.#output?.enqueue(bytes);
  }

  drained(): Promise<void> {
    if (this.gone.aborted || this.buffered() < highWater) return Promise.resolve();
    return this.wait();
  }

  end(last: Uint8Array | null): void {
    if (this.gone.aborted) return;
    if (last !== null) this.#output?.enqueue(last);
    this.#output?.close();
    this.leave();
  }
}
