import { fstatSync, readSync } from "node:fs";
import { maxNesting } from "./nesting.ts";
import { BadDocument } from "./bad-document.ts";

/** A value in a file of JSON: where it begins, and the place after its end. */
export interface Span {
  readonly kind: "object" | "array" | "other";
  readonly start: number;
  readonly end: number;
}

/** A large file of JSON, of which values are found without reading it into memory as a whole. */
export interface JsonFile {
  whole(): Span;
  elements(list: Span): Generator<Span>;
  members(object: Span): Generator<{ readonly key: string; readonly value: Span }>;
  /** The value itself. Refuses one that takes too much memory; `what` names it in messages. */
  parse(span: Span, what: string): unknown;
}

const windowBytes = 1024 * 1024;
/** More than any event or body that is exported, and little enough to be in memory a few times. */
const largestValue = 32 * 1024 * 1024;
/** The document, its list of events and an event's or a message's own levels. */
const maxDepth = maxNesting + 10;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openers = { object: 0x7b, array: 0x5b } as const;
const closers = { object: 0x7d, array: 0x5d } as const;

export function openJsonFile(file: number, options: { windowBytes?: number } = {}): JsonFile {
  const { size } = fstatSync(file);
  const window = Buffer.alloc(Math.min(options.windowBytes ?? windowBytes, size));
  let from = 0;
  let to = 0;
  const load = (place: number): void => {
    from = place;
    to = place + readSync(file, window, { position: place });
  };
  /** -1 after the end. */
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
  /** The place after the quote that ends the string which begins here. */
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
  /** Calls for each entry of a list or an object, with the place where it begins. */
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
  const parse: JsonFile["parse"] = ({ start, end }, what) => {
    const length = end - start;
    if (length > largestValue) {
      throw new BadDocument(`${what}: it has ${length} bytes, and ${largestValue} are allowed`);
    }
    const bytes = Buffer.allocUnsafe(length);
    let read = 0;
    while (read < length) {
      const count = readSync(file, bytes, {
        offset: read,
        length: length - read,
        position: start + read,
      });
      if (count === 0) throw notJson();
      read += count;
    }
    try {
      const parsed: unknown = JSON.parse(decoder.decode(bytes));
      return parsed;
    } catch {
      throw notJson();
    }
  };
  return {
    parse,
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
