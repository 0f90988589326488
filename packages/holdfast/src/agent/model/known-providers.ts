import type { ModelFacts } from "./model-facts.ts";
import type { Catalogue } from "./catalogue/catalogue.ts";
import type { ServerFacts } from "./catalogue/server-facts.ts";
import { builtInCatalogue } from "./catalogue/read-catalogue.ts";
import {
  anthropicAddress,
  azureAddress,
  bedrockAddress,
  firstOf,
  googleAddress,
  vertexAddress,
} from "./platform-addresses.ts";
import { protocolNames } from "./protocol-names.ts";

/** A model provider. `key` is secret. */
export interface Provider {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string | null;
  /** Model to use if none is selected. */
  readonly defaultModel: string | null;
  /** HTTP headers of each request. They may contain secrets. */
  readonly headers?: Readonly<Record<string, string>>;
  /** API protocol. Default: derived from the provider's name. */
  readonly protocol?: Protocol;
  /** True: send the key as `Authorization: Bearer` instead of in the provider's own header. */
  readonly bearer?: true;
  /** True: the key is a token from a sign-in, which is stored and can be renewed. */
  readonly isSignedIn?: true;
  /**
   * Environment variables that the vendor's own tools read to find credentials, such as AWS_PROFILE. The values may
   * be secret.
   */
  readonly environment?: Environment;
  /**
   * Returns the properties of a model from the config, its server and the user's catalogue. Missing: use the built-in
   * catalogue.
   */
  readonly facts?: (model: string, server: ServerFacts | null) => ModelFacts;
}

/** API protocol or platform of a provider. */
export type Protocol = (typeof protocolNames)[number];

export function protocolOf({ name, protocol }: Pick<Provider, "name" | "protocol">): Protocol {
  return protocol ?? protocolNames.find((own) => own === name) ?? "compatible";
}

/**
 * True for a platform whose address depends on the user's account, so there is no default address. GitHub Copilot is a
 * platform too, but has a default address.
 */
export function isCloudPlatform(protocol: Protocol): boolean {
  return protocol === "azure" || protocol === "bedrock" || protocol === "vertex";
}

/**
 * Returns the environment variables that the vendor's own tools read to find credentials, or null if the protocol
 * has none.
 */
export function signInVariables(protocol: Protocol, environment: Environment): Environment | null {
  const pattern = variablePatterns[protocol];
  if (pattern === undefined) return null;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => pattern.test(name)));
}

const variablePatterns: Readonly<Partial<Record<Protocol, RegExp>>> = {
  bedrock: /^(?:AWS_\w+|HOME|USERPROFILE)$/,
  vertex: /^(?:GOOGLE_APPLICATION_CREDENTIALS|CLOUDSDK_CONFIG|GCE_METADATA_HOST|HOME|APPDATA)$/,
};

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the providers for which the environment contains a key or an address, most common first. `named`: providers
 * of the configured models. A cloud platform such as Bedrock needs no key if this machine has an account for it. Such
 * an account is usually meant for other programs, so the platform is returned only if it is in `named`.
 */
export function providersOf(
  environment: Environment,
  options: { readonly catalogue?: Catalogue; readonly named?: ReadonlySet<string> } = {},
): readonly Provider[] {
  const { catalogue, named = new Set() } = options;
  const rows: readonly KnownProvider[] = knownProviders;
  return rows.flatMap((known): readonly Provider[] => {
    const { name, keys, tokens = [], baseUrl } = known;
    const token = firstOf(environment, tokens);
    const key = token ?? firstOf(environment, keys);
    const given = addressOf(known, environment) ?? baseUrl;
    const needsAccount = isCloudPlatform(protocolOf({ name }));
    // A provider without a default address is the user's own server, which may need no key.
    const isOwnServer = baseUrl === null && given !== null && !needsAccount;
    if (key === null && !isOwnServer && !(needsAccount && named.has(name))) return [];
    if (given === null && !needsAccount) return [];
    const model = usualModel(name, catalogue);
    const provider = { name, key, baseUrl: given ?? "", defaultModel: model };
    return [token === null ? provider : { ...provider, bearer: true }];
  });
}

/** Returns the provider's address from the environment, even if no key is set. */
export function addressIn(
  environment: Environment,
  { name, protocol }: { readonly name: string; readonly protocol?: Protocol | null },
): string | null {
  const rows: readonly KnownProvider[] = knownProviders;
  const platform = protocol !== undefined && protocol !== null && isCloudPlatform(protocol);
  const known =
    rows.find((row) => row.name === name) ??
    (platform ? rows.find((row) => row.name === protocol) : undefined);
  return known === undefined ? null : addressOf(known, environment);
}

function addressOf(known: KnownProvider, environment: Environment): string | null {
  return known.addressFrom?.(environment) ?? firstOf(environment, [known.address]);
}

/** Returns the default address of a provider; null if the provider is unknown. */
export function usualAddress(name: string): string | null {
  return knownProviders.find((candidate) => candidate.name === name)?.baseUrl ?? null;
}

/** Returns the default model of a provider: the newest stable model of its families. Null: it has none. */
export function usualModel(name: string, catalogue?: Catalogue): string | null {
  const families = knownProviders.find((candidate) => candidate.name === name)?.families ?? [];
  return families.length === 0 ? null : (catalogue ?? builtInCatalogue()).newest(families);
}

export function isKnownProvider(name: string): boolean {
  return knownProviders.some((known) => known.name === name);
}

export function defaultModel(providers: readonly Provider[]): string | null {
  const first = providers.find((provider) => provider.defaultModel !== null);
  return first === undefined ? null : `${first.name}/${first.defaultModel}`;
}

/** Returns all keys in the environment, even unused ones, and passwords in addresses. */
export function secretsOf(environment: Environment): readonly string[] {
  const rows: readonly KnownProvider[] = knownProviders;
  return rows.flatMap(({ keys, tokens = [], secrets = [], address }) => {
    const password = passwordIn(firstOf(environment, [address]) ?? "");
    const names = [...tokens, ...keys, ...secrets];
    const given = [...names.map((name) => environment[name]?.trim() ?? ""), password];
    return given.filter((secret) => secret !== "");
  });
}

/** Returns the password of a URL, or an empty string. */
export function passwordIn(address: string): string {
  return address === "" ? "" : decoded(URL.parse(address)?.password ?? "");
}

export type ProviderName = (typeof knownProviders)[number]["name"];

interface KnownProvider {
  readonly name: string;
  /** Environment variables for the key. The first that is set is used. */
  readonly keys: readonly [string, ...string[]];
  /** Environment variables for a token that is sent as `Authorization: Bearer`. They take precedence over `keys`. */
  readonly tokens?: readonly string[];
  /** Environment variables with secrets other than `keys` and `tokens`, such as `AWS_SECRET_ACCESS_KEY`. */
  readonly secrets?: readonly string[];
  /** Name of the environment variable for the base URL of the provider's API. */
  readonly address: string;
  /**
   * Builds the base URL from environment variables. If this function is missing, the variable named by `address`
   * contains the base URL.
   */
  readonly addressFrom?: (environment: Environment) => string | null;
  /** Default address. Null: the address must come from the environment. */
  readonly baseUrl: string | null;
  /**
   * Model families from which the default model is chosen, in order of preference. Empty: people must select a model.
   * Never list a single model here, because every model is shut down some day.
   */
  readonly families: readonly string[];
}

const knownProviders = [
  {
    name: "anthropic",
    keys: ["ANTHROPIC_API_KEY"],
    tokens: ["ANTHROPIC_AUTH_TOKEN"],
    address: "ANTHROPIC_BASE_URL",
    addressFrom: anthropicAddress,
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
    keys: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY"],
    address: "GOOGLE_BASE_URL",
    addressFrom: googleAddress,
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
    name: "azure",
    keys: ["AZURE_OPENAI_API_KEY", "AZURE_API_KEY"],
    tokens: ["AZURE_OPENAI_AD_TOKEN"],
    address: "AZURE_OPENAI_ENDPOINT",
    addressFrom: azureAddress,
    baseUrl: null,
    families: [],
  },
  {
    name: "bedrock",
    keys: ["AWS_BEARER_TOKEN_BEDROCK"],
    secrets: ["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_CONTAINER_AUTHORIZATION_TOKEN"],
    address: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    addressFrom: bedrockAddress,
    baseUrl: null,
    families: [],
  },
  {
    name: "vertex",
    keys: ["GOOGLE_VERTEX_API_KEY"],
    address: "GOOGLE_VERTEX_BASE_URL",
    addressFrom: vertexAddress,
    baseUrl: null,
    families: [],
  },
  {
    name: "copilot",
    keys: ["COPILOT_GITHUB_TOKEN"],
    address: "COPILOT_API_URL",
    baseUrl: "https://api.githubcopilot.com",
    families: [],
  },
  service("groq", "GROQ", "https://api.groq.com/openai/v1"),
  service("mistral", "MISTRAL", "https://api.mistral.ai/v1"),
  service("xai", "XAI", "https://api.x.ai/v1"),
  service("deepseek", "DEEPSEEK", "https://api.deepseek.com/v1"),
  service("cerebras", "CEREBRAS", "https://api.cerebras.ai/v1"),
  service("together", "TOGETHER", "https://api.together.xyz/v1"),
  service("fireworks", "FIREWORKS", "https://api.fireworks.ai/inference/v1"),
  service("moonshot", "MOONSHOT", "https://api.moonshot.ai/v1"),
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

/** Lists the default model of each provider that has one. Used by automated checks. */
export function usualModels(catalogue?: Catalogue): readonly { provider: string; model: string }[] {
  return knownProviders.flatMap(({ name: provider }) => {
    const model = usualModel(provider, catalogue);
    return model === null ? [] : [{ provider, model }];
  });
}

/** For each provider, the environment variable that connects it. Shown in help texts. */
export const modelVariables: readonly { provider: ProviderName; variable: string }[] =
  knownProviders.map(({ name, keys, address, baseUrl }) => ({
    provider: name,
    variable: baseUrl === null && !isCloudPlatform(protocolOf({ name })) ? address : keys[0],
  }));

/** Defines a service with the OpenAI-compatible chat API. */
function service<Name extends string>(
  name: Name,
  prefix: string,
  baseUrl: string,
): KnownProvider & { readonly name: Name } {
  const keys = [`${prefix}_API_KEY`] as const;
  return { name, keys, address: `${prefix}_BASE_URL`, baseUrl, families: [] };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
