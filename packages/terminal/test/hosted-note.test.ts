import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallView } from "@holdfast/model/conversation.ts";
import { createLook } from "../src/screen/look.ts";
import { callCard } from "../src/transcript/call-card.ts";

test("H3 H7 the card of a hosted turn shows its note and the text between the turns", () => {
  const input = {
    agent: "claude",
    note: "The agent lost its session, so a new one starts with the transcript.",
    meanwhile: "I am still here",
  };
  const call: CallView = {
    callId: "c",
    name: "agent",
    input,
    status: "completed",
    output: "",
    extra: null,
    files: [],
    intent: null,
    askId: null,
    child: null,
    startedAt: 1,
    endedAt: 2,
    cutAt: null,
    endSeq: null,
  };
  const rows = callCard(call, { look: createLook("plain", false), columns: 100, isWhole: false });
  assert.deepEqual(
    rows.slice(1, 3).map((row) => row.trim()),
    [
      "The agent lost its session. A new one starts with the transcript.",
      "Between the turns, the agent wrote: I am still here",
    ],
  );
});
