import { streamText } from "ai";
import type { FinishReason, LanguageModel, TextStreamPart, ToolSet } from "ai";
import { createCallGuard } from "./call-guard.ts";
import { factsOf, usageOf } from "./catalog.ts";
import type { ModelFacts } from "./catalog.ts";
import { gather } from "./gather.ts";
import { ModelError } from "./model.ts";
import type { Finish, Model, ModelPart, ModelRequest } from "./model.ts";
import { modelErrorOf } from "./provider-errors.ts";
import { sdkMessages, sdkTools } from "./sdk-request.ts";
import type { ProviderOptions } from "./sdk-request.ts";

// The one place that knows the AI SDK's streaming. It makes single calls: steps, tools, retries and
// steering are the loop's, because each of them has to be in the log before it has an effect.

// The SDK's advice to its users is not for ours.
globalThis.AI_SDK_LOG_WARNINGS = false;

export interface SdkModelOptions {
  readonly id: string;
  readonly provider: string;
  readonly language: LanguageModel;
  readonly cacheMark: ProviderOptions | null;
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
  return { id, provider, limits, accepts, stream };
}

async function* streamCall(
  options: SdkModelOptions,
  facts: ModelFacts,
  request: ModelRequest,
): AsyncGenerator<ModelPart> {
  const { provider, language, providerOptions } = options;
  const { limits, price } = facts;
  const maxOutput = Math.min(limits.output, request.maxOutput ?? limits.output);
  const guard = createCallGuard(request, maxOutput);
  try {
    const result = streamText({
      model: language,
      messages: await sdkMessages(request, options),
      allowSystemInMessages: true,
      tools: sdkTools(request.tools),
      maxRetries: 0,
      maxOutputTokens: maxOutput,
      abortSignal: guard.signal,
      ...(providerOptions === null ? {} : { providerOptions }),
      // Errors arrive as parts of the stream; the SDK would print them as well.
      onError: () => {},
    });
    let end: Extract<ModelPart, { type: "end" }> | null = null;
    for await (const part of result.stream) {
      guard.heard(lengthOf(part));
      if (part.type === "text-delta") yield { type: "text", text: part.text };
      else if (part.type === "reasoning-delta") yield { type: "reasoning", text: part.text };
      else if (part.type === "tool-call") {
        const { toolCallId: callId, toolName: name, input } = part;
        const problem = part.invalid === true ? String(part.error) : null;
        yield { type: "call", callId, name, input, problem };
      } else if (part.type === "finish-step") {
        const { inputTokens = 0, outputTokens = 0, inputTokenDetails } = part.usage;
        const cachedInput = inputTokenDetails.cacheReadTokens ?? 0;
        const tokens = { input: inputTokens, cachedInput, output: outputTokens };
        const usage = usageOf(price, tokens);
        const finish = finishOf(part.finishReason);
        // A stream may end in order and in the middle of the answer: only the provider can say which.
        if (part.rawFinishReason === undefined && finish === "other") continue;
        end = { type: "end", usage, finish, original: { provider, content: [] } };
      } else if (part.type === "error") throw modelErrorOf(part.error, provider);
    }
    if (guard.signal.aborted) throw guard.reason();
    if (end === null) throw new ModelError("transient", `${provider}: the answer was cut off`);
    // A call with broken arguments gets its result from the loop, not from the SDK.
    const spoken = (await result.responseMessages).filter(({ role }) => role === "assistant");
    yield { ...end, original: { provider, content: spoken } };
  } catch (error) {
    throw guard.signal.aborted ? guard.reason() : modelErrorOf(error, provider);
  } finally {
    guard.close();
  }
}

/** How much of an answer came with a part. */
function lengthOf(part: TextStreamPart<ToolSet>): number {
  if (part.type === "text-delta" || part.type === "reasoning-delta") return part.text.length;
  return part.type === "tool-input-delta" ? part.delta.length : 0;
}

function finishOf(reason: FinishReason): Finish {
  switch (reason) {
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
    case "other":
      return "other";
  }
}
