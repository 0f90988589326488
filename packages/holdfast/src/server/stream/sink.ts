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

/** Tracks whether a sink has ended, and wakes callers that wait until it has room. */
interface SinkEnd {
  /** Aborts when `leave` is called. */
  readonly gone: AbortSignal;
  readonly isOver: () => boolean;
  /** Ends the sink: nothing more is written, and waiting callers continue. */
  readonly leave: () => void;
  /** Resolves when `release` or `leave` is called. */
  readonly wait: () => Promise<void>;
  readonly release: () => void;
}

export function createSinkEnd(): SinkEnd {
  const controller = new AbortController();
  let waiting: PromiseWithResolvers<void> | null = null;
  const release = (): void => {
    waiting?.resolve();
    waiting = null;
  };
  return {
    gone: controller.signal,
    isOver: () => controller.signal.aborted,
    leave: () => {
      controller.abort();
      release();
    },
    wait: () => (waiting ??= Promise.withResolvers<void>()).promise,
    release,
  };
}

/**
 * Milliseconds after the end of a stream at which its connection is closed, even if the reader has not received all
 * bytes.
 */
const linger = 5_000;

/** Creates a sink that writes to the socket directly: a web stream in between would double the time per event. */
export function nodeSink(outgoing: ServerResponse): Sink {
  const { gone, isOver, leave, wait, release } = createSinkEnd();
  outgoing.on("drain", release);
  outgoing.once("close", leave);
  // The "close" event reports a broken connection; an unhandled error would end the process.
  outgoing.on("error", () => {});
  if (outgoing.destroyed || outgoing.socket === null) leave();
  return {
    gone,
    buffered: () => outgoing.writableLength,
    write: (bytes) => {
      if (!isOver()) outgoing.write(bytes);
    },
    drained: () => {
      if (isOver() || !outgoing.writableNeedDrain) return Promise.resolve();
      return wait();
    },
    end: (last) => {
      if (isOver()) return;
      const timer = setTimeout(() => outgoing.destroy(), linger).unref();
      outgoing.once("close", () => clearTimeout(timer));
      if (last === null) outgoing.end();
      else outgoing.end(last);
      leave();
    },
  };
}

/**
 * Maximum number of bytes that should wait in the body's queue. The stream calls `pull` only while fewer bytes wait.
 */
const highWater = 64 * 1024;

/** Creates a sink with a Response body, for in-process readers, which have no socket. */
export function webSink(): { sink: Sink; body: ReadableStream<Uint8Array> } {
  const { gone, isOver, leave, wait, release } = createSinkEnd();
  let output: ReadableStreamDefaultController<Uint8Array> | null = null;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (given) => {
        output = given;
      },
      pull: release,
      cancel: leave,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: highWater }),
  );
  const buffered = (): number => highWater - (output?.desiredSize ?? highWater);
  const sink: Sink = {
    gone,
    buffered,
    write: (bytes) => {
      if (!isOver()) output?.enqueue(bytes);
    },
    drained: () => {
      if (isOver() || buffered() < highWater) return Promise.resolve();
      return wait();
    },
    end: (last) => {
      if (isOver()) return;
      if (last !== null) output?.enqueue(last);
      output?.close();
      leave();
    },
  };
  return { sink, body };
}
