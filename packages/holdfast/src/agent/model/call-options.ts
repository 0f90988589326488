import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { Wire } from "./platform.ts";
import type { Reasoning, ReasoningLevel } from "./reasoning.ts";
import type { ProviderOptions } from "./sdk-request.ts";

/** Options of a model call that depend on the request. */
export type CallOptions = Pick<LanguageModelV4CallOptions, "reasoning" | "providerOptions">;

export interface OptionsRequest {
  /** Requested reasoning level. Null: the request sets none. */
  readonly level: ReasoningLevel | null;
  readonly reasoning: Reasoning | null | undefined;
  /** The same key for all calls of a session, so that the provider finds its cache. */
  readonly cacheKey: string | null;
  /** False if the provider does not offer summaries of the reasoning to this account. */
  readonly summaries: boolean;
}

/** Builds the request options for each protocol. They include a request for a reasoning summary, which people see. */
export const callOptions: Readonly<Record<Wire, (request: OptionsRequest) => CallOptions>> = {
  anthropic: (request) => claudeOptions(request, { anthropic: { thinking: adaptive } }),
  openai: ({ level, reasoning, cacheKey, summaries }) => {
    // If the abilities of the model are unknown, a requested level means that the model can reason.
    const canReason = reasoning === undefined ? level !== null : reasoning !== null;
    const isReasoning = canReason && level !== "none";
    const openai: ProviderOptions[string] = {
      // Do not store the conversation at the provider, because the log contains it.
      store: false,
      ...(cacheKey === null ? {} : { promptCacheKey: cacheKey }),
      reasoningSummary: isReasoning && summaries ? "auto" : null,
      // The SDK recognizes reasoning models by their name, but an Azure deployment can have any name.
      ...(isReasoning ? { forceReasoning: true } : {}),
    };
    return { ...sdkLevel(level), providerOptions: { openai } };
  },
  google: ({ level, reasoning }) => {
    const isReasoning = reasoning !== null && reasoning !== undefined && level !== "none";
    const thoughts = { google: { thinkingConfig: { includeThoughts: true } } };
    return { ...sdkLevel(level), ...(isReasoning ? { providerOptions: thoughts } : {}) };
  },
  bedrock: (request) => {
    const summarized = { bedrock: { reasoningConfig: adaptive } };
    const options = claudeOptions(request, summarized);
    // On Bedrock, a request for a reasoning level does not request the reasoning summary, so request the summary too.
    const { level, reasoning } = request;
    const isAdaptive = reasoning?.adaptive === true && level !== "none";
    return isAdaptive ? { ...options, providerOptions: summarized } : options;
  },
  // The chat model converts these options to the fields that its server expects.
  compatible: ({ level, cacheKey }) => ({
    ...sdkLevel(level),
    ...(cacheKey === null ? {} : { providerOptions: { openai: { promptCacheKey: cacheKey } } }),
  }),
};

const adaptive = { type: "adaptive", display: "summarized" } as const;

/**
 * Requests the chosen reasoning level, which includes a summary. If no level is chosen and the model is adaptive
 * (chooses its own level), requests only a summary.
 */
function claudeOptions(
  { level, reasoning }: OptionsRequest,
  providerOptions: ProviderOptions,
): CallOptions {
  if (level !== null && level !== "default") return { reasoning: level };
  if (reasoning?.adaptive === true) return { providerOptions };
  return level === null ? {} : { reasoning: "medium" };
}

function sdkLevel(level: ReasoningLevel | null): Pick<CallOptions, "reasoning"> {
  if (level === null) return {};
  return { reasoning: level === "default" ? "provider-default" : level };
}
