import assert from "node:assert/strict";
import { test } from "node:test";
import { createMessageLines } from "../../../src/agent/mcp/message-lines.ts";

test("lines are complete however the data is split, and of a long line only both ends are kept", () => {
  const text = `short\n\n${"é".repeat(50_000)}\n${"a".repeat(300)}${"b".repeat(200_000)}end\nlast\nno`;
  const bytes = Buffer.from(text);
  const wanted = [
    "short",
    "",
    "é".repeat(50_000),
    { bytes: 200_303, head: "a".repeat(256), tail: `${"b".repeat(253)}end` },
    "last",
  ];
  for (const size of [1, 7, 1_000, 65_536, bytes.length]) {
    const found: unknown[] = [];
    const lines = createMessageLines({
      maxBytes: 100_000,
      onLine: (line) => found.push(line),
      onLongLine: (line) => found.push(line),
    });
    for (let at = 0; at < bytes.length; at += size) lines.add(bytes.subarray(at, at + size));
    assert.deepEqual(found, wanted, `in parts of ${size}`);
  }
});
