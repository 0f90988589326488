import assert from "node:assert/strict";

/** One message of an event stream, as a browser sees it. */
export interface Message {
  readonly id: string | null;
  readonly event: string;
  readonly data: unknown;
}

/** Reads an event stream; heartbeats are counted. */
export interface StreamReader {
  /** The next message; null at the end. */
  next(): Promise<Message | null>;
  /** All messages up to the first of this kind. */
  until(event: string): Promise<Message[]>;
  readonly heartbeats: () => number;
  /** The last id, with which a browser reconnects. */
  place(): string | null;
  cancel(): Promise<void>;
}

export function readStream(body: ReadableStream<Uint8Array> | null): StreamReader {
  assert(body !== null, "a stream has a body");
  const reader = body.getReader();
  const parser = createParser();
  const next = async (): Promise<Message | null> => {
    for (;;) {
      const message = parser.take();
      if (message !== null) return message;
      const { done, value } = await reader.read();
      if (done) return null;
      parser.push(value);
    }
  };
  return {
    next,
    until: async (event) => {
      const seen: Message[] = [];
      for (;;) {
        const message = await next();
        assert(message !== null, `the stream ended before ${event}`);
        seen.push(message);
        if (message.event === event) return seen;
      }
    },
    heartbeats: () => parser.heartbeats(),
    place: () => parser.place(),
    cancel: () => reader.cancel(),
  };
}

export interface Parser {
  push(bytes: Uint8Array): void;
  take(): Message | null;
  /** The last id, which may arrive without a message. */
  place(): string | null;
  heartbeats(): number;
}

export function createParser(): Parser {
  const decoder = new TextDecoder();
  let text = "";
  let heartbeats = 0;
  let place: string | null = null;
  const ready: Message[] = [];
  return {
    push: (bytes) => {
      text += decoder.decode(bytes, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        if (block.startsWith(":")) {
          heartbeats += 1;
          continue;
        }
        const message = parseBlock(block);
        place = message.id ?? place;
        if (message.data !== null) ready.push(message);
      }
    },
    take: () => ready.shift() ?? null,
    place: () => place,
    heartbeats: () => heartbeats,
  };
}

function parseBlock(block: string): Message {
  const fields = new Map(
    block.split("\n").map((line) => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon), line.slice(colon + 2)] as const;
    }),
  );
  const data: unknown = JSON.parse(fields.get("data") ?? "null");
  return { id: fields.get("id") ?? null, event: fields.get("event") ?? "message", data };
}
