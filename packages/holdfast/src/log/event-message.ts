import type {
  AnswerBody,
  AssistantMessage,
  PromptBody,
  ToolBody,
  ToolMessage,
  UserMessage,
} from "../agent/message.ts";
import type { Actor, EventOf, ResultOf } from "../kernel/event.ts";
import { readBody } from "./bodies.ts";
import type { BodyReader } from "./bodies.ts";

// Builds messages from events, ledger rows and the stored content that they refer to.

/** Builds the conversation message of a prompt. */
export async function userMessage(
  bodies: BodyReader,
  prompt: {
    readonly promptId: string;
    readonly body: string | null;
    readonly actor: Actor;
    readonly reply: boolean;
    readonly resultOf: ResultOf | null;
  },
): Promise<UserMessage> {
  const { promptId, actor, reply, resultOf } = prompt;
  const content = await readBody<PromptBody>(bodies, prompt.body);
  const { text = "", attachments = [], ...named } = content ?? {};
  const result =
    resultOf === null
      ? null
      : { sessionId: resultOf.sessionId, promptId: resultOf.promptId, outcome: resultOf.outcome };
  return { role: "user", promptId, text, attachments, actor, reply, resultOf: result, ...named };
}

export async function assistantMessage(
  bodies: BodyReader,
  event: EventOf<"step.answered">,
): Promise<AssistantMessage> {
  const { runId, step, interrupted } = event;
  const body = await readBody<AnswerBody>(bodies, event.body);
  const { text = "", calls = [], extra = null } = body ?? {};
  return { role: "assistant", runId, step, text, calls, interrupted, extra };
}

export async function toolMessage(
  bodies: BodyReader,
  event: EventOf<"tool.ended">,
): Promise<ToolMessage> {
  const { callId, status } = event;
  const body = await readBody<ToolBody>(bodies, event.body);
  const { output = "", extra = null, files } = body ?? {};
  const shown = files === undefined ? {} : { files };
  return { role: "tool", callId, status, output, extra, ...shown };
}
