import type { Readable } from "node:stream";
import { stripVTControlCharacters } from "node:util";

/** Keeps the last output of a process. */
export interface Tail {
  follow(stream: Readable): void;
  text(): string;
  stop(): void;
}

const maxBytes = 8_192;
const second = 1_000;
/** Each read counts as at least this many bytes, so that many small reads reach the limit too. */
const minCost = 1_000;

/** Keeps the end of stderr. Reads at most `rate` bytes per second, which slows down a process that prints too much. */
export function createTail(rate: number): Tail {
  let kept: Buffer = Buffer.alloc(0);
  let read = 0;
  let timer: NodeJS.Timeout | null = null;
  return {
    follow: (stream) => {
      const next = (): void => {
        timer = null;
        read = 0;
        stream.resume();
      };
      stream.on("data", (chunk: Buffer) => {
        kept = Buffer.from(Buffer.concat([kept, chunk.subarray(-maxBytes)]).subarray(-maxBytes));
        read += Math.max(chunk.length, minCost);
        timer ??= setTimeout(next, second).unref();
        if (read > rate) stream.pause();
      });
    },
    text: () => stripVTControlCharacters(kept.toString("utf8")),
    stop: () => {
      if (timer !== null) clearTimeout(timer);
    },
  };
}
