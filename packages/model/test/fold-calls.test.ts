import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyConversation, newCall, putEntry } from "../src/conversation.ts";
import type { CallView, Conversation, StepEntry } from "../src/conversation.ts";
import { currentTodo } from "../src/current-todo.ts";
import { countLooks, foldCalls, isJoined, joinedSteps, rowOf } from "../src/fold-calls.ts";

function call(name: string, more: Partial<CallView> = {}): CallView {
  return { ...newCall({ callId: name, name, input: {} }), status: "completed", ...more };
}

function step(number: number, more: Partial<StepEntry>): StepEntry {
  return {
    kind: "step",
    id: `s${number}`,
    runId: "r",
    step: number,
    attempt: 1,
    openedAt: 0,
    answeredAt: 1,
    text: "",
    reasoning: null,
    model: null,
    isSummary: false,
    isInterrupted: false,
    cutAt: null,
    usage: null,
    calls: [],
    ...more,
  };
}

function conversationOf(...steps: readonly StepEntry[]): Conversation {
  const conversation = emptyConversation();
  for (const each of steps) putEntry(conversation, each);
  return conversation;
}

test("calls that only read and follow each other become one row; all others stay", () => {
  const calls = [
    call("read"),
    call("grep"),
    call("write"),
    call("read"),
    call("read", { status: "failed" }),
    call("list"),
    call("glob"),
    call("read", { status: "running" }),
  ];
  const rows = foldCalls(calls).map((row) =>
    row.kind === "call" ? row.call.name : row.calls.map(({ name }) => name),
  );
  assert.deepEqual(rows, [["read", "grep"], "write", "read", "read", ["list", "glob"], "read"]);
  const image = { hash: "h", name: null, mediaType: "image/png", bytes: 1 };
  assert.equal(foldCalls([call("read"), call("read", { files: [image] })]).length, 2);
});

test("steps that only read join the step before, until the model says something", () => {
  const conversation = conversationOf(
    step(1, { text: "Let me look.", calls: [call("read")] }),
    step(2, { calls: [call("grep"), call("list")], reasoning: "hm" }),
    step(3, { calls: [call("read")] }),
    step(4, { text: "Now I know.", calls: [call("read")] }),
    step(5, { calls: [call("write")] }),
    step(6, { calls: [call("read")] }),
    step(7, { runId: "other", calls: [call("read")] }),
    step(8, { runId: "other", calls: [call("read", { status: "running" })] }),
  );
  const joined = conversation.entries.map((_, place) => isJoined(conversation, place));
  assert.deepEqual(joined, [false, true, true, false, false, false, false, false]);
  assert.deepEqual(
    joinedSteps(conversation, "s1").map(({ id }) => id),
    ["s2", "s3"],
  );
  assert.deepEqual([rowOf(conversation, "s3"), rowOf(conversation, "s5")], ["s1", "s5"]);
  const calls = ["read", "grep", "list", "read", "glob"].map((name) => call(name));
  assert.deepEqual(countLooks(calls), { read: 2, searched: 2, listed: 1 });
});

test("the todo list of the latest run is current until all its items are done", () => {
  const todo = (...states: readonly string[]) =>
    call("todo", { extra: { todo: states.map((status) => ({ text: status, status })) } });
  const open = step(1, { calls: [todo("open", "open")] });
  const later = step(2, { calls: [todo("done", "active"), call("read")] });
  assert.deepEqual(
    currentTodo(conversationOf(open, later))?.map(({ status }) => status),
    ["done", "active"],
  );
  assert.equal(currentTodo(conversationOf(later, step(3, { calls: [todo("done")] }))), null);
  assert.equal(currentTodo(conversationOf(later, step(3, { runId: "next" }))), null);
});
