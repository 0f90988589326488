import { InvalidResponseDataError, JSONParseError, TypeValidationError } from "@ai-sdk/provider";
import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { createChatCalls } from "./chat-calls.ts";
import type { CallPiece } from "./chat-calls.ts";
import { createReasoningDetails, detailText } from "./reasoning-details.ts";
import { answerMetadata } from "./replayed-fields.ts";

/** Parses the stream events of one answer as the SDK does, but without a chain of streams. */
export interface ChatAnswer {
  /** Returns the parts that an event contains. */
  take(data: string): readonly LanguageModelV4StreamPart[];
  /** Returns the last parts, after the end of the stream. */
  end(): readonly LanguageModelV4StreamPart[];
}

type Words = "text" | "reasoning";

export function createChatAnswer(metadataKey: string): ChatAnswer {
  const calls = createChatCalls(metadataKey);
  const details = createReasoningDetails();
  let openText: Words | null = null;
  let finish: LanguageModelV4FinishReason | null = null;
  let hasRefusal = false;
  let usage: unknown;

  const endText = (parts: LanguageModelV4StreamPart[]): void => {
    if (openText !== null) parts.push({ type: `${openText}-end`, id: openText });
    openText = null;
  };
  const addText = (type: Words, delta: string, parts: LanguageModelV4StreamPart[]): void => {
    if (delta === "") return;
    if (openText !== type) {
      endText(parts);
      parts.push({ type: `${type}-start`, id: type });
      openText = type;
    }
    parts.push({ type: `${type}-delta`, id: type, delta });
  };
  const failed = (error: unknown): readonly LanguageModelV4StreamPart[] => {
    finish = { unified: "error", raw: undefined };
    return [{ type: "error", error }];
  };
  const takeChunk = (chunk: Fields): readonly LanguageModelV4StreamPart[] => {
    const problem = chunk["error"];
    if (isFields(problem) && typeof problem["message"] === "string") return failed(problem);
    // Read the whole chunk before changing any state, because reading an invalid chunk throws.
    const { reason, reasoning, sealed, words, refusal, pieces } = choiceOf(chunk);
    usage = chunk["usage"] ?? usage;
    if (reason !== null) finish = { unified: unifiedNames.get(reason) ?? "other", raw: reason };
    const parts: LanguageModelV4StreamPart[] = [];
    for (const piece of sealed) {
      details.add(piece);
      parts.push({ type: "raw", rawValue: piece });
    }
    addText("reasoning", reasoning, parts);
    for (const { type, text } of words) addText(type, text, parts);
    addText("text", refusal, parts);
    hasRefusal ||= refusal !== "";
    if (pieces.length > 0 && openText === "reasoning") endText(parts);
    for (const piece of pieces) parts.push(calls.add(piece));
    return parts;
  };
  return {
    take: (data) => {
      if (data === "[DONE]") return [];
      const value = parsed(data);
      if (value instanceof Error) return failed(value);
      try {
        return takeChunk(fieldsOf(value));
      } catch (cause) {
        return failed(TypeValidationError.wrap({ value, cause }));
      }
    },
    end: () => {
      const parts: LanguageModelV4StreamPart[] = [];
      endText(parts);
      parts.push(...calls.end());
      const reason = finish ?? { unified: "error", raw: undefined };
      if (finish === null) {
        const message = "Response stream ended without a finish reason.";
        parts.push({ type: "error", error: new InvalidResponseDataError({ data: null, message }) });
      }
      const isFiltered = hasRefusal && reason.raw === "stop";
      const finishReason = isFiltered ? { ...reason, unified: "content-filter" as const } : reason;
      const metadata = answerMetadata({ reasoningDetails: details.all(), cost: costOf(usage) });
      parts.push({ type: "finish", finishReason, usage: usageOf(usage), ...metadata });
      return parts;
    },
  };
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    return new JSONParseError({ text: data, cause });
  }
}

const unifiedNames: ReadonlyMap<string, LanguageModelV4FinishReason["unified"]> = new Map([
  ["stop", "stop"],
  ["length", "length"],
  ["content_filter", "content-filter"],
  ["function_call", "tool-calls"],
  ["tool_calls", "tool-calls"],
]);

interface Choice {
  readonly reason: string | null;
  readonly reasoning: string;
  /** Pieces of reasoning in the structured form `reasoning_details`. */
  readonly sealed: readonly Fields[];
  readonly words: readonly { readonly type: Words; readonly text: string }[];
  readonly refusal: string;
  readonly pieces: readonly CallPiece[];
}

function choiceOf(chunk: Fields): Choice {
  const [first = {}] = requiredListOf(chunk["choices"]);
  const { finish_reason: raw, delta: given } = fieldsOf(first);
  const delta = fieldsOf(given ?? {});
  const { content, reasoning_content: reasoning = null, refusal, tool_calls: calls } = delta;
  const sealed = detailsOf(delta["reasoning_details"]);
  return {
    reason: raw === undefined || raw === null ? null : textOf(raw),
    reasoning: textOf(reasoning ?? delta["reasoning"]) || sealed.map(detailText).join(""),
    sealed,
    words: wordsOf(content),
    refusal: typeof refusal === "string" ? refusal : "",
    pieces: listOf(calls).map((piece) => pieceOf(fieldsOf(piece))),
  };
}

/** Reads text from a string or a list of parts. Unknown parts are ignored. */
function wordsOf(content: unknown): Choice["words"] {
  if (!Array.isArray(content)) return [{ type: "text", text: textOf(content) }];
  return content.flatMap((given: unknown): Choice["words"] => {
    const { type, text, thinking } = fieldsOf(given);
    if (type === "text" && typeof text === "string") return [{ type, text }];
    if (type !== "thinking" || !Array.isArray(thinking)) return [];
    const thoughts = thinking.flatMap((part: unknown) => {
      const isText = isFields(part) && part["type"] === "text" && typeof part["text"] === "string";
      return isText ? [part["text"]] : [];
    });
    return [{ type: "reasoning", text: thoughts.join("") }];
  });
}

/**
 * Returns the reasoning details of an answer. Keeps details of unknown types too, because servers introduce new types.
 */
function detailsOf(details: unknown): readonly Fields[] {
  return Array.isArray(details) ? details.filter(isFields) : [];
}

function pieceOf({ index, id, function: called, extra_content: extra }: Fields): CallPiece {
  const { name, arguments: input } = fieldsOf(called);
  const google = isFields(extra) ? extra["google"] : null;
  const signature = isFields(google) ? textOf(google["thought_signature"]) : "";
  return {
    index: typeof index === "number" ? index : null,
    id: textOrNull(id),
    name: textOrNull(name),
    input: textOf(input),
    signature: signature === "" ? null : signature,
  };
}

function usageOf(given: unknown): LanguageModelV4Usage {
  const usage = isFields(given) ? given : {};
  const { prompt_tokens: input, completion_tokens: output } = usage;
  const { prompt_tokens_details: inputDetails, completion_tokens_details: outputDetails } = usage;
  const hasUsage = isFields(given);
  const total = hasUsage ? countOf(input) : undefined;
  const written = hasUsage ? countOf(output) : undefined;
  const cached = isFields(inputDetails) ? countOf(inputDetails["cached_tokens"]) : 0;
  const cacheWrite = isFields(inputDetails) ? countOf(inputDetails["cache_write_tokens"]) : 0;
  const thought = isFields(outputDetails) ? countOf(outputDetails["reasoning_tokens"]) : 0;
  return {
    inputTokens: {
      total,
      noCache: total === undefined ? undefined : total - cached,
      cacheRead: hasUsage ? cached : undefined,
      cacheWrite: cacheWrite === 0 ? undefined : cacheWrite,
    },
    outputTokens: {
      total: written,
      text: written === undefined ? undefined : Math.max(0, written - thought),
      reasoning: hasUsage ? thought : undefined,
    },
  };
}

/** Returns the cost in dollars that a router reports, including the part that is paid with the user's own key. */
function costOf(given: unknown): number | null {
  if (!isFields(given) || typeof given["cost"] !== "number") return null;
  const { cost, is_byok: isOwnKey, cost_details: details } = given;
  const upstream = isFields(details) ? countOf(details["upstream_inference_cost"]) : 0;
  return isOwnKey === true ? cost + upstream : cost;
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// Functions that read a value from the provider's answer. They throw if the value has the wrong type.

function fieldsOf(value: unknown): Fields {
  if (isFields(value)) return value;
  throw new TypeError("the answer has a value of another type where an object is expected");
}

function requiredListOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new TypeError("the answer has a value of another type where an array is expected");
}

function listOf(value: unknown): readonly unknown[] {
  return value === undefined || value === null ? [] : requiredListOf(value);
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  throw new TypeError("the answer has a value of another type where a string is expected");
}

function textOrNull(value: unknown): string | null {
  const text = textOf(value);
  return text.trim() === "" ? null : text;
}

function countOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
