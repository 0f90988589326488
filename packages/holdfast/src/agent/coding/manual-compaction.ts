import { asksToCompact } from "../compact-command.ts";
import type { Message, UserMessage } from "../message.ts";
import { isCompaction } from "./answer-extra.ts";
import { guessTokens } from "./compaction.ts";
import { messageLength } from "./message-length.ts";
import { modelConversation } from "./request.ts";
import type { ModelConversation, RequestTarget } from "./request.ts";

/**
 * What people want kept in the summary that the run has been asked for and has not made yet; null when
 * there is none to make. The answer that follows settles it, whether that is the summary or not.
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

/** Whether the run has nothing to do but this: then no answer of the model is wanted. */
export function wantsNothingElse(prompts: readonly UserMessage[]): boolean {
  return prompts.length > 0 && prompts.every(asksToCompact);
}

/** Characters that a summary has at least, as a rule. */
const shortest = 2_000;

/** What came since the last summary would hardly be shorter as another one. */
export function isShort({ messages, recent }: ModelConversation): boolean {
  const length = messages
    .slice(messages.length - recent)
    .reduce((sum, message) => sum + messageLength(message), 0);
  return recent <= 1 || length < shortest;
}

/** Told to people when it is over; null where there was nothing to sum up. */
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
  return `Summed up: the model now gets about ${after} tokens of this conversation in place of about ${before}. You still see all of it.`;
}

export const nothingToCompact =
  "There is nothing to sum up yet: since the session's beginning, or its last summary, little was said.";

function about(tokens: number): string {
  const step = tokens < 1_000 ? 10 : 100;
  return new Intl.NumberFormat("en").format(Math.ceil(tokens / step) * step);
}
