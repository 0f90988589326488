import assert from "node:assert/strict";
import { test } from "node:test";
import { BadAnswer } from "../src/errors.ts";
import { createSseParser } from "../src/sse.ts";
import type { SseEvent } from "../src/sse.ts";

const encoder = new TextEncoder();

function parse(pieces: Uint8Array[]): SseEvent[] {
  const parser = createSseParser();
  return pieces.flatMap((piece) => parser.push(piece));
}

const cases: [name: string, text: string, events: SseEvent[]][] = [
  [
    "one event",
    "id: 7\nevent: run.started\ndata: {}\n\n",
    [{ type: "run.started", id: "7", data: "{}" }],
  ],
  ["no name", "data: x\n\n", [{ type: "message", id: null, data: "x" }]],
  [
    "an id counts for its own event only",
    "id: 1\ndata: a\n\ndata: b\n\n",
    [
      { type: "message", id: "1", data: "a" },
      { type: "message", id: null, data: "b" },
    ],
  ],
  [
    "several lines of data",
    "data: a\ndata:\ndata: b\n\n",
    [{ type: "message", id: null, data: "a\n\nb" }],
  ],
  ["only one space is left out", "data:  a \n\n", [{ type: "message", id: null, data: " a " }]],
  ["no space", "data:a\nevent:b\n\n", [{ type: "b", id: null, data: "a" }]],
  [
    "comments and unknown fields",
    ": beat\n\nretry: 5\nnonsense\ndata: a\n: beat\n\n",
    [{ type: "message", id: null, data: "a" }],
  ],
  [
    "an event without data is none",
    "event: a\nid: 1\n\ndata: b\n\n",
    [{ type: "message", id: null, data: "b" }],
  ],
  ["an empty line of data is data", "data\n\n", [{ type: "message", id: null, data: "" }]],
  [
    "all kinds of line ends",
    "data: a\r\ndata: b\rdata: c\n\r\ndata: d\r\rdata: e\n\n",
    [
      { type: "message", id: null, data: "a\nb\nc" },
      { type: "message", id: null, data: "d" },
      { type: "message", id: null, data: "e" },
    ],
  ],
  [
    "an id with a zero character",
    "id: a\0b\ndata: a\n\n",
    [{ type: "message", id: null, data: "a" }],
  ],
  ["a mark at the beginning", "\uFEFFdata: a\n\n", [{ type: "message", id: null, data: "a" }]],
  [
    "what is not ended has not arrived",
    "data: a\n\ndata: b\n",
    [{ type: "message", id: null, data: "a" }],
  ],
  [
    "characters of many bytes",
    "data: ü€😀\n\ndata: 한국어\n\n",
    [
      { type: "message", id: null, data: "ü€😀" },
      { type: "message", id: null, data: "한국어" },
    ],
  ],
];

for (const [name, text, events] of cases) {
  test(`a stream of events is read the same wherever it is cut: ${name}`, () => {
    const bytes = encoder.encode(text);
    assert.deepEqual(parse([bytes]), events);
    assert.deepEqual(parse(Array.from(bytes, (byte) => Uint8Array.of(byte))), events);
    for (let at = 0; at <= bytes.length; at += 1) {
      assert.deepEqual(parse([bytes.subarray(0, at), bytes.subarray(at)]), events, `cut at ${at}`);
    }
  });
}

test("an event that exceeds the maximum length is given up (P5)", () => {
  const parser = createSseParser({ maxLength: 1_000 });
  const piece = encoder.encode("x".repeat(300));
  assert.throws(() => {
    for (let round = 0; round < 4; round += 1) parser.push(piece);
  }, BadAnswer);
});

test("the lines of one event count together, heartbeats do not (P5)", () => {
  const parser = createSseParser({ maxLength: 1_000 });
  for (let round = 0; round < 100; round += 1) parser.push(encoder.encode(`: ${"-".repeat(50)}\n`));
  assert.throws(() => {
    for (let round = 0; round < 100; round += 1) parser.push(encoder.encode("data: 1234567890\n"));
  }, BadAnswer);
});
