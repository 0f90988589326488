import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { createAnswerKeeper, isWords } from "./answer-keeper.ts";
import { createCallGuard } from "./call-guard.ts";
import type { CallOptions, OptionsRequest } from "./call-options.ts";
import type { ModelFacts } from "./model-facts.ts";
import { ModelError } from "./model.ts";
import type { Finish, Model, ModelPart, ModelRequest } from "./model.ts";
import { modelErrorOf } from "./provider-errors.ts";
import { levelFor, reasoningOf } from "./reasoning.ts";
import { sdkPrompt, sdkTools } from "./sdk-request.ts";
import type { PromptTarget } from "./sdk-request.ts";
import { usageOfCall } from "./usage.ts";
import { APICallError, TypeValidationError } from "@ai-sdk/provider";

// The only file that uses the SDK's streaming. It uses the SDK's providers for single calls, but not its agent loop:
// Holdfast handles steps, tools, retries and steering itself, because each must be logged before it takes effect.

/** The part of the SDK's model interface that Holdfast uses. */
export interface LanguageModel {
  doStream(
    options: LanguageModelV4CallOptions,
  ): PromiseLike<{ readonly stream: AsyncIterable<LanguageModelV4StreamPart> }>;
}

export interface SdkModelOptions extends PromptTarget {
  readonly id: string;
  /** Opens the SDK's model. Every call returns the same object. */
  readonly language: () => Promise<LanguageModel>;
  readonly callOptions: (request: OptionsRequest) => CallOptions;
  /** True if the server reports the cost of each answer. */
  readonly reportsCost: boolean;
  readonly facts: ModelFacts;
}

export function sdkModel(options: SdkModelOptions): Model {
  const { id, provider, facts } = options;
  const { limits, accepts, tools: callsTools, windowSetting, wish = {} } = facts;
  const memory: Memory = { summaries: true };
  const stream = (request: ModelRequest): AsyncGenerator<ModelPart> =>
    batchText(streamCall({ ...options, memory }, request));
  const isPriced = facts.price !== null || options.reportsCost;
  return { id, provider, limits, accepts, wish, isPriced, callsTools, windowSetting, stream };
}

/** Facts learned from the provider's responses. */
interface Memory {
  /** False if the provider refuses to send summaries of the model's reasoning. */
  summaries: boolean;
}

type Stream = Awaited<ReturnType<LanguageModel["doStream"]>>["stream"];

async function* streamCall(
  options: SdkModelOptions & { readonly memory: Memory },
  request: ModelRequest,
): AsyncGenerator<ModelPart> {
  const { provider, facts } = options;
  const { limits, price } = facts;
  const maxOutputTokens = Math.min(limits.output, request.maxOutput ?? limits.output);
  const guard = createCallGuard(request, maxOutputTokens);
  const reasoning = reasoningOf(facts);
  const level = levelFor(request.wish ?? {}, reasoning);
  try {
    const stream = await openStream(options, {
      call: {
        prompt: await sdkPrompt(request, options),
        ...sdkTools(request.tools),
        maxOutputTokens,
        abortSignal: guard.signal,
      },
      asked: { level, reasoning, cacheKey: request.cacheKey ?? null },
    });
    const answer = createAnswerKeeper();
    let length = 0;
    let end: Extract<LanguageModelV4StreamPart, { type: "finish" }> | null = null;
    for await (const part of stream) {
      guard.received(lengthOf(part));
      length += lengthOf(part);
      if (isWords(part)) answer.words(part);
      if (part.type === "text-delta") yield { type: "text", text: part.delta };
      else if (part.type === "reasoning-delta") yield { type: "reasoning", text: part.delta };
      else if (part.type === "tool-call") {
        const { toolCallId: callId, toolName: name } = part;
        const given = argumentsOf(part.input);
        answer.call(part, given.problem === null ? given.input : {});
        yield { type: "call", callId, name, ...given };
      } else if (part.type === "finish") end = part;
      else if (part.type === "error" && !isForeignEvent(part.error)) {
        throw modelErrorOf(part.error, provider);
      }
    }
    if (guard.signal.aborted) throw guard.reason();
    const finish = end === null ? null : finishOf(end.finishReason);
    if (end === null || finish === null) {
      const why = end?.finishReason.raw;
      const detail = why === undefined ? "" : ` (the provider says: ${why.slice(0, 100)})`;
      throw new ModelError("transient", `${provider}: the answer was cut off${detail}`);
    }
    const usage = usageOfCall(end, { price, request, outputLength: length });
    const original = { provider, content: answer.messages(end.providerMetadata) };
    yield { type: "end", usage, finish, original, ...(level === null ? {} : { effort: level }) };
  } catch (error) {
    throw guard.signal.aborted ? guard.reason() : modelErrorOf(error, provider);
  } finally {
    guard.close();
  }
}

/**
 * Sends the request. If the provider refuses to summarize the reasoning, sends it again without asking for a summary.
 */
async function openStream(
  { language, callOptions, memory }: SdkModelOptions & { readonly memory: Memory },
  request: {
    readonly call: LanguageModelV4CallOptions;
    readonly asked: Omit<OptionsRequest, "summaries">;
  },
): Promise<Stream> {
  const { call, asked } = request;
  const model = await language();
  const { summaries } = memory;
  try {
    const options = callOptions({ ...asked, summaries });
    return (await model.doStream({ ...call, ...options })).stream;
  } catch (error) {
    if (!summaries || !isSummaryRefusal(error)) throw error;
    memory.summaries = false;
    const options = callOptions({ ...asked, summaries: false });
    return (await model.doStream({ ...call, ...options })).stream;
  }
}

/** True if the provider refuses to summarize its reasoning. OpenAI does so for organizations that are not verified. */
function isSummaryRefusal(error: unknown): boolean {
  if (!APICallError.isInstance(error) || error.statusCode !== 400) return false;
  return /reasoning[._ ]summar/i.test(`${error.message} ${error.responseBody ?? ""}`);
}

/**
 * Returns the number of characters that a stream part adds to the answer. A raw part is a piece of encrypted reasoning.
 */
function lengthOf(part: LanguageModelV4StreamPart): number {
  if (part.type === "raw") return JSON.stringify(part.rawValue)?.length ?? 0;
  return "delta" in part ? part.delta.length : 0;
}

/** Parses the arguments of a call. Models do not always write valid JSON. Empty text means no arguments. */
function argumentsOf(text: string): { input: unknown; problem: string | null } {
  if (text.trim() === "") return { input: {}, problem: null };
  try {
    return { input: JSON.parse(text), problem: null };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { input: text, problem: `the arguments are not valid JSON (${reason})` };
  }
}

/**
 * Returns the reason why an answer ended. Null if the answer is incomplete: the stream ended without a reason, or the
 * provider reported an error.
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

/** Maps provider-specific finish reasons, for providers that the SDK does not know. */
function finishNamed(raw: string): Finish | null {
  if (/error|malformed|unexpected|missing|insufficient/i.test(raw)) return null;
  if (/refus|sensitive|safety|filter|prohibited/i.test(raw)) return "filter";
  if (/length|max_?\w*tokens|context_window/i.test(raw)) return "length";
  return "other";
}

/**
 * Joins text parts that arrive in the same tick, because an answer can have thousands of parts and passing on each is
 * expensive. No part waits for later ones.
 */
async function* batchText(parts: AsyncIterable<ModelPart>): AsyncGenerator<ModelPart> {
  const iterator = parts[Symbol.asyncIterator]();
  const take = (): Promise<IteratorResult<ModelPart>> => {
    const next = iterator.next();
    // Avoid an unhandled rejection: the reader gets the error when it awaits this part.
    next.catch(() => {});
    return next;
  };
  try {
    let next = take();
    for (;;) {
      const { done, value: part } = await next;
      if (done === true) return;
      next = take();
      if (part.type === "call" || part.type === "end") {
        yield part;
        continue;
      }
      const { type } = part;
      let { text } = part;
      const tick = new Promise<null>((resolve) => setImmediate(resolve, null));
      for (;;) {
        // An error ends the batch here. The outer loop awaits the same part again and throws the error.
        const more = await Promise.race([next, tick]).catch(() => null);
        if (more === null || more.done === true || more.value.type !== type) break;
        text += more.value.text;
        next = take();
      }
      yield { type, text };
    }
  } finally {
    await iterator.return?.();
  }
}

/**
 * True if the error is about an event of an unknown type that contains no part of the answer. Providers add such events
 * and ask clients to ignore them.
 */
function isForeignEvent(error: unknown): boolean {
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
