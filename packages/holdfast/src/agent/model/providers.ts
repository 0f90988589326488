import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";
import { AgentFailure } from "../agent.ts";
import { sdkModel } from "./ai-sdk.ts";
import type { ModelFacts } from "./catalog.ts";
import type { Model } from "./model.ts";
import type { ProviderOptions } from "./sdk-request.ts";

/** Where models come from: a provider's name, what it is called with, and the key that must not leak. */
export interface Provider {
  readonly name: string;
  readonly baseUrl: string | null;
  readonly key: string | null;
  /** Used when nobody names a model. */
  readonly defaultModel: string | null;
  /** What its models can do, where that is known better than the catalog knows it. */
  readonly facts?: ModelFacts;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The providers that the environment gives a key or an address for, best known first. */
export function providersOf(environment: Environment): readonly Provider[] {
  return kinds.flatMap((kind) => {
    const key = firstOf(environment, kind.keys);
    const baseUrl = firstOf(environment, kind.addresses);
    const configured = kind.keyless === true ? baseUrl !== null : key !== null;
    const { name, defaultModel } = kind;
    return configured
      ? [{ name, key, baseUrl: baseUrl ?? kind.baseUrl ?? null, defaultModel }]
      : [];
  });
}

/** The model of that name; throws an AgentFailure that says what is there instead. */
export function openModel(providers: readonly Provider[], wanted: string | null): Model {
  const id = wanted ?? defaultModel(providers);
  const slash = id?.indexOf("/") ?? -1;
  if (id === null || slash < 1) {
    throw new AgentFailure(
      "modelGone",
      id === null
        ? "no model is configured; name one as provider/model"
        : `${id} does not name a model; write it as provider/model`,
      { hold: { retryIn: null } },
    );
  }
  const provider = providers.find(({ name }) => name === id.slice(0, slash));
  const kind = kinds.find(({ name }) => name === provider?.name);
  if (provider === undefined || kind === undefined) {
    const known = providers.map(({ name }) => name).join(", ") || "none";
    const message = `no provider ${id.slice(0, slash)} is configured (configured: ${known})`;
    throw new AgentFailure("modelGone", message, { hold: { retryIn: null } });
  }
  const language = kind.open(provider, id.slice(slash + 1));
  return sdkModel({
    id,
    provider: provider.name,
    language,
    cacheMark: kind.cacheMark ?? null,
    providerOptions: kind.options ?? null,
    facts: provider.facts ?? null,
  });
}

export function defaultModel(providers: readonly Provider[]): string | null {
  const first = providers.find((provider) => provider.defaultModel !== null);
  return first === undefined ? null : `${first.name}/${first.defaultModel}`;
}

interface ProviderKind {
  readonly name: string;
  readonly keys: readonly string[];
  readonly addresses: readonly string[];
  readonly baseUrl?: string;
  readonly defaultModel: string | null;
  /** Needs an address and may do without a key: a server on this machine. */
  readonly keyless?: boolean;
  readonly cacheMark?: ProviderOptions;
  readonly options?: ProviderOptions;
  open(provider: Provider, model: string): LanguageModel;
}

const kinds: readonly ProviderKind[] = [
  {
    name: "anthropic",
    keys: ["ANTHROPIC_API_KEY"],
    addresses: ["ANTHROPIC_BASE_URL"],
    defaultModel: "claude-sonnet-4-5",
    cacheMark: { anthropic: { cacheControl: { type: "ephemeral" } } },
    open: (provider, model) => createAnthropic(settings(provider))(model),
  },
  {
    name: "openai",
    keys: ["OPENAI_API_KEY"],
    addresses: ["OPENAI_BASE_URL"],
    defaultModel: "gpt-5",
    // The log is what a session is kept in: nothing of it is to be looked up at the provider.
    options: { openai: { store: false } },
    open: (provider, model) => createOpenAI(settings(provider)).responses(model),
  },
  {
    name: "google",
    keys: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    addresses: ["GOOGLE_BASE_URL"],
    defaultModel: "gemini-2.5-pro",
    open: (provider, model) => createGoogle(settings(provider))(model),
  },
  {
    name: "openrouter",
    keys: ["OPENROUTER_API_KEY"],
    addresses: ["OPENROUTER_BASE_URL"],
    baseUrl: "https://openrouter.ai/api/v1",
    defaultModel: null,
    open: openCompatible,
  },
  {
    name: "ollama",
    keys: ["OLLAMA_API_KEY"],
    addresses: ["OLLAMA_BASE_URL"],
    keyless: true,
    defaultModel: null,
    open: openCompatible,
  },
  {
    name: "local",
    keys: ["HOLDFAST_API_KEY"],
    addresses: ["HOLDFAST_BASE_URL"],
    keyless: true,
    defaultModel: null,
    open: openCompatible,
  },
];

function openCompatible(provider: Provider, model: string): LanguageModel {
  const { name, baseUrl, key } = provider;
  return createOpenAICompatible({
    name,
    baseURL: baseUrl ?? "",
    includeUsage: true,
    ...(key === null ? {} : { apiKey: key }),
  })(model);
}

function settings(provider: Provider): { apiKey: string; baseURL?: string } {
  const { key, baseUrl } = provider;
  return { apiKey: key ?? "", ...(baseUrl === null ? {} : { baseURL: baseUrl }) };
}

function firstOf(environment: Environment, names: readonly string[]): string | null {
  for (const name of names) {
    const value = environment[name]?.trim();
    if (value !== undefined && value !== "") return value;
  }
  return null;
}
