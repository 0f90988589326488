import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { createAnswerKeeper, isWords } from "./answer-keeper.ts";
import { createCallGuard } from "./call-guard.ts";
import { factsOf, usageOf } from "./catalog.ts";
import type { ModelFacts } from "./catalog.ts";
import { finishOf } from "./finish.ts";
import { isForeignEvent } from "./foreign-event.ts";
import { gather } from "./gather.ts";
import { ModelError } from "./model.ts";
import type { Model, ModelPart, ModelRequest } from "./model.ts";
import { modelErrorOf } from "./provider-errors.ts";
import { sdkPrompt, sdkTools } from "./sdk-request.ts";
import type { PromptTarget, ProviderOptions } from "./sdk-request.ts";

// The one place that knows the SDK's streaming. It calls the providers that the SDK has, one call at a
// time, and not the loop around them: steps, tools, retries and steering are ours, because each of them
// has to be in the log before it has an effect.

/** What is called of the SDK's models, or in place of one. */
export interface LanguageModel {
  doStream(
    options: LanguageModelV4CallOptions,
  ): PromiseLike<{ readonly stream: AsyncIterable<LanguageModelV4StreamPart> }>;
}

export interface SdkModelOptions extends PromptTarget {
  readonly id: string;
  /** The same one each time. */
  readonly language: () => Promise<LanguageModel>;
  readonly providerOptions: ProviderOptions | null;
  /** Instead of what the catalog says. */
  readonly facts: ModelFacts | null;
}

export function sdkModel(options: SdkModelOptions): Model {
  const { id, provider } = options;
  const facts = options.facts ?? factsOf(id);
  const { limits, accepts } = facts;
  const stream = (request: ModelRequest): AsyncGenerator<ModelPart> =>
    gather(streamCall(options, facts, request));
  return { id, provider, limits, accepts, isPriced: facts.price !== null, stream };
}

async function* streamCall(
  options: SdkModelOptions,
  facts: ModelFacts,
  request: ModelRequest,
): AsyncGenerator<ModelPart> {
  const { provider, language, providerOptions } = options;
  const { limits, price } = facts;
  const maxOutputTokens = Math.min(limits.output, request.maxOutput ?? limits.output);
  const guard = createCallGuard(request, maxOutputTokens);
  try {
    const { stream } = await (
      await language()
    ).doStream({
      prompt: await sdkPrompt(request, options),
      ...sdkTools(request.tools),
      maxOutputTokens,
      abortSignal: guard.signal,
      ...(providerOptions === null ? {} : { providerOptions }),
    });
    const answer = createAnswerKeeper();
    let end: Extract<LanguageModelV4StreamPart, { type: "finish" }> | null = null;
    for await (const part of stream) {
      guard.heard(lengthOf(part));
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
      const told = why === undefined ? "" : ` (the provider says: ${why.slice(0, 100)})`;
      throw new ModelError("transient", `${provider}: the answer was cut off${told}`);
    }
    const { inputTokens, outputTokens } = end.usage;
    const usage = usageOf(price, {
      input: inputTokens.total ?? 0,
      cachedInput: inputTokens.cacheRead ?? 0,
      cacheWrite: inputTokens.cacheWrite ?? 0,
      output: outputTokens.total ?? 0,
    });
    yield { type: "end", usage, finish, original: { provider, content: answer.messages() } };
  } catch (error) {
    throw guard.signal.aborted ? guard.reason() : modelErrorOf(error, provider);
  } finally {
    guard.close();
  }
}

/** How much of an answer came with a part. */
function lengthOf(part: LanguageModelV4StreamPart): number {
  return "delta" in part ? part.delta.length : 0;
}

/** Models write arguments as text, and not always as JSON. No text at all stands for no arguments. */
function argumentsOf(text: string): { input: unknown; problem: string | null } {
  if (text.trim() === "") return { input: {}, problem: null };
  try {
    return { input: JSON.parse(text), problem: null };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { input: text, problem: `they are not JSON (${reason})` };
  }
}
