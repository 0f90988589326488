import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import type { WireEvent } from "@holdfast/sdk";
import { emptyConversation } from "@holdfast/model/conversation.ts";
import { takeEvent } from "@holdfast/model/take-event.ts";
import { createLook } from "../src/screen/look.ts";
import { noHighlight } from "../src/transcript/highlight.ts";
import { createTranscript } from "../src/transcript/transcript.ts";

const look = createLook("plain", false);
const hidden = new Set<string>();
const options = { look, columns: 80, highlight: noHighlight, own: "ann", isWhole: false, hidden };
const actor = { kind: "client", id: "ann" };

/** Returns the rows that are printed for the events, which are taken one by one. */
function printed(events: readonly object[]): string[] {
  const conversation = emptyConversation();
  const transcript = createTranscript();
  return events.flatMap((fields, index) => {
    const event = { sessionId: "s", seq: index + 1, at: index, actor, truncated: false, ...fields };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- events with the fields that are read
    takeEvent(conversation, event as unknown as WireEvent);
    const rows = transcript.next(conversation, null, options);
    return rows.map(stripVTControlCharacters).filter((row) => row !== "");
  });
}

function accepted(promptId: string, binding: object | null): object {
  const content = { text: `text of ${promptId}`, attachments: [] };
  const delivery = binding === null ? "queue" : "steer";
  const other = { delivery, reply: true, binding, resultOf: null };
  return { type: "prompt.accepted", promptId, content, ...other };
}

function settled(promptId: string, runId: string | null, status: string): object {
  const reason = status === "cancelled" ? "promptCancel" : null;
  return { type: "prompt.settled", promptId, outcome: { status, reason, runId, result: null } };
}

const started = { type: "run.started", attempt: 1 };
const joined = [
  accepted("first", null),
  { ...started, runId: "r1", promptId: "first" },
  accepted("steer", { runId: "r1" }),
  { type: "prompt.takenIn", promptId: "steer", runId: "r1" },
];
const steered = ["❯ text of first", "❯ text of steer", "  steered: joined the run in progress"];
const returned = { type: "prompt.returned", promptId: "steer", runId: "r1" };

test("a prompt that a cancel returned to the queue is printed again for its own run (C1)", () => {
  const rows = printed([
    ...joined,
    returned,
    settled("first", "r1", "cancelled"),
    { ...started, runId: "r2", promptId: "steer" },
    settled("steer", "r2", "completed"),
  ]);
  assert.deepEqual(rows, [...steered, "❯ text of steer"]);
});

test("a prompt that settles with the run that took it in is printed once (P2)", () => {
  const rows = printed([
    ...joined,
    settled("first", "r1", "completed"),
    settled("steer", "r1", "completed"),
  ]);
  assert.deepEqual(rows, steered);
});

test("a returned prompt that is withdrawn is printed again as not run (C2)", () => {
  const rows = printed([...joined, returned, settled("steer", null, "cancelled")]);
  assert.deepEqual(rows, [...steered, "❯ text of steer", "  not run: withdrawn"]);
});
