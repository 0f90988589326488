import type { Message } from "@holdfast/sdk";
import { newCall } from "./conversation.ts";
import type { CallView, Entry, PromptView } from "./conversation.ts";

type UserMessage = Extract<Message, { role: "user" }>;
type AssistantMessage = Extract<Message, { role: "assistant" }>;
type ToolMessage = Extract<Message, { role: "tool" }>;

/** Returns entries for the messages that a fork or an import started with. This session's log does not contain them. */
export function messageEntries(messages: readonly Message[]): readonly Entry[] {
  const results = new Map<string, ToolMessage>();
  for (const message of messages) {
    if (message.role === "tool") results.set(message.callId, message);
  }
  return messages.flatMap((message, index): Entry[] => {
    if (message.role === "tool") return [];
    if (message.role === "user") {
      return [{ kind: "prompt", id: `origin:${index}`, prompt: promptOf(message) }];
    }
    return [{ ...stepOf(message, results), id: `origin:${index}` }];
  });
}

function promptOf(message: UserMessage): PromptView {
  const { promptId, at, text, attachments, actor, reply, resultOf, outcome, entered } = message;
  return {
    promptId,
    acceptSeq: null,
    acceptedAt: at,
    text,
    cutAt: null,
    attachments,
    agent: message.agent ?? null,
    model: message.model ?? null,
    command: message.command?.name ?? null,
    delivery: "queue",
    actor,
    reply,
    revision: 1,
    steers: null,
    resultOf,
    runId: outcome?.runId ?? null,
    isTakenIn: false,
    enteredAt: entered ? at : null,
    outcome,
    settledAt: outcome === null ? null : at,
    settleSeq: null,
  };
}

function stepOf(message: AssistantMessage, results: ReadonlyMap<string, ToolMessage>) {
  const { runId, step, at, text, reasoning, model } = message;
  return {
    kind: "step",
    runId,
    step,
    attempt: 1,
    openedAt: at,
    answeredAt: at,
    text,
    reasoning,
    model,
    isSummary: message.summary,
    isInterrupted: message.interrupted,
    cutAt: null,
    usage: null,
    calls: message.calls.map((call): CallView => {
      const result = results.get(call.callId);
      // The copy was made before the call ended. Its result will never arrive here.
      if (result === undefined) return { ...newCall(call), status: "interrupted" };
      const { status, output, extra, intent, files = [] } = result;
      return { ...newCall(call), status, output, extra, intent, files, endedAt: result.at };
    }),
  } as const;
}
