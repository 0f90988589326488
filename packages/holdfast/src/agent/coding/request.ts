import type { AssistantMessage, Message, ToolMessage, UserMessage } from "../message.ts";
import type { ModelMessage, ModelToolResult } from "../model/model.ts";
import { answerExtraOf } from "./answer-extra.ts";

/** The conversation as the model gets it: from the last compaction on, every call with its result. */
export function modelMessages(
  messages: readonly Message[],
  target: { provider: string; runId: string },
): ModelMessage[] {
  const place = messages.findLastIndex(isCompaction);
  const summary = messages[place];
  const recent = messages.slice(place + 1);
  const before: ModelMessage[] =
    summary?.role === "assistant"
      ? [{ role: "user", text: `Summary of the conversation so far:\n\n${summary.text}` }]
      : [];
  const calls = new Map<string, { id: string; name: string }>();
  const result: ModelMessage[] = [...before];
  for (const message of recent) {
    const next = modelMessage(message, { provider: target.provider, calls });
    const last = result.at(-1);
    if (next?.role === "tool" && last?.role === "tool") {
      result[result.length - 1] = { role: "tool", results: [...last.results, ...next.results] };
    } else if (next !== null) {
      result.push(next);
    }
  }
  return result;
}

export function isCompaction(message: Message): boolean {
  return message.role === "assistant" && answerExtraOf(message.extra)?.kind === "compaction";
}

interface Scene {
  readonly provider: string;
  /** The id that this provider knows each call by. */
  readonly calls: Map<string, { id: string; name: string }>;
}

function modelMessage(message: Message, scene: Scene): ModelMessage | null {
  switch (message.role) {
    case "user":
      return { role: "user", text: userText(message) };
    case "assistant":
      return assistantMessage(message, scene);
    case "tool":
      return { role: "tool", results: [toolResult(message, scene)] };
  }
}

function userText(message: UserMessage): string {
  const { resultOf, text } = message;
  if (resultOf === null) return text;
  const { sessionId, outcome } = resultOf;
  const how = outcome.reason === null ? outcome.status : `${outcome.status}: ${outcome.reason}`;
  return `The background task in session ${sessionId} has ended (${how}).\n\n${text}`;
}

function assistantMessage(message: AssistantMessage, scene: Scene): ModelMessage | null {
  const extra = answerExtraOf(message.extra);
  const own = extra?.original?.provider === scene.provider ? extra.original : null;
  const calls = message.calls.map(({ callId, name, input }) => {
    const id = own === null ? callId : (extra?.providerCalls[callId] ?? callId);
    scene.calls.set(callId, { id, name });
    return { callId: id, name, input };
  });
  const text = message.interrupted ? `${message.text}\n[stopped here]`.trim() : message.text;
  if (text === "" && calls.length === 0 && own === null) return null;
  return { role: "assistant", text, calls, original: message.interrupted ? null : own };
}

function toolResult(message: ToolMessage, scene: Scene): ModelToolResult {
  const { callId, status, output } = message;
  const { id = callId, name = "unknown" } = scene.calls.get(callId) ?? {};
  const failed = status !== "completed";
  return { callId: id, name, failed, output: output === "" ? wordsFor[status] : output };
}

/** What the model is told of a call that has no output of its own. */
const wordsFor: Readonly<Record<ToolMessage["status"], string>> = {
  completed: "Done.",
  failed: "It failed.",
  denied: "It was not allowed. Do not try to get around this; ask, or do something else.",
  interrupted: "It was stopped before it ended. It may have had a part of its effect.",
  inDoubt:
    "The process ended while this call was at work. Whether it has had its effect is not known; " +
    "look before you do it again.",
};
