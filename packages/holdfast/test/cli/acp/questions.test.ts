import assert from "node:assert/strict";
import { test } from "node:test";
import { putAsk } from "../../../src/cli/acp/permission-request.ts";

const options = { sessionId: "s", directory: "/code", toolCallId: "r/1/c" };

function selected(optionId: string): object {
  return { outcome: { outcome: "selected", optionId } };
}

test("a question with choices is shown as options, and the chosen option is the answer", () => {
  const content = {
    question: "Which one?",
    extra: { kind: "question", choices: ["this", "that"] },
  };
  const { method, params, read } = putAsk(content, { ...options, hasForms: true });
  assert.deepEqual(
    [method, params],
    [
      "session/request_permission",
      {
        sessionId: "s",
        toolCall: {
          toolCallId: "r/1/c",
          status: "pending",
          title: "Which one?",
          content: [{ type: "content", content: { type: "text", text: "Which one?" } }],
        },
        options: [
          { optionId: "choice-1", name: "this", kind: "allow_once" },
          { optionId: "choice-2", name: "that", kind: "allow_once" },
          { optionId: "decide", name: "Let the agent decide", kind: "reject_once" },
        ],
      },
    ],
  );
  assert.deepEqual(read(selected("choice-2")), { verdict: "allow", text: "that" });
  assert.equal(read(selected("decide"))?.verdict, "deny");
});

test("an editor without forms shows where to type an answer, and can let the agent decide", () => {
  const content = { question: "What for?", extra: { kind: "question", choices: [] } };
  const { params, read } = putAsk(content, { ...options, hasForms: false });
  assert.match(JSON.stringify(params), /What for\?.*holdfast attach/);
  assert.equal(read(selected("decide"))?.verdict, "deny");
});

test("R4 a dismissed, unknown or invalid answer leaves the ask open", () => {
  const { read } = putAsk({ question: "May it?", extra: null }, { ...options, hasForms: false });
  const answers = [{ outcome: { outcome: "cancelled" } }, selected("bogus"), {}, null, "yes"];
  assert.deepEqual(
    answers.map((answer) => read(answer)),
    answers.map(() => null),
  );
  const question = { question: "What?", extra: { kind: "question" } };
  const form = putAsk(question, { ...options, hasForms: true });
  assert.deepEqual(form.read({ action: "cancel" }), null);
  assert.equal(form.read({ action: "decline" })?.verdict, "deny");
});
