import { factsOf } from "../../agent/model/catalog.ts";
import type { ModelFacts } from "../../agent/model/catalog.ts";
import { addressIn, providersOf, usualProvider } from "../../agent/model/known-providers.ts";
import type { Environment, Provider } from "../../agent/model/known-providers.ts";
import type { ModelConfig, ProviderConfig } from "../config/config.ts";
import type { Credential } from "./credentials.ts";

export interface ProviderSources {
  readonly environment: Environment;
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly config: ReadonlyMap<string, ProviderConfig>;
}

/** A configured provider and the source of its key. */
export interface SourcedProvider {
  readonly provider: Provider;
  readonly status: "connected" | "disconnected";
  /** Source of the key. Null if there is no key. */
  readonly source: "environment" | "file" | "config" | null;
  /** All settings as text, including secrets. Equal texts mean the same provider. */
  readonly settings: string;
}

/** Merges all configured providers, field by field: the config first, then `connect`, then the environment. */
export function mergeProviders(sources: ProviderSources): readonly SourcedProvider[] {
  const fromEnvironment = new Map(
    providersOf(sources.environment).map((provider) => [provider.name, provider]),
  );
  const names = new Set([
    ...sources.config.keys(),
    ...sources.credentials.keys(),
    ...fromEnvironment.keys(),
  ]);
  return [...names].flatMap((name) => {
    const config = sources.config.get(name);
    const credential = sources.credentials.get(name);
    const connected = credential?.status === "connected" ? credential : undefined;
    const usual = usualProvider(name);
    const own = fromEnvironment.get(name);
    // `connect` replaces the environment as a whole: an address without a key gets no key from the environment.
    const known = connected === undefined ? (own?.key ?? null) : connected.key;
    const key = config?.key ?? known;
    const address =
      config?.baseUrl ?? connected?.baseUrl ?? addressIn(sources.environment, name) ?? null;
    const baseUrl = address ?? usual.baseUrl;
    const protocol = config?.protocol ?? connected?.protocol ?? null;
    const status = credential?.status === "disconnected" ? "disconnected" : "connected";
    // Not usable: the address is unknown, or the service needs a key and there is none.
    const isUsable = baseUrl !== null && (key !== null || address !== null);
    if (!isUsable && status === "connected") return [];
    const provider: Provider = {
      name,
      key,
      baseUrl: baseUrl ?? "",
      defaultModel: config?.defaultModel ?? connected?.defaultModel ?? usual.defaultModel,
      ...(protocol === null ? {} : { protocol }),
      ...(config === undefined ? {} : configured(name, config)),
    };
    const where = connected === undefined ? "environment" : "file";
    const source = key === null ? null : key === config?.key ? "config" : where;
    const settings = JSON.stringify([provider, [...(config?.models ?? [])]]);
    return [{ provider, status, source, settings }];
  });
}

function configured(
  provider: string,
  { headers, models }: ProviderConfig,
): Pick<Provider, "headers" | "facts"> {
  return {
    headers,
    facts: (name) => {
      const known = models.get(name);
      return known === undefined ? null : factsWith(factsOf(`${provider}/${name}`), known);
    },
  };
}

function factsWith(facts: ModelFacts, given: ModelConfig): ModelFacts {
  const { limits, accepts, price } = facts;
  const images = given.images ?? accepts.images;
  const context = given.context ?? limits.context;
  // If only a small context is configured, limit the output so that there is room for the input.
  const output = given.output ?? Math.min(limits.output, Math.floor(context / 2));
  return {
    limits: { context, output },
    accepts: { images, documents: accepts.documents && images },
    price:
      given.price === null
        ? price
        : {
            input: given.price.input,
            cachedInput: given.price.cachedInput ?? given.price.input,
            cacheWrite: given.price.cacheWrite ?? given.price.input,
            output: given.price.output,
          },
  };
}
