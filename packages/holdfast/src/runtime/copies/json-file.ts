import { fstatSync, readSync } from "node:fs";
import { maxNesting } from "./nesting.ts";

/** A value in a JSON file: its start, and the position after its end. */
export interface Span {
  readonly kind: "object" | "array" | "other";
  readonly start: number;
  readonly end: number;
}

/** A large JSON file in which values can be found without reading the whole file into memory. */
export interface JsonFile {
  whole(): Span;
  elements(list: Span): Generator<Span>;
  members(object: Span): Generator<{ readonly key: string; readonly value: Span }>;
  /** Parses the value. Refuses a value that needs too much memory. `what` is its name in error messages. */
  parse(span: Span, what: string): unknown;
  /** Decodes a string to UTF-8 in pieces, so that a long string needs little more memory than its result. */
  text(span: Span, what: string): Uint8Array;
}

const windowBytes = 1024 * 1024;
/**
 * Maximum size of a value in bytes: larger than any exported event or piece of content, and small enough to fit into
 * memory a few times.
 */
const largestValue = 32 * 1024 * 1024;
/** Approximate size in bytes of the pieces in which a long string is decoded. */
const longestPiece = 1024 * 1024;
/** Maximum nesting depth: the levels of an event or a message, plus those of the document around it. */
const maxDepth = maxNesting + 10;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openers = { object: 0x7b, array: 0x5b } as const;
const closers = { object: 0x7d, array: 0x5d } as const;

export function openJsonFile(
  file: number,
  options: { windowBytes?: number; pieceBytes?: number } = {},
): JsonFile {
  const { pieceBytes = longestPiece } = options;
  const scanner = new JsonScanner(file, options.windowBytes ?? windowBytes);
  const parse: JsonFile["parse"] = (span, what) => {
    expectShort(span, what);
    return parseJson(decode(scanner.read(span.start, span.end)));
  };
  return {
    parse,
    text: (span, what) => {
      expectShort(span, what);
      if (scanner.at(span.start) !== quote) throw new BadDocument(`${what}: expected a string`);
      const end = span.end - 1;
      // The result is never longer than the escaped text: a character is never longer than its escape.
      const result = Buffer.allocUnsafeSlow(end - span.start - 1);
      let length = 0;
      for (let start = span.start + 1; start < end;) {
        const next = scanner.textBreak(start + pieceBytes, end);
        const piece = parseJson(`"${decode(scanner.read(start, next))}"`);
        length += result.write(String(piece), length);
        start = next;
      }
      return result.subarray(0, length);
    },
    whole: () => {
      const span = scanner.value(scanner.skipSpace(0));
      if (scanner.skipSpace(span.end) !== scanner.size) throw notJson();
      return span;
    },
    elements: (list) => scanner.entries(list, (place) => scanner.value(place)),
    members: (object) =>
      scanner.entries(object, (place) => {
        if (scanner.at(place) !== quote) throw notJson();
        const name = scanner.value(place);
        const key = String(parse(name, "a name"));
        const between = scanner.skipSpace(name.end);
        if (scanner.at(between) !== colon) throw notJson();
        const value = scanner.value(scanner.skipSpace(between + 1));
        return { key, value, end: value.end };
      }),
  };
}

/** Finds JSON values in a file. Keeps one window of the file in memory. */
class JsonScanner {
  readonly size: number;
  readonly #file: number;
  readonly #window: Buffer;
  /** The window contains the bytes from `#from` to `#to` of the file. */
  #from = 0;
  #to = 0;

  constructor(file: number, windowBytes: number) {
    this.size = fstatSync(file).size;
    this.#file = file;
    this.#window = Buffer.alloc(Math.min(windowBytes, this.size));
  }

  /** Returns the byte at a position; -1 after the end. */
  at(place: number): number {
    if (place >= this.size) return -1;
    if (place < this.#from || place >= this.#to) {
      this.#from = place;
      this.#to = place + readSync(this.#file, this.#window, { position: place });
    }
    return this.#window[place - this.#from] ?? -1;
  }

  /** Reads all bytes from `start` to `end` into memory. */
  read(start: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafe(end - start);
    for (let done = 0; done < bytes.byteLength;) {
      const options = { offset: done, length: bytes.byteLength - done, position: start + done };
      const count = readSync(this.#file, bytes, options);
      if (count === 0) throw notJson();
      done += count;
    }
    return bytes;
  }

  value(start: number): Span {
    const byte = this.at(start);
    if (byte === openers.object) return { kind: "object", start, end: this.#skipNested(start) };
    if (byte === openers.array) return { kind: "array", start, end: this.#skipNested(start) };
    const end = byte === quote ? this.#skipString(start) : this.#skipOther(start);
    return { kind: "other", start, end };
  }

  /**
   * Yields each entry of a list or an object. `read` gets the position at which the entry starts, and must return the
   * entry with the position at which it ends.
   */
  *entries<Entry extends Pick<Span, "end">>(
    { kind, start }: Span,
    read: (place: number) => Entry,
  ): Generator<Entry> {
    const closer = kind === "array" ? closers.array : closers.object;
    let place = this.skipSpace(start + 1);
    if (this.at(place) === closer) return;
    for (;;) {
      const entry = read(place);
      const end = this.skipSpace(entry.end);
      yield entry;
      if (this.at(end) === closer) return;
      if (this.at(end) !== comma) throw notJson();
      place = this.skipSpace(end + 1);
    }
  }

  skipSpace(place: number): number {
    let next = place;
    while (isSpace(this.at(next))) next += 1;
    return next;
  }

  /**
   * Returns a position from `from` on at which the text of a string can be split; `end` if there is none. The character
   * at this position is ASCII, and the five bytes before it contain no backslash. So no escape, surrogate pair or
   * multi-byte character is split.
   */
  textBreak(from: number, end: number): number {
    let plain = 0;
    for (let place = from; place < end; place += 1) {
      const byte = this.at(place);
      if (plain >= 5 && byte < 0x80 && byte !== backslash) return place;
      plain = byte === backslash ? 0 : plain + 1;
    }
    return end;
  }

  /** Returns the position after the closing quote of the string that starts here. */
  #skipString(start: number): number {
    for (let place = start + 1; ;) {
      const byte = this.at(place);
      if (byte === -1) throw notJson();
      if (byte === quote) return place + 1;
      place += byte === backslash ? 2 : 1;
    }
  }

  #skipNested(start: number): number {
    let depth = 0;
    for (let place = start; ;) {
      const byte = this.at(place);
      if (byte === -1) throw notJson();
      if (byte === quote) {
        place = this.#skipString(place);
        continue;
      }
      place += 1;
      if (byte === openers.object || byte === openers.array) {
        depth += 1;
        if (depth > maxDepth) throw tooDeep();
      } else if (byte === closers.object || byte === closers.array) {
        depth -= 1;
        if (depth === 0) return place;
      }
    }
  }

  #skipOther(start: number): number {
    let place = start;
    while (!isEnd(this.at(place))) place += 1;
    if (place === start) throw notJson();
    return place;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw notJson();
  }
}

function parseJson(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed;
  } catch {
    throw notJson();
  }
}

function expectShort({ start, end }: Span, what: string): void {
  if (end - start <= largestValue) return;
  throw new BadDocument(`${what}: it has ${end - start} bytes, and the limit is ${largestValue}`);
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isEnd(byte: number): boolean {
  return (
    byte === -1 ||
    byte === comma ||
    byte === closers.array ||
    byte === closers.object ||
    isSpace(byte)
  );
}

function notJson(): BadDocument {
  return new BadDocument("it is not valid JSON in UTF-8");
}

function tooDeep(): BadDocument {
  return new BadDocument(`it is nested more than ${maxNesting} levels deep`);
}

/** Thrown if a document cannot be imported; the message says why. */
export class BadDocument extends Error {
  override readonly name = "BadDocument";
}
