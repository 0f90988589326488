import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "@holdfast/model/conversation.ts";
import { emptyConversation } from "@holdfast/model/conversation.ts";
import { messageEntries } from "@holdfast/model/message-entries.ts";
import { takeEvent } from "@holdfast/model/take-event.ts";
import { eventMaker } from "../../../model/test/support/events.ts";
import { ContextWindows } from "../../src/session/context-use.ts";

const [answer] = messageEntries([
  {
    seq: null,
    role: "assistant",
    at: 1,
    runId: "run",
    step: 1,
    text: "",
    reasoning: null,
    model: "local/test",
    summary: false,
    calls: [],
    interrupted: false,
  },
]);

function step(tokens: number, isSummary = false): Entry {
  assert.ok(answer?.kind === "step");
  const usage = { inputTokens: tokens, outputTokens: 0, cost: 0 };
  return { ...answer, usage, isSummary };
}

function usedAfter(...entries: readonly Entry[]): number | null {
  const windows = new ContextWindows("/", () => {});
  return windows.useOf({ ...emptyConversation(), entries: [...entries] }, null)?.used ?? null;
}

test("the context use is that of the latest answer with a token count", () => {
  assert.equal(usedAfter(step(10), step(20)), 20);
  assert.equal(usedAfter(step(10), step(0)), 10, "a stopped answer has no count");
  assert.equal(usedAfter(step(0)), null, "the provider counts no tokens");
});

test("after a summary, the context use is unknown until the next answer", () => {
  assert.equal(usedAfter(step(10), step(5, true)), null);
  assert.equal(usedAfter(step(10), step(0, true), step(0)), null);
  assert.equal(usedAfter(step(10), step(5, true), step(7)), 7);
});

test("the context that a hosted agent reports is shown, until an answer comes without it", () => {
  const { accepted, started, opened, answered } = eventMaker();
  const conversation = emptyConversation();
  const windows = new ContextWindows("/srv/shop", () => {});
  for (const event of [accepted("p", "hi"), started("r", "p"), opened("r", 1)]) {
    takeEvent(conversation, event);
  }
  const context = { used: 40, size: 100 };
  const reported = answered("r", 1, "one");
  assert.ok(reported.type === "step.answered" && reported.content !== null);
  takeEvent(conversation, { ...reported, content: { ...reported.content, context } });
  assert.deepEqual(windows.useOf(conversation, null), context);
  takeEvent(conversation, opened("r", 2));
  takeEvent(conversation, answered("r", 2, "two"));
  assert.deepEqual(windows.useOf(conversation, null), { used: 3, size: null });
});
