import { BadAnswer } from "./errors.ts";

/** One event of a text/event-stream. `id` is null if the event has none. */
export interface SseEvent {
  readonly type: string;
  readonly id: string | null;
  readonly data: string;
}

export interface SseParser {
  /** Takes the next bytes and returns the events that they complete. */
  push(bytes: Uint8Array): SseEvent[];
}

/** Maximum length of an event in characters. */
const usualMaxLength = 32 * 1024 * 1024;

/** Parses a stream that may be split anywhere, even within a line break or a character. */
export function createSseParser({ maxLength = usualMaxLength } = {}): SseParser {
  const decoder = new TextDecoder();
  /** Chunks of an unfinished line. They are joined once, at its end. */
  let pieces: string[] = [];
  let length = 0;
  let skipLineFeed = false;
  let event = emptyEvent();

  const takeLine = (line: string, events: SseEvent[]): void => {
    if (line !== "") {
      takeField(event, line);
      if (isComment(line)) length -= line.length;
      return;
    }
    if (event.data.length > 0) {
      const { type, id, data } = event;
      events.push({ type: type === "" ? "message" : type, id, data: data.join("\n") });
    }
    event = emptyEvent();
    length = 0;
  };
  return {
    push: (bytes) => {
      const text = decoder.decode(bytes, { stream: true });
      const events: SseEvent[] = [];
      let start = 0;
      if (skipLineFeed && text !== "") {
        if (text.startsWith("\n")) start = 1;
        skipLineFeed = false;
      }
      for (;;) {
        const end = lineEnd(text, start);
        const piece = end === -1 ? text.slice(start) : text.slice(start, end);
        length += piece.length;
        if (length > maxLength)
          throw new BadAnswer(`an event is longer than ${maxLength} characters`);
        pieces.push(piece);
        if (end === -1) return events;
        const line = pieces.length === 1 ? piece : pieces.join("");
        pieces = [];
        takeLine(line, events);
        start = end + 1;
        if (text[end] === "\r") {
          if (start === text.length) skipLineFeed = true;
          else if (text[start] === "\n") start += 1;
        }
      }
    },
  };
}

interface OpenEvent {
  type: string;
  id: string | null;
  data: string[];
}

function emptyEvent(): OpenEvent {
  return { type: "", id: null, data: [] };
}

function lineEnd(text: string, from: number): number {
  const lineFeed = text.indexOf("\n", from);
  const line = lineFeed === -1 ? text.slice(from) : text.slice(from, lineFeed);
  const carriageReturn = line.indexOf("\r");
  return carriageReturn === -1 ? lineFeed : from + carriageReturn;
}

/** True for a comment line, such as a heartbeat of the server. It belongs to no event. */
function isComment(line: string): boolean {
  return line.startsWith(":");
}

function takeField(event: OpenEvent, line: string): void {
  if (isComment(line)) return;
  const colon = line.indexOf(":");
  const name = colon === -1 ? line : line.slice(0, colon);
  const rest = colon === -1 ? "" : line.slice(colon + 1);
  const value = rest.startsWith(" ") ? rest.slice(1) : rest;
  if (name === "event") event.type = value;
  else if (name === "data") event.data.push(value);
  else if (name === "id" && !value.includes("\0")) event.id = value;
}
