import type { ServerResponse } from "node:http";
import type { Sink } from "./sink.ts";

/** How long a reader gets to take what was still on its way when its stream ended. */
const linger = 5_000;

/** Writes on the connection itself: a web stream in between costs twice the time for each event. */
export function nodeSink(outgoing: ServerResponse): Sink {
  const controller = new AbortController();
  let waiting: PromiseWithResolvers<void> | null = null;
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
  outgoing.on("drain", release);
  outgoing.once("close", leave);
  // A connection that broke says so by closing; unheard, the error would end the process.
  outgoing.on("error", () => {});
  if (outgoing.destroyed || outgoing.socket === null) leave();
  return {
    gone: controller.signal,
    buffered: () => outgoing.writableLength,
    write: (bytes) => {
      if (!ended) outgoing.write(bytes);
    },
    drained: () => {
      if (ended || !outgoing.writableNeedDrain) return Promise.resolve();
      waiting ??= Promise.withResolvers<void>();
      return waiting.promise;
    },
    end: (last) => {
      if (ended) return;
      ended = true;
      const timer = setTimeout(() => outgoing.destroy(), linger).unref();
      outgoing.once("close", () => clearTimeout(timer));
      if (last === null) outgoing.end();
      else outgoing.end(last);
      controller.abort();
      release();
    },
  };
}
