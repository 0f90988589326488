import assert from "node:assert/strict";
import { test } from "node:test";
import {
  decodeMessages,
  deltaMessages,
  encodeMessages,
} from "../../src/runner/nodes/delta-message.ts";

test("T3 a text of control characters reaches another node whole, even with the longest ids", () => {
  const id = "i".repeat(200);
  const text = "\u001b".repeat(2_000);
  const place = { sessionId: id, runId: id, step: 1_000, attempt: 10 };
  const messages = deltaMessages({ ...place, kind: "tool", callId: id, text }, id);
  const received = encodeMessages(id, messages).flatMap((sent) => {
    const decoded = decodeMessages(sent);
    return decoded.status === "read" ? decoded.messages : [];
  });
  const texts = received.map((message) => (message.kind === "delta" ? message.delta.text : ""));
  assert.equal(texts.join("").length, text.length);
});
