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
  const { size } = fstatSync(file);
  const window = Buffer.alloc(Math.min(options.windowBytes ?? windowBytes, size));
  let from = 0;
  let to = 0;
  const load = (place: number): void => {
    from = place;
    to = place + readSync(file, window, { position: place });
  };
  /** Returns the byte at a position; -1 after the end. */
  const at = (place: number): number => {
    if (place >= size) return -1;
    if (place < from || place >= to) load(place);
    return window[place - from] ?? -1;
  };
  const skipSpace = (place: number): number => {
    let next = place;
    while (isSpace(at(next))) next += 1;
    return next;
  };
  /** Returns the position after the closing quote of the string that starts here. */
  const skipString = (start: number): number => {
    for (let place = start + 1; ;) {
      const byte = at(place);
      if (byte === -1) throw notJson();
      if (byte === quote) return place + 1;
      place += byte === backslash ? 2 : 1;
    }
  };
  const skipNested = (start: number): number => {
    let depth = 0;
    for (let place = start; ;) {
      const byte = at(place);
      if (byte === -1) throw notJson();
      if (byte === quote) {
        place = skipString(place);
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
  };
  const skipOther = (start: number): number => {
    let place = start;
    while (!isEnd(at(place))) place += 1;
    if (place === start) throw notJson();
    return place;
  };
  const value = (start: number): Span => {
    const byte = at(start);
    if (byte === openers.object) return { kind: "object", start, end: skipNested(start) };
    if (byte === openers.array) return { kind: "array", start, end: skipNested(start) };
    const end = byte === quote ? skipString(start) : skipOther(start);
    return { kind: "other", start, end };
  };
  /**
   * Visits each entry of a list or an object. `read` gets the position at which the entry starts, and must return the
   * position at which the entry ends.
   */
  const entries = function* entries(
    { kind, start }: Span,
    read: (place: number) => number,
  ): Generator<undefined> {
    const closer = kind === "array" ? closers.array : closers.object;
    let place = skipSpace(start + 1);
    if (at(place) === closer) return;
    for (;;) {
      const end = skipSpace(read(place));
      yield;
      if (at(end) === closer) return;
      if (at(end) !== comma) throw notJson();
      place = skipSpace(end + 1);
    }
  };
  /** Reads all bytes from `start` to `end` into memory. */
  const read = (start: number, end: number): Buffer => {
    const bytes = Buffer.allocUnsafe(end - start);
    for (let done = 0; done < bytes.byteLength;) {
      const options = { offset: done, length: bytes.byteLength - done, position: start + done };
      const count = readSync(file, bytes, options);
      if (count === 0) throw notJson();
      done += count;
    }
    return bytes;
  };
  const parse: JsonFile["parse"] = (span, what) => {
    expectShort(span, what);
    return parseJson(decode(read(span.start, span.end)));
  };
  /**
   * Returns the end of a piece that can be decoded on its own. The character after the end is ASCII, and the five bytes
   * before the end contain no backslash. So no escape, surrogate pair or multi-byte character is split.
   */
  const pieceEnd = (start: number, end: number): number => {
    let plain = 0;
    for (let place = start + pieceBytes; place < end; place += 1) {
      const byte = at(place);
      if (plain >= 5 && byte < 0x80 && byte !== backslash) return place;
      plain = byte === backslash ? 0 : plain + 1;
    }
    return end;
  };
  const text: JsonFile["text"] = (span, what) => {
    expectShort(span, what);
    if (at(span.start) !== quote) throw new BadDocument(`${what}: expected a string`);
    const end = span.end - 1;
    // The result is never longer than the escaped text: a character is never longer than its escape.
    const result = Buffer.allocUnsafeSlow(end - span.start - 1);
    let length = 0;
    for (let start = span.start + 1; start < end;) {
      const next = pieceEnd(start, end);
      const piece = parseJson(`"${decode(read(start, next))}"`);
      length += result.write(String(piece), length);
      start = next;
    }
    return result.subarray(0, length);
  };
  return {
    parse,
    text,
    whole: () => {
      const span = value(skipSpace(0));
      if (skipSpace(span.end) !== size) throw notJson();
      return span;
    },
    elements: function* elements(list) {
      let found = list;
      const read = (place: number): number => (found = value(place)).end;
      for (const _ of entries(list, read)) yield found;
    },
    members: function* members(object) {
      let found = { key: "", value: object };
      const read = (place: number): number => {
        if (at(place) !== quote) throw notJson();
        const name: Span = { kind: "other", start: place, end: skipString(place) };
        const key = String(parse(name, "a name"));
        const between = skipSpace(name.end);
        if (at(between) !== colon) throw notJson();
        found = { key, value: value(skipSpace(between + 1)) };
        return found.value.end;
      };
      for (const _ of entries(object, read)) yield found;
    },
  };
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
