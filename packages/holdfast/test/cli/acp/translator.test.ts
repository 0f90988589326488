import assert from "node:assert/strict";
import { test } from "node:test";
import type { Call, SessionItem } from "@holdfast/sdk";
import { diffBlocks } from "../../../src/cli/acp/diff-blocks.ts";
import type { SessionUpdate } from "../../../src/cli/acp/protocol.ts";
import { createTranslator } from "../../../src/cli/acp/translator.ts";

const place = { sessionId: "s", runId: "r", step: 1 };
const actor = { kind: "node", id: "n" } as const;
const written = { ...place, at: 0, actor, version: 1, fence: 1, truncated: false } as const;
const known = "anthropic/claude-sonnet-4-5";
const usage = { inputTokens: 0, outputTokens: 0, cost: 0 };

function piece(attempt: number, text: string): Item {
  return { type: "delta", ...place, attempt, kind: "text", callId: null, text };
}

function opened(attempt: number): Item {
  return { type: "step.opened", ...written, seq: 2, attempt, content: null };
}

function resumed(attempt: number): Item {
  const run = { owner: "n", generation: null, formerGeneration: null };
  return { type: "run.resumed", ...written, ...run, seq: 3, attempt, content: null };
}

function answered(attempt: number, text: string, calls: readonly Call[] = []): Item {
  const content = { text, reasoning: null, model: null, summary: false, calls };
  const rest = { body: "", calls: [], usage, interrupted: false, content };
  return { type: "step.answered", ...written, seq: 4, attempt, ...rest };
}

type Item = Exclude<SessionItem, { type: "live" | "reset" | "draining" }>;

function textsOf(items: readonly Item[]): string[] {
  return updatesOf(items).map((update) =>
    update.sessionUpdate === "agent_message_chunk" ? update.content.text : update.sessionUpdate,
  );
}

function updatesOf(items: readonly Item[]): SessionUpdate[] {
  const updates: SessionUpdate[] = [];
  const translator = createTranslator({
    directory: "/code",
    hasTerminals: false,
    windowOf: (model) => (model === known ? 200_000 : null),
    say: (update) => updates.push(update),
    isOwn: () => true,
  });
  for (const item of items) translator.take(item);
  return updates;
}

test("T3 streamed text is not repeated by its event", () => {
  const items = [opened(1), piece(1, "one "), piece(1, "two"), answered(1, "one two three")];
  assert.deepEqual(textsOf(items), ["one ", "two", " three"]);
});

test("T3 dropped deltas arrive with the event", () => {
  assert.deepEqual(textsOf([opened(1), answered(1, "one two")]), ["one two"]);
});

test("T3 a restarted step with the same text continues the message", () => {
  const begun = [opened(1), piece(1, "one two ")];
  const anew = [resumed(2), piece(2, "one "), piece(2, "two "), piece(2, "three")];
  assert.deepEqual(textsOf([...begun, ...anew, answered(2, "one two three")]), [
    "one two ",
    "three",
  ]);
});

test("T3 a restarted step with another text is a new message", () => {
  const begun = [opened(1), piece(1, "one two")];
  const anew = [resumed(2), piece(2, "three"), answered(2, "three four")];
  assert.deepEqual(textsOf([...begun, ...anew]), ["one two", "\n\nthree", " four"]);
});

test("T3 a snapshot shows the missed text, and nothing if its beginning is cut off", () => {
  const snapshot = { type: "snapshot", ...place, attempt: 1, reasoning: "", calls: [] } as const;
  const whole: Item = { ...snapshot, text: "one two", cut: false };
  assert.deepEqual(textsOf([opened(1), piece(1, "one"), whole, answered(1, "one two")]), [
    "one",
    " two",
  ]);
  const cut: Item = { ...snapshot, text: "o three", cut: true };
  const items = [opened(1), piece(1, "one"), cut, piece(1, "!"), answered(1, "one two three!")];
  assert.deepEqual(textsOf(items), ["one", " two three!"]);
});

test("calls with the same id in two steps are two calls", () => {
  const call = { callId: "c", name: "read", input: { path: "x.ts" }, repeatable: true };
  const steps = [answered(1, "", [call]), { ...answered(1, "", [call]), step: 2 }];
  const calls = [1, 2].map((step) => ({
    sessionUpdate: "tool_call",
    toolCallId: `r/${step}/c`,
    title: "read x.ts",
    kind: "read",
    status: "pending",
    locations: [{ path: "/code/x.ts" }],
    rawInput: { path: "x.ts" },
  }));
  assert.deepEqual(updatesOf(steps), calls);
});

test("a unified diff is split into hunks, and a new file has no old text", () => {
  const diff = [
    "--- a/x.ts",
    "+++ b/x.ts",
    "@@ -1,2 +1,2 @@",
    " let a;",
    "-let b;",
    "+let c;",
    "@@ -9,1 +9,2 @@",
    " end",
    "+more",
    "\\ No newline at end of file",
    "",
  ].join("\n");
  const path = "/code/x.ts";
  assert.deepEqual(diffBlocks(diff, "/code"), {
    content: [
      { type: "diff", path, oldText: "let a;\nlet b;\n", newText: "let a;\nlet c;\n" },
      { type: "diff", path, oldText: "end\n", newText: "end\nmore" },
    ],
    locations: [
      { path, line: 1 },
      { path, line: 9 },
    ],
  });
  const made = "--- /dev/null\n+++ b/n.ts\n@@ -0,0 +1,1 @@\n+new\n";
  assert.deepEqual(diffBlocks(made, "/code")?.content, [
    { type: "diff", path: "/code/n.ts", oldText: null, newText: "new\n" },
  ]);
  assert.equal(diffBlocks("--- a/x\n+++ b/x\n(3 lines replaced by 4)\n", "/code"), null);
  assert.equal(diffBlocks("rm -rf build", "/code"), null);
});

/** An answer that has cost something. */
function paid(seq: number, model: string, summary: boolean): Item {
  const content = { text: "x", reasoning: null, model, summary, calls: [] };
  const spent = { inputTokens: 1_000, outputTokens: 10, cost: 0.25 };
  const rest = { body: "", calls: [], usage: spent, interrupted: false, content };
  return { type: "step.answered", ...written, seq, attempt: 1, ...rest };
}

test("usage is reported for models whose window is known, with the cost of the session so far", () => {
  const items = [
    paid(4, known, false),
    paid(5, known, true),
    paid(6, "local/new", false),
    paid(7, known, false),
  ];
  const reports = updatesOf(items).filter(({ sessionUpdate }) => sessionUpdate === "usage_update");
  assert.deepEqual(reports, [report(0.25), report(1)]);
});

test("the context use that a hosted agent reports is sent to the editor, whatever its model is", () => {
  const item = paid(4, "stub 1.0.0, small", false);
  assert.ok(item.type === "step.answered" && item.content !== null);
  const context = { used: 40, size: 100 };
  const reports = updatesOf([{ ...item, content: { ...item.content, context } }]).filter(
    ({ sessionUpdate }) => sessionUpdate === "usage_update",
  );
  const cost = { amount: 0.25, currency: "USD" };
  assert.deepEqual(reports, [{ sessionUpdate: "usage_update", ...context, cost }]);
});

function report(amount: number): object {
  const cost = { amount, currency: "USD" };
  return { sessionUpdate: "usage_update", used: 1_010, size: 200_000, cost };
}
