import { createSinkEnd } from "./sink-end.ts";
import type { Sink } from "./sink.ts";

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
