import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@holdfast/sdk";
import { messageEntries } from "../src/message-entries.ts";
import { originEntryId } from "../src/origin-entry.ts";

const prompt = (promptId: string): Message => ({
  seq: null,
  role: "user",
  at: 1,
  promptId,
  text: "the same words",
  attachments: [],
  actor: { kind: "client", id: "ada" },
  reply: true,
  resultOf: null,
  entered: true,
  outcome: null,
});

const answer = (text: string, callId: string): Message => ({
  seq: null,
  role: "assistant",
  at: 2,
  runId: "run",
  step: 1,
  text,
  reasoning: null,
  model: null,
  summary: false,
  calls: [{ callId, name: "read", input: {}, repeatable: true }],
  interrupted: false,
});

const entries = messageEntries([
  prompt("one"),
  answer("A quokka\n  was seen twice", "first"),
  prompt("two"),
  answer(`${"Long ago ".repeat(20)}a quokka was seen again`, "second"),
]);

function idOf(hit: Omit<Parameters<typeof originEntryId>[1], "snippet">, ...texts: string[]) {
  const snippet = texts.map((text, index) => ({ text, isMatch: index % 2 === 1 }));
  return originEntryId(entries, { ...hit, snippet });
}

test("a search hit in copied messages leads to its prompt, call or answer", () => {
  assert.equal(idOf({ kind: "prompt", promptId: "two" }, "the same words"), "origin:2");
  assert.equal(idOf({ kind: "toolResult", callId: "second" }, "output"), "origin:3");
  assert.equal(idOf({ kind: "answer" }, "A ", "quokka", " was seen twice"), "origin:1");
  assert.equal(idOf({ kind: "answer" }, "…", "Long ago a ", "quokka", " was seen…"), "origin:3");
  assert.equal(idOf({ kind: "answer" }, "a wombat"), null);
});
