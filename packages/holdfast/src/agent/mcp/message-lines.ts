/** Splits a stream into lines. Keeps at most `maxBytes` of a line. */
export interface MessageLines {
  add(chunk: Buffer): void;
}

/** The beginning and the end of a line that exceeds the limit. */
export interface LongLine {
  readonly bytes: number;
  readonly head: string;
  readonly tail: string;
}

const newline = 0x0a;
const endBytes = 256;
const usualBytes = 65_536;

export function createMessageLines(options: {
  readonly maxBytes: number;
  readonly onLine: (line: string) => void;
  readonly onLongLine: (line: LongLine) => void;
}): MessageLines {
  const { maxBytes, onLine, onLongLine } = options;
  const usual = Math.min(usualBytes, maxBytes);
  let kept = Buffer.alloc(usual);
  let bytes = 0;
  let tail: Buffer = Buffer.alloc(0);

  /** Appends to the buffer. The buffer doubles when it is full, so that adding many small chunks is cheap. */
  const add = (part: Buffer): void => {
    const end = Math.min(bytes + part.length, maxBytes);
    if (end > kept.length) {
      const larger = Buffer.alloc(Math.min(maxBytes, Math.max(end, 2 * kept.length)));
      kept.copy(larger, 0, 0, bytes);
      kept = larger;
    }
    const room = Math.max(0, end - bytes);
    part.copy(kept, bytes, 0, room);
    bytes += part.length;
    if (bytes > maxBytes) {
      const before = tail.length === 0 ? kept.subarray(-endBytes) : tail;
      const rest = part.subarray(room).subarray(-endBytes);
      tail = Buffer.from(Buffer.concat([before, rest]).subarray(-endBytes));
    }
  };
  const end = (): void => {
    const line = { bytes, head: kept.toString("utf8", 0, endBytes), tail: tail.toString("utf8") };
    const isLong = bytes > maxBytes;
    const text = isLong ? "" : kept.toString("utf8", 0, bytes);
    if (kept.length > usual) kept = Buffer.alloc(usual);
    bytes = 0;
    tail = Buffer.alloc(0);
    if (isLong) onLongLine(line);
    else onLine(text);
  };

  return {
    add: (chunk) => {
      let from = 0;
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
        add(chunk.subarray(from, at));
        end();
        from = at + 1;
      }
      if (from < chunk.length) add(chunk.subarray(from));
    },
  };
}
