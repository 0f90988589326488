// oxlint-disable-next-line import/no-unassigned-import -- before the packages below look at it
import "./sdk-environment.ts";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { sdkModel } from "./ai-sdk.ts";
import { findModel } from "./find-model.ts";
import { protocolOf } from "./known-providers.ts";
import type { Protocol, Provider } from "./known-providers.ts";
import type { Model } from "./model.ts";
import type { ProviderOptions } from "./sdk-request.ts";

/** The model of that name; throws an AgentFailure that says what is there instead. */
export function openModel(
  providers: readonly Provider[],
  wanted: string | null,
  options: { readonly fetch?: typeof fetch } = {},
): Model {
  const { id, provider, name: model } = findModel(providers, wanted);
  const { name } = provider;
  const protocol = protocols[protocolOf(provider)];
  const { cacheMark = null, options: providerOptions = null } = protocol;
  const language = protocol.open({ name, model, settings: { ...settings(provider), ...options } });
  const facts = provider.facts?.(model) ?? null;
  return sdkModel({ id, provider: name, language, cacheMark, providerOptions, facts });
}

interface ProviderProtocol {
  readonly cacheMark?: ProviderOptions;
  readonly options?: ProviderOptions;
  open(parts: { name: string; model: string; settings: Settings }): LanguageModelV4;
}

interface Settings {
  readonly baseURL: string;
  readonly apiKey?: string;
  readonly headers?: Record<string, string>;
  readonly fetch?: typeof fetch;
}

const protocols: Readonly<Record<Protocol, ProviderProtocol>> = {
  anthropic: {
    cacheMark: { anthropic: { cacheControl: { type: "ephemeral" } } },
    open: ({ settings: given, model }) => createAnthropic({ apiKey: "", ...given })(model),
  },
  openai: {
    // The log is what a session is kept in: nothing of it is to be looked up at the provider.
    options: { openai: { store: false } },
    open: ({ settings: given, model }) => createOpenAI({ apiKey: "", ...given }).responses(model),
  },
  google: {
    open: ({ settings: given, model }) => createGoogle({ apiKey: "", ...given })(model),
  },
  compatible: {
    open: ({ name, settings: given, model }) =>
      createOpenAICompatible({ name, includeUsage: true, ...given })(model),
  },
};

/** All of it is given: what is left out, the SDK would look up in the environment by itself. */
function settings({ key, baseUrl, headers }: Provider): Settings {
  return {
    baseURL: baseUrl,
    ...(key === null ? {} : { apiKey: key }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
  };
}
