import { StringDecoder } from "node:string_decoder";
import { stripVTControlCharacters } from "node:util";

/** Keeps the beginning and the end of an output of any length, and reports progress. */
export interface OutputKeeper {
  add(chunk: Buffer): void;
  result(): { readonly text: string; readonly truncated: boolean; readonly bytes: number };
}

const megabyte = 1_000_000;

export function keepOutput(options: {
  readonly maxBytes: number;
  readonly progress: (text: string) => void;
}): OutputKeeper {
  const { maxBytes, progress } = options;
  const headBytes = Math.ceil(maxBytes / 2);
  const tail = createRing(maxBytes - headBytes);
  const head: Buffer[] = [];
  const decoder = new StringDecoder("utf8");
  let bytes = 0;
  let reported = 0;

  /** Reports normal output in full, but only the length of very long output. */
  const report = (chunk: Buffer): void => {
    if (bytes <= maxBytes) {
      const text = decoder.write(chunk);
      if (text !== "") progress(text);
    } else if (bytes - reported >= megabyte) {
      reported = bytes;
      progress(`\n[${Math.floor(bytes / megabyte)} MB of output so far]\n`);
    }
  };

  return {
    add: (chunk) => {
      const room = Math.max(0, headBytes - bytes);
      // Copy the bytes, because a view would keep the whole chunk in memory.
      if (room > 0) head.push(Buffer.from(chunk.subarray(0, room)));
      if (chunk.length > room) tail.add(chunk.subarray(room));
      bytes += chunk.length;
      report(chunk);
    },
    result: () => {
      const start = Buffer.concat(head);
      const end = tail.content();
      const left = bytes - start.length - end.length;
      if (left === 0) return { text: clean(Buffer.concat([start, end])), truncated: false, bytes };
      const gap = `\n[... ${left} bytes left out ...]\n`;
      return { text: clean(start) + gap + clean(end), truncated: true, bytes };
    },
  };
}

/** Removes control characters, which are of no use to a reader. */
function clean(bytes: Buffer): string {
  const text = stripVTControlCharacters(bytes.toString("utf8")).replaceAll("\0", "\ufffd");
  return text.replaceAll(/[^\P{Cc}\t\n\r\x80-\x9f]/gu, "");
}

/** A ring buffer of fixed size with the last bytes of a stream. */
function createRing(size: number): { add(chunk: Buffer): void; content(): Buffer } {
  const ring = Buffer.alloc(size);
  let length = 0;
  let next = 0;
  return {
    add: (chunk) => {
      const last = chunk.subarray(Math.max(0, chunk.length - size));
      const first = Math.min(last.length, size - next);
      last.copy(ring, next, 0, first);
      last.copy(ring, 0, first);
      next = size === 0 ? 0 : (next + last.length) % size;
      length = Math.min(size, length + last.length);
    },
    content: () => {
      if (length < size) return Buffer.from(ring.subarray(0, length));
      return Buffer.concat([ring.subarray(next), ring.subarray(0, next)]);
    },
  };
}
