import type { ModelCall } from "../../../../../gauntlet/model-server/script.ts";

/** Whether the model is asked for a summary, and not for an answer. */
export function isSummaryCall(call: ModelCall): boolean {
  return call.messages[0]?.text.startsWith("The conversation below is too long") === true;
}

export function textsOf(call: ModelCall | undefined): string[] {
  return call?.messages.map(({ text }) => text) ?? [];
}

/** Long enough to be worth summing up. */
export const longStory = "once upon a time there was a wolf. ".repeat(100).trim();
