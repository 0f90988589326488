import type { ModelFacts } from "./catalog.ts";
import type { Catalogue } from "./catalogue/catalogue.ts";
import type { ServerFacts } from "./catalogue/server-facts.ts";
import { builtInCatalogue } from "./catalogue/read-catalogue.ts";

/** A provider of models. `key` is secret. */
export interface Provider {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string | null;
  /** Model to use if no model is named. */
  readonly defaultModel: string | null;
  /** HTTP headers of each request. They may contain secrets. */
  readonly headers?: Readonly<Record<string, string>>;
  /** API protocol. Default: derived from the name. */
  readonly protocol?: Protocol;
  /** Properties of a model, from the config, its server and the user's catalogue. Missing: from the built-in one. */
  readonly facts?: (model: string, server: ServerFacts | null) => ModelFacts;
}

/** `compatible`: the OpenAI-compatible chat API. */
export type Protocol = "anthropic" | "openai" | "google" | "compatible";

export function protocolOf({ name, protocol }: Pick<Provider, "name" | "protocol">): Protocol {
  const own = name === "anthropic" || name === "openai" || name === "google" ? name : "compatible";
  return protocol ?? own;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the providers for which the environment has a key or an address, most common first. */
export function providersOf(environment: Environment, catalogue?: Catalogue): readonly Provider[] {
  return knownProviders.flatMap(({ name, keys, address, baseUrl }) => {
    const key = firstOf(environment, keys);
    const given = firstOf(environment, [address]) ?? baseUrl;
    // A provider without a default address is a custom server, which may need no key.
    if (given === null || (key === null && baseUrl !== null)) return [];
    return [{ name, key, baseUrl: given, defaultModel: usualModel(name, catalogue) }];
  });
}

/** Returns the address from the environment, even if no key is set. */
export function addressIn(environment: Environment, name: string): string | null {
  const known = knownProviders.find((candidate) => candidate.name === name);
  return known === undefined ? null : firstOf(environment, [known.address]);
}

/** Returns the default address of a provider. Null for an unknown provider. */
export function usualAddress(name: string): string | null {
  return knownProviders.find((candidate) => candidate.name === name)?.baseUrl ?? null;
}

/** Returns the default model of a provider: the newest stable one of its families. Null: it has none. */
export function usualModel(name: string, catalogue?: Catalogue): string | null {
  const families = knownProviders.find((candidate) => candidate.name === name)?.families ?? [];
  return families.length === 0 ? null : (catalogue ?? builtInCatalogue()).newest(families);
}

export function defaultModel(providers: readonly Provider[]): string | null {
  const first = providers.find((provider) => provider.defaultModel !== null);
  return first === undefined ? null : `${first.name}/${first.defaultModel}`;
}

/** Returns all keys in the environment, even unused ones, and passwords in addresses. */
export function secretsOf(environment: Environment): readonly string[] {
  return knownProviders.flatMap(({ keys, address }) => {
    const password = passwordIn(firstOf(environment, [address]) ?? "");
    const given = [...keys.map((name) => environment[name]?.trim() ?? ""), password];
    return given.filter((secret) => secret !== "");
  });
}

/** Returns the password of a URL, or an empty string. */
export function passwordIn(address: string): string {
  return decoded(URL.parse(address)?.password ?? "");
}

export type ProviderName = (typeof knownProviders)[number]["name"];

interface KnownProvider {
  readonly name: string;
  /** Environment variables for the key. The first one that is set counts. */
  readonly keys: readonly [string, ...string[]];
  /** Environment variable for the address. */
  readonly address: string;
  /** Default address. Null: the address must come from the environment. */
  readonly baseUrl: string | null;
  /**
   * Model families of the catalogue for the default model, most wanted first. Empty: people must name a model. Never
   * name a model here, because every model ends.
   */
  readonly families: readonly string[];
}

const knownProviders = [
  {
    name: "anthropic",
    keys: ["ANTHROPIC_API_KEY"],
    address: "ANTHROPIC_BASE_URL",
    baseUrl: "https://api.anthropic.com/v1",
    families: ["claude-sonnet"],
  },
  {
    name: "openai",
    keys: ["OPENAI_API_KEY"],
    address: "OPENAI_BASE_URL",
    baseUrl: "https://api.openai.com/v1",
    families: ["gpt-sol"],
  },
  {
    name: "google",
    keys: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    address: "GOOGLE_BASE_URL",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    families: ["gemini-flash"],
  },
  {
    name: "openrouter",
    keys: ["OPENROUTER_API_KEY"],
    address: "OPENROUTER_BASE_URL",
    baseUrl: "https://openrouter.ai/api/v1",
    families: [],
  },
  {
    name: "ollama",
    keys: ["OLLAMA_API_KEY"],
    address: "OLLAMA_BASE_URL",
    baseUrl: null,
    families: [],
  },
  {
    name: "local",
    keys: ["HOLDFAST_API_KEY"],
    address: "HOLDFAST_BASE_URL",
    baseUrl: null,
    families: [],
  },
] as const satisfies readonly KnownProvider[];

/** The default model of each provider that has one, for checks. */
export function usualModels(catalogue?: Catalogue): readonly { provider: string; model: string }[] {
  return knownProviders.flatMap(({ name: provider }) => {
    const model = usualModel(provider, catalogue);
    return model === null ? [] : [{ provider, model }];
  });
}

/** The variable of each provider that is enough to connect it, for help texts. */
export const modelVariables: readonly { provider: ProviderName; variable: string }[] =
  knownProviders.map(({ name, keys, address, baseUrl }) => ({
    provider: name,
    variable: baseUrl === null ? address : keys[0],
  }));

/** Treats an empty variable as not set. */
function firstOf(environment: Environment, names: readonly string[]): string | null {
  const values = names.map((name) => environment[name]?.trim() ?? "");
  return values.find((value) => value !== "") ?? null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
