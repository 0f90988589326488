import { TypeValidationError } from "@ai-sdk/provider";

/**
 * Whether an error is about an event that is no part of an answer: providers add kinds of their own to
 * their streams and ask to pass over what is not known.
 */
export function isForeignEvent(error: unknown): boolean {
  if (!TypeValidationError.isInstance(error)) return false;
  const { value } = error;
  if (typeof value !== "object" || value === null || "error" in value) return false;
  if (!("type" in value) || typeof value.type !== "string") {
    return !("choices" in value) && !("candidates" in value);
  }
  const { type } = value;
  if (type === "content_block_delta" && "delta" in value) return !isAnswerDelta(value.delta);
  return !type.startsWith("response.") && !answerEvents.has(type);
}

const answerEvents = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
]);

function isAnswerDelta(delta: unknown): boolean {
  if (typeof delta !== "object" || delta === null || !("type" in delta)) return true;
  return /^(?:text|input_json|thinking|signature)_delta$/.test(String(delta.type));
}
