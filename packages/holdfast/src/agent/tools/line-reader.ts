import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";

export interface Page {
  /** The requested lines without line ends. Long lines are truncated. */
  readonly lines: readonly Line[];
  /** Number of lines in the file. Null if the end was not reached. */
  readonly total: number | null;
  /** Hash of the whole content. Null if the end was not reached. */
  readonly hash: string | null;
  /** True if a NUL byte was found, so the file is not text. */
  readonly binary: boolean;
}

export interface Line {
  readonly number: number;
  readonly text: string;
  readonly cut: boolean;
}

const chunkBytes = 65_536;
const newline = 0x0a;
const carriageReturn = 0x0d;

/** Reads a page of lines. Keeps only the page in memory, regardless of the size of the file or of a line. */
export async function readPage(
  handle: FileHandle,
  options: {
    /** Number of the first line to read, counted from 1. */
    readonly first: number;
    readonly count: number;
    readonly maxLineBytes: number;
    readonly maxPageBytes: number;
    /** Files up to this size are read to the end to compute the hash. */
    readonly maxHashedBytes: number;
    readonly signal: AbortSignal;
  },
): Promise<Page> {
  const { first, count, maxLineBytes, maxPageBytes, maxHashedBytes, signal } = options;
  const hash = createHash("sha256");
  const lines: Line[] = [];
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let number = 1;
  let pieces: Buffer[] = [];
  let kept = 0;
  let lineBytes = 0;
  let pageBytes = 0;
  let total = 0;

  const isWanted = (): boolean =>
    number >= first && number < first + count && pageBytes < maxPageBytes;
  const add = (piece: Buffer): void => {
    lineBytes += piece.length;
    if (!isWanted() || kept >= maxLineBytes) return;
    // Copy the bytes, because the buffer is reused.
    const part = Buffer.from(piece.subarray(0, maxLineBytes - kept));
    pieces.push(part);
    kept += part.length;
  };
  const endLine = (): void => {
    if (isWanted()) {
      const bytes = Buffer.concat(pieces, kept);
      const cut = lineBytes > kept;
      const end = !cut && bytes.at(-1) === carriageReturn ? kept - 1 : kept;
      lines.push({ number, text: bytes.toString("utf8", 0, end), cut });
      pageBytes += end + 1;
    }
    number += 1;
    pieces = [];
    kept = 0;
    lineBytes = 0;
  };

  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, null);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    if (chunk.includes(0)) return { lines: [], total: null, hash: null, binary: true };
    total += bytesRead;
    hash.update(chunk);
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      add(chunk.subarray(from, at));
      endLine();
      from = at + 1;
    }
    add(chunk.subarray(from));
    const done = number >= first + count || pageBytes >= maxPageBytes;
    if (done && total > maxHashedBytes) return { lines, total: null, hash: null, binary: false };
  }
  if (lineBytes > 0) endLine();
  const isWhole = total <= maxHashedBytes;
  return { lines, total: number - 1, hash: isWhole ? hash.digest("hex") : null, binary: false };
}
