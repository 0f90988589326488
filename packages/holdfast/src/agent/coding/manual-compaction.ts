import { asksToCompact } from "../compact-command.ts";
import type { Message, UserMessage } from "../message.ts";
import { isCompaction } from "./answer-extra.ts";
import { guessTokens } from "./compaction.ts";
import { messageLength } from "../model/message-length.ts";
import { modelConversation } from "./request.ts";
import type { ModelConversation, RequestTarget } from "./request.ts";

/**
 * Returns the user's instructions for a summary that the user requested and the agent has not written yet; null if
 * there is no such request. Any answer after the request completes the request, even if the answer is not a summary.
 */
export function wantedCompaction(
  messages: readonly Message[],
  prompts: readonly UserMessage[],
): { readonly focus: string } | null {
  const asked = prompts.filter(asksToCompact);
  if (asked.length === 0) return null;
  const answered = messages.findLastIndex(({ role }) => role === "assistant");
  const since = messages.slice(answered + 1);
  const open = asked.filter(({ promptId }) =>
    since.some((message) => message.role === "user" && message.promptId === promptId),
  );
  if (open.length === 0) return null;
  const wishes = open.map(({ command }) => command?.arguments.trim() ?? "");
  return { focus: wishes.filter(Boolean).join("\n") };
}

/** True if the run consists only of compaction requests, so the model need not answer. */
export function wantsNothingElse(prompts: readonly UserMessage[]): boolean {
  return prompts.length > 0 && prompts.every(asksToCompact);
}

/** Typical minimum length of a summary in characters. Shorter conversations are not summarized. */
const shortest = 2_000;

/** True if a summary of the messages since the last summary would save little. */
export function isShort({ messages, recent }: ModelConversation): boolean {
  const length = messages
    .slice(messages.length - recent)
    .reduce((sum, message) => sum + messageLength(message), 0);
  return recent <= 1 || length < shortest;
}

/** Returns a message for the user after a compaction; null if the run made no summary. */
export function compactionNews(
  messages: readonly Message[],
  target: RequestTarget & { readonly runId: string },
): string | null {
  const place = messages.findLastIndex(
    (message) =>
      message.role === "assistant" && message.runId === target.runId && isCompaction(message.extra),
  );
  if (place === -1) return null;
  const before = about(guessTokens(modelConversation(messages.slice(0, place), target)));
  const after = about(guessTokens(modelConversation(messages, target)));
  return `Summarized: the model now gets about ${after} tokens of this conversation instead of about ${before}. You still see all of it.`;
}

export const nothingToCompact =
  "Nothing to summarize yet: the conversation since its start or its last summary is short.";

function about(tokens: number): string {
  const step = tokens < 1_000 ? 10 : 100;
  return new Intl.NumberFormat("en").format(Math.ceil(tokens / step) * step);
}
