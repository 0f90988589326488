// oxlint-disable-next-line import/no-unassigned-import -- before the packages below look at it
import "./sdk-environment.ts";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { AgentFailure } from "../agent.ts";
import { sdkModel } from "./ai-sdk.ts";
import { defaultModel } from "./known-providers.ts";
import type { Provider, ProviderName } from "./known-providers.ts";
import type { Model } from "./model.ts";
import type { ProviderOptions } from "./sdk-request.ts";

/** The model of that name; throws an AgentFailure that says what is there instead. */
export function openModel(providers: readonly Provider[], wanted: string | null): Model {
  const id = wanted ?? defaultModel(providers);
  if (id === null) throw gone("no model is configured; name one as provider/model");
  const slash = id.indexOf("/");
  if (slash < 1 || slash === id.length - 1) {
    throw gone(`${id} does not name a model; write it as provider/model`);
  }
  const provider = providers.find(({ name }) => name === id.slice(0, slash));
  if (provider === undefined || !isKnown(provider.name)) {
    const known = providers.map(({ name }) => name).join(", ") || "none";
    throw gone(`no provider ${id.slice(0, slash)} is configured (configured: ${known})`);
  }
  const { name, baseUrl, facts = null } = provider;
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "")) {
    throw gone(`the address of ${name} is no http address; write it as http://host:port/v1`);
  }
  const protocol = protocols[provider.name];
  const { cacheMark = null, options: providerOptions = null } = protocol;
  const language = protocol.open(provider, id.slice(slash + 1));
  return sdkModel({ id, provider: name, language, cacheMark, providerOptions, facts });
}

/** The next prompt would fail alike, until somebody changes what is configured (L4). */
function gone(message: string): AgentFailure {
  return new AgentFailure("modelGone", message, { hold: { retryIn: null } });
}

interface ProviderProtocol {
  readonly cacheMark?: ProviderOptions;
  readonly options?: ProviderOptions;
  open(provider: Provider, model: string): LanguageModelV4;
}

const compatible: ProviderProtocol = {
  open: (provider, model) =>
    createOpenAICompatible({ name: provider.name, includeUsage: true, ...settings(provider) })(
      model,
    ),
};

const protocols: Readonly<Record<ProviderName, ProviderProtocol>> = {
  anthropic: {
    cacheMark: { anthropic: { cacheControl: { type: "ephemeral" } } },
    open: (provider, model) => createAnthropic({ apiKey: "", ...settings(provider) })(model),
  },
  openai: {
    // The log is what a session is kept in: nothing of it is to be looked up at the provider.
    options: { openai: { store: false } },
    open: (provider, model) => createOpenAI({ apiKey: "", ...settings(provider) }).responses(model),
  },
  google: {
    open: (provider, model) => createGoogle({ apiKey: "", ...settings(provider) })(model),
  },
  openrouter: compatible,
  ollama: compatible,
  local: compatible,
};

function isKnown(name: string): name is ProviderName {
  return Object.hasOwn(protocols, name);
}

/** All of it is given: what is left out, the SDK would look up in the environment by itself. */
function settings({ key, baseUrl }: Provider): { baseURL: string; apiKey?: string } {
  return { baseURL: baseUrl, ...(key === null ? {} : { apiKey: key }) };
}
