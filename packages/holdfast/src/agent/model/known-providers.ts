import type { ModelFacts } from "./catalog.ts";

/** Where models come from: a provider's name, what it is called with, and the key that must not leak. */
export interface Provider {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string | null;
  /** Used when nobody names a model. */
  readonly defaultModel: string | null;
  /** Sent with each request; may hold secrets. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What it speaks; known by its name if left out. */
  readonly protocol?: Protocol;
  /** What a model of it can do, by its name, where that is known better than the catalog knows it. */
  readonly facts?: (model: string) => ModelFacts | null;
}

/** `compatible`: what OpenAI's first API has become for everybody else. */
export type Protocol = "anthropic" | "openai" | "google" | "compatible";

export function protocolOf({ name, protocol }: Pick<Provider, "name" | "protocol">): Protocol {
  const own = name === "anthropic" || name === "openai" || name === "google" ? name : "compatible";
  return protocol ?? own;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The providers that the environment gives a key or an address for, best known first. */
export function providersOf(environment: Environment): readonly Provider[] {
  return knownProviders.flatMap(({ name, keys, address, baseUrl, defaultModel }) => {
    const key = firstOf(environment, keys);
    const given = firstOf(environment, [address]) ?? baseUrl;
    // Without an address of its own it is a server somewhere, which may do without a key.
    if (given === null || (key === null && baseUrl !== null)) return [];
    return [{ name, key, baseUrl: given, defaultModel }];
  });
}

/** What the environment says of a provider's address, whether or not it has a key. */
export function addressIn(environment: Environment, name: string): string | null {
  const known = knownProviders.find((candidate) => candidate.name === name);
  return known === undefined ? null : firstOf(environment, [known.address]);
}

/** What is known of a provider by its name alone; nulls for one that is a server somewhere. */
export function usualProvider(name: string): Pick<KnownProvider, "baseUrl" | "defaultModel"> {
  const known = knownProviders.find((candidate) => candidate.name === name);
  return known ?? { baseUrl: null, defaultModel: null };
}

export function defaultModel(providers: readonly Provider[]): string | null {
  const first = providers.find((provider) => provider.defaultModel !== null);
  return first === undefined ? null : `${first.name}/${first.defaultModel}`;
}

/** Every key that the environment holds, also where nothing uses it, and passwords in addresses. */
export function secretsOf(environment: Environment): readonly string[] {
  return knownProviders.flatMap(({ keys, address }) => {
    const password = passwordIn(firstOf(environment, [address]) ?? "");
    const given = [...keys.map((name) => environment[name]?.trim() ?? ""), password];
    return given.filter((secret) => secret !== "");
  });
}

/** Empty where there is none. */
export function passwordIn(address: string): string {
  return decoded(URL.parse(address)?.password ?? "");
}

export type ProviderName = (typeof knownProviders)[number]["name"];

interface KnownProvider {
  readonly name: string;
  /** The variables that hold its key, the first that is set counts. */
  readonly keys: readonly [string, ...string[]];
  /** The variable that holds its address. */
  readonly address: string;
  /** Its own address; null where only the environment knows it. */
  readonly baseUrl: string | null;
  readonly defaultModel: string | null;
}

const knownProviders = [
  {
    name: "anthropic",
    keys: ["ANTHROPIC_API_KEY"],
    address: "ANTHROPIC_BASE_URL",
    baseUrl: "https://api.anthropic.com/v1",
    defaultModel: "claude-sonnet-4-5",
  },
  {
    name: "openai",
    keys: ["OPENAI_API_KEY"],
    address: "OPENAI_BASE_URL",
    baseUrl: "https://api.openai.com/v1",
    defaultModel: "gpt-5",
  },
  {
    name: "google",
    keys: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    address: "GOOGLE_BASE_URL",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    defaultModel: "gemini-2.5-pro",
  },
  {
    name: "openrouter",
    keys: ["OPENROUTER_API_KEY"],
    address: "OPENROUTER_BASE_URL",
    baseUrl: "https://openrouter.ai/api/v1",
    defaultModel: null,
  },
  {
    name: "ollama",
    keys: ["OLLAMA_API_KEY"],
    address: "OLLAMA_BASE_URL",
    baseUrl: null,
    defaultModel: null,
  },
  {
    name: "local",
    keys: ["HOLDFAST_API_KEY"],
    address: "HOLDFAST_BASE_URL",
    baseUrl: null,
    defaultModel: null,
  },
] as const satisfies readonly KnownProvider[];

/** The variable of each provider that is enough to connect it, for people to set. */
export const modelVariables: readonly { provider: ProviderName; variable: string }[] =
  knownProviders.map(({ name, keys, address, baseUrl }) => ({
    provider: name,
    variable: baseUrl === null ? address : keys[0],
  }));

/** A variable that is set to nothing is not set. */
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
