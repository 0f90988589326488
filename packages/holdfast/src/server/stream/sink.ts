import type { ServerResponse } from "node:http";
/** Where one reader's bytes go. It never blocks: what does not leave at once is counted. */
export interface Sink {
  write(bytes: Uint8Array): void;
  /** Bytes that have been written and have not left. */
  buffered(): number;
  /** Resolves when next to nothing is buffered, or the reader has gone. */
  drained(): Promise<void>;
  /** Writes the last bytes; a reader that does not take them in time is cut off without. */
  end(last: Uint8Array | null): void;
  /** Aborts once when nothing can be written any more, whoever ended it. */
  readonly gone: AbortSignal;
}

export const streamHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Proxies that gather what they pass on would hold events back.
  "x-accel-buffering": "no",
};

/** The end of a sink, and those who wait until it takes more. */
interface SinkEnd {
  /** Aborts with `leave`. */
  readonly gone: AbortSignal;
  readonly isOver: () => boolean;
  /** Nothing more is written; whoever waits goes on. */
  readonly leave: () => void;
  /** Until `release` or `leave`. */
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

/** How long a reader gets to take what was still on its way when its stream ended. */
const linger = 5_000;

/** Writes on the connection itself: a web stream in between costs twice the time for each event. */
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

/** How much is taken before the reader asks for it. */
const highWater = 64 * 1024;

/** A body of a Response, for readers in this process, who have no connection. */
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
