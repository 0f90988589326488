import assert from "node:assert/strict";
import { test } from "node:test";
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { arrange } from "../../../src/agent/model/arrange.ts";

type Message = LanguageModelV4Message;

const image = {
  type: "file",
  mediaType: "image/png",
  data: { type: "data", data: new Uint8Array() },
} as const;

function arranged(
  prompt: readonly Message[],
  model: string,
  baseUrl = "http://127.0.0.1:11434/v1",
): readonly Message[] {
  return arrange(prompt, { model, baseUrl });
}

function people(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

function call(toolCallId: string): Message {
  return {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId, toolName: "list", input: {} }],
  };
}

function result(toolCallId: string): Message {
  const output = { type: "text", value: "a" } as const;
  return {
    role: "tool",
    content: [{ type: "tool-result", toolCallId, toolName: "list", output }],
  };
}

test("consecutive user messages are joined for models that need it, into one text if possible", () => {
  const system: Message = { role: "system", content: "Be brief." };
  assert.deepEqual(
    arranged([system, people("a"), people("b"), call("1"), result("1"), people("c")], "gemma-3"),
    [system, people("a\n\nb"), call("1"), result("1"), people("c")],
  );
  const shown: Message = { role: "user", content: [{ type: "text", text: "look" }, image] };
  assert.deepEqual(arranged([people("a"), shown, people("b")], "gemma3:12b"), [
    {
      role: "user",
      content: [{ type: "text", text: "a\n\nlook" }, image, { type: "text", text: "b" }],
    },
  ]);
  const others = [people("a"), people("b")];
  assert.deepEqual(arranged(others, "llama-4"), others);
});

test("Mistral's models get an answer after tool results, and call ids in their format", () => {
  assert.deepEqual(
    arranged([people("a"), call("call_0123"), result("call_0123"), people("b")], "Devstral-2"),
    [
      people("a"),
      call("4c6c99d69"),
      result("4c6c99d69"),
      { role: "assistant", content: [{ type: "text", text: "I see." }] },
      people("b"),
    ],
  );
  const own = [people("a"), call("aB3456789"), result("aB3456789")];
  assert.deepEqual(arranged(own, "mistral-large"), own);
});

test("reasoning is sent back to its provider, except to servers that reject it", () => {
  const said = { type: "text", text: "b" } as const;
  const thought: Message = {
    role: "assistant",
    content: [{ type: "reasoning", text: "hm" }, said],
  };
  const prompt = [people("a"), thought];
  assert.deepEqual(arranged(prompt, "deepseek-v4", "https://api.deepseek.com/v1"), prompt);
  assert.deepEqual(arranged(prompt, "gpt-oss-120b", "https://api.groq.com/openai/v1"), [
    people("a"),
    { role: "assistant", content: [said] },
  ]);
});
