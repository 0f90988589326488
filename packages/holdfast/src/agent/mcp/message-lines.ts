/** Takes a stream apart into lines and keeps no more of one than a message may have. */
export interface MessageLines {
  add(chunk: Buffer): void;
}

/** A line that was too long to keep. */
export interface LongLine {
  readonly bytes: number;
  readonly head: string;
  readonly tail: string;
}

const newline = 0x0a;
const endBytes = 256;

export function createMessageLines(options: {
  readonly maxBytes: number;
  readonly onLine: (line: string) => void;
  readonly onLongLine: (line: LongLine) => void;
}): MessageLines {
  const { maxBytes, onLine, onLongLine } = options;
  let pieces: Buffer[] = [];
  let bytes = 0;
  let head = "";
  let tail: Buffer = Buffer.alloc(0);

  const add = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes <= maxBytes) {
      pieces.push(piece);
      return;
    }
    if (pieces.length > 0) {
      const kept = Buffer.concat(pieces);
      head = kept.toString("utf8", 0, endBytes);
      tail = kept;
      pieces = [];
    }
    tail = Buffer.from(Buffer.concat([tail, piece]).subarray(-endBytes));
  };
  const end = (): void => {
    const line = Buffer.concat(pieces);
    const long = { bytes, head, tail: tail.toString("utf8") };
    pieces = [];
    bytes = 0;
    head = "";
    tail = Buffer.alloc(0);
    if (long.bytes > maxBytes) onLongLine(long);
    else onLine(line.toString("utf8"));
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
