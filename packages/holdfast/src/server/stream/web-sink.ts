import type { Sink } from "./sink.ts";

/** How much is taken before the reader asks for it. */
const highWater = 64 * 1024;

/** A body of a Response, for readers in this process, who have no connection. */
export function webSink(): { sink: Sink; body: ReadableStream<Uint8Array> } {
  const controller = new AbortController();
  let waiting: PromiseWithResolvers<void> | null = null;
  let output: ReadableStreamDefaultController<Uint8Array> | null = null;
  let ended = false;
  const release = (): void => {
    waiting?.resolve();
    waiting = null;
  };
  const leave = (): void => {
    ended = true;
    controller.abort();
    release();
  };
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
    gone: controller.signal,
    buffered,
    write: (bytes) => {
      if (!ended) output?.enqueue(bytes);
    },
    drained: () => {
      if (ended || buffered() < highWater) return Promise.resolve();
      waiting ??= Promise.withResolvers<void>();
      return waiting.promise;
    },
    end: (last) => {
      if (ended) return;
      if (last !== null) output?.enqueue(last);
      output?.close();
      leave();
    },
  };
  return { sink, body };
}
