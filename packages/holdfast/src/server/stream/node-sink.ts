import type { ServerResponse } from "node:http";
import { createSinkEnd } from "./sink-end.ts";
import type { Sink } from "./sink.ts";

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
