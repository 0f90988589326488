import type { LanguageModelV4FinishReason } from "@ai-sdk/provider";
import type { Finish } from "./model.ts";

/**
 * Why an answer has ended. Null when that was in the middle: the stream is over and nobody says that
 * the answer is, or the provider says that something went wrong.
 */
export function finishOf({ unified, raw }: LanguageModelV4FinishReason): Finish | null {
  switch (unified) {
    case "stop":
      return "stop";
    case "tool-calls":
      return "calls";
    case "length":
      return "length";
    case "content-filter":
      return "filter";
    case "error":
    case "interrupted":
      return null;
    case "other":
      return raw === undefined ? null : finishNamed(raw);
  }
}

/** Providers have words of their own for it, and those who speak like others have most of them. */
function finishNamed(raw: string): Finish | null {
  if (/error|malformed|unexpected|missing|insufficient/i.test(raw)) return null;
  if (/refus|sensitive|safety|filter|prohibited/i.test(raw)) return "filter";
  if (/length|max_?\w*tokens|context_window/i.test(raw)) return "length";
  return "other";
}
