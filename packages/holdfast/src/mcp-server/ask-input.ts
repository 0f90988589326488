import type { AnswerInput, Ask } from "@holdfast/sdk";
import { z } from "zod";

/** A request for input that an MCP client shows to its user. */
export interface InputRequest {
  readonly method: "elicitation/create";
  readonly params: {
    readonly mode: "form";
    readonly message: string;
    readonly requestedSchema: {
      readonly type: "object";
      readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
      readonly required: readonly string[];
    };
  };
}

const extraSchema = z.object({
  kind: z.string().optional().catch(undefined),
  choices: z.array(z.string()).optional().catch(undefined),
  permission: z
    .object({
      preview: z.string(),
      change: z.object({ omitted: z.number() }).optional().catch(undefined),
      omittedCharacters: z.number().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

/** Converts an ask to an input request: a permission request offers allow or deny, a question has a text field. */
export function inputRequestFor(ask: Ask): InputRequest {
  const { kind, choices = [], permission } = extraSchema.safeParse(ask.extra).data ?? {};
  const omitted = permission?.change?.omitted ?? 0;
  const characters = permission?.omittedCharacters ?? 0;
  const message = [
    ask.question,
    ...(permission === undefined ? [] : [permission.preview]),
    ...(omitted === 0 ? [] : [`${omitted} more lines of the diff are not shown here.`]),
    ...(characters === 0 ? [] : [`${characters} more characters are not shown here.`]),
  ];
  const isQuestion = kind === "question";
  const answer = { type: "string", title: "Answer", examples: choices };
  const verdict = { type: "string", title: "Decision", enum: ["allow", "deny"] };
  return {
    method: "elicitation/create",
    params: {
      mode: "form",
      message: message.join("\n\n"),
      requestedSchema: {
        type: "object",
        properties: isQuestion
          ? { text: answer }
          : { verdict, text: { type: "string", title: "Comment" } },
        required: [isQuestion ? "text" : "verdict"],
      },
    },
  };
}

const responseSchema = z.object({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z
    .object({
      verdict: z.enum(["allow", "deny"]).optional(),
      text: z.string().optional(),
      confirm: z.boolean().optional(),
    })
    .optional(),
});

/**
 * Converts the client's response to an answer. Returns null if the user dismissed the request (`cancel`): the ask stays
 * open. For a permission request, every response except an explicit `allow` is a denial.
 */
export function answerFrom(ask: Ask, response: unknown): AnswerInput | null {
  const { action, content = {} } = responseSchema.parse(response);
  if (action === "cancel") return null;
  const { text } = content;
  const said = text === undefined || text === "" ? {} : { text };
  const { kind } = extraSchema.safeParse(ask.extra).data ?? {};
  const isYes = kind === "question" ? text !== undefined : content.verdict === "allow";
  return { verdict: action === "accept" && isYes ? "allow" : "deny", ...said };
}
