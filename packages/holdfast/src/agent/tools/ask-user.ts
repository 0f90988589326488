import { z } from "zod";
import type { AskAnswer } from "../agent.ts";
import { derivedId } from "./derived-id.ts";
import { completed, failed } from "./result.ts";
import type { Tool, ToolResult } from "./tool.ts";

const input = z.object({
  question: z.string().min(1).max(10_000),
  choices: z
    .array(z.string().min(1).max(500))
    .max(10)
    .optional()
    .describe("Suggested answers. The user may still answer in their own words."),
});

type AskUserInput = z.infer<typeof input>;

export const askUserTool: Tool<AskUserInput> = {
  name: "askUser",
  description:
    "Asks the user a question and waits for the answer. Use it for decisions that the user must make, " +
    "not for permission to use a tool, which is requested automatically.",
  input,
  example: { question: "Which database should the tests use?", choices: ["SQLite", "PostgreSQL"] },
  // The id of the question is derived from the call, so a resumed run finds the question again (R4).
  repeatable: true,
  parallel: true,
  permission: () => null,
  run: async ({ question, choices = [] }, context) => {
    // Do not pass `callId`: the answer would then count as a permission to start the call. Here the answer is the
    // tool's output.
    const answer = await context.agent.ask({
      askId: derivedId("question", context),
      question,
      extra: { kind: "question", callId: context.callId, choices },
    });
    return answerResult(answer);
  },
};

function answerResult(answer: AskAnswer): ToolResult {
  switch (answer.verdict) {
    case "allow":
      return completed(answer.text ?? "Yes.");
    case "deny":
      return completed(answer.text ?? "No.");
    case "expired":
      return failed("The question expired without an answer.");
  }
}
