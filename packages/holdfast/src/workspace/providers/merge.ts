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

/** A provider that is known of, and who has made it so. */
export interface SourcedProvider {
  readonly provider: Provider;
  readonly status: "connected" | "disconnected";
  /** Where its key comes from; null when it has none. */
  readonly source: "environment" | "file" | "config" | null;
  /** All that its models are called with, secrets included: the same text is the same provider. */
  readonly settings: string;
}

/**
 * All providers that somebody has configured. What was said more deliberately counts first, field by
 * field and in the order of the list: a config, then what was connected, then the environment.
 */
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
    // Connecting is a whole statement: an address given with no key gets none from the environment.
    const known = connected === undefined ? (own?.key ?? null) : connected.key;
    const key = config?.key ?? known;
    const address =
      config?.baseUrl ?? connected?.baseUrl ?? addressIn(sources.environment, name) ?? null;
    const baseUrl = address ?? usual.baseUrl;
    const protocol = config?.protocol ?? connected?.protocol ?? null;
    const status = credential?.status === "disconnected" ? "disconnected" : "connected";
    // Nobody has said where it is, or it is a service that wants a key and there is none.
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
  // Where only the context is known to be small, an answer must leave room for what it answers.
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
