import assert from "node:assert/strict";
import { test } from "node:test";
import { finishOf } from "../../../src/agent/model/ai-sdk.ts";

type Reason = Parameters<typeof finishOf>[0];

test("an answer is complete only if its provider says so, in its own terms", () => {
  const reasons: readonly (readonly [Reason["unified"], string | undefined, string | null])[] = [
    ["stop", "end_turn", "stop"],
    ["tool-calls", "tool_use", "calls"],
    ["length", "model_context_window_exceeded", "length"],
    ["content-filter", "refusal", "filter"],
    ["other", undefined, null],
    // Google: a malformed tool call, after a text that announced it.
    ["error", "MALFORMED_FUNCTION_CALL", null],
    ["other", "UNEXPECTED_TOOL_CALL", null],
    ["other", "MISSING_THOUGHT_SIGNATURE", null],
    // Servers with the protocol of OpenAI.
    ["other", "error", null],
    ["other", "network_error", null],
    ["other", "insufficient_system_resource", null],
    ["other", "sensitive", "filter"],
    ["other", "max_tokens", "length"],
    ["other", "eos", "other"],
  ];
  assert.deepEqual(
    reasons.map(([unified, raw]) => [unified, raw, finishOf({ unified, raw })]),
    reasons,
  );
});
