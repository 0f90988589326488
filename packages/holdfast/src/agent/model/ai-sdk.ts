import { streamText } from "ai";
import type { FinishReason, LanguageModel } from "ai";
import { factsOf, usageOf } from "./catalog.ts";
import type { Price } from "./catalog.ts";
import { ModelError } from "./model.ts";
import type { Model, ModelLimits, ModelPart, ModelRequest } from "./model.ts";
import { modelErrorOf } from "./provider-errors.ts";
import { sdkMessages, sdkTools } from "./sdk-request.ts";
import type { CacheMark } from "./sdk-request.ts";
import { createStallGuard } from "./stall-guard.ts";

// The one place that knows the AI SDK's streaming. It makes single calls: steps, tools, retries and
// steering are the loop's, because each of them has to be in the log before it has an effect.

// The SDK's advice to its users is not for ours.
globalThis.AI_SDK_LOG_WARNINGS = false;

export function sdkModel(options: {
  id: string;
  provider: string;
  language: LanguageModel;
  cacheMark: CacheMark | null;
}): Model {
  const { id, provider, language, cacheMark } = options;
  const { limits, price } = factsOf(id);
  return {
    id,
    provider,
    limits,
    stream: (request) => streamCall({ language, provider, price, limits, request, cacheMark }),
  };
}

interface Call {
  readonly language: LanguageModel;
  readonly provider: string;
  readonly price: Price | null;
  readonly limits: ModelLimits;
  readonly request: ModelRequest;
  readonly cacheMark: CacheMark | null;
}

async function* streamCall(call: Call): AsyncGenerator<ModelPart> {
  const { provider, request, language } = call;
  const guard = createStallGuard(request.stallAfter, request.signal);
  try {
    const result = streamText({
      model: language,
      messages: sdkMessages(request, call),
      allowSystemInMessages: true,
      tools: sdkTools(request.tools),
      maxRetries: 0,
      maxOutputTokens: call.limits.output,
      abortSignal: guard.signal,
      // Errors arrive as parts of the stream; the SDK would print them as well.
      onError: () => {},
    });
    let end: Extract<ModelPart, { type: "end" }> | null = null;
    for await (const part of result.stream) {
      guard.heard();
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
        const usage = usageOf(call.price, tokens);
        const finish = finishOf(part.finishReason);
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

function finishOf(reason: FinishReason): Extract<ModelPart, { type: "end" }>["finish"] {
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
