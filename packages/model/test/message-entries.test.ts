import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@holdfast/sdk";
import { messageEntries } from "../src/message-entries.ts";

test("a copied call without a result is interrupted (T1)", () => {
  const call = { callId: "cut", name: "shell", input: {}, repeatable: false };
  const answer: Message = {
    seq: null,
    role: "assistant",
    at: 1,
    runId: "run",
    step: 1,
    text: "I run it",
    reasoning: null,
    model: null,
    summary: false,
    calls: [call],
    interrupted: false,
  };
  const statuses = messageEntries([answer]).map((entry) =>
    entry.kind === "step" ? entry.calls.map(({ status }) => status) : [],
  );
  assert.deepEqual(statuses, [["interrupted"]]);
});
