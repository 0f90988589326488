import assert from "node:assert/strict";
import { test } from "node:test";
import { promptOptions, typedText } from "../src/prompt-options.ts";

test("a repeated prompt has the agent, model, mode, effort and command of the first one", () => {
  const named = {
    agent: "codex",
    model: "fast",
    agentMode: "careful",
    effort: "high",
    thinking: true,
  } as const;
  const command = { name: "review", arguments: "src" };
  assert.deepEqual(promptOptions({ ...named, command }), { ...named, command });
  assert.deepEqual(promptOptions({}), {});
});

test("an edited prompt that was a command begins as this command", () => {
  const command = { name: "review", arguments: "" };
  assert.equal(typedText({ text: "Review the code.", command }), "/review");
  assert.equal(typedText({ text: "say hello", command: undefined }), "say hello");
});
