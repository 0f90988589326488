import { factsOf } from "../../agent/model/model-facts.ts";
import type { ModelFacts } from "../../agent/model/model-facts.ts";
import type { Catalogue } from "../../agent/model/catalogue/catalogue.ts";
import { withServer } from "../../agent/model/catalogue/server-facts.ts";
import {
  addressIn,
  isCloudPlatform,
  protocolOf,
  providersOf,
  signInVariables,
  usualAddress,
  usualModel,
} from "../../agent/model/known-providers.ts";
import type { Environment, Provider } from "../../agent/model/known-providers.ts";
import type { ModelConfig, ProviderConfig } from "../config/config.ts";
import type { Credential } from "./credentials.ts";

export interface ProviderSources {
  readonly environment: Environment;
  readonly credentials: ReadonlyMap<string, Credential>;
  readonly config: ReadonlyMap<string, ProviderConfig>;
  /** Model catalogue to use. Missing or null: the built-in catalogue. */
  readonly catalogue?: Catalogue | null;
  /** Names of the providers that the configured models use. */
  readonly named?: ReadonlySet<string>;
}

/** A configured provider and the source of its key. */
export interface SourcedProvider {
  readonly provider: Provider;
  readonly status: "connected" | "disconnected";
  /** Source of the key. Null if there is no key. */
  readonly source: "environment" | "file" | "config" | null;
  /** All settings as text, including secrets. Equal texts mean an unchanged provider. */
  readonly settings: string;
}

/**
 * Merges all configured providers field by field. The config overrides `connect`, and `connect` overrides the
 * environment.
 */
export function mergeProviders(sources: ProviderSources): readonly SourcedProvider[] {
  const catalogue = sources.catalogue ?? undefined;
  const fromEnvironment = new Map(
    providersOf(sources.environment, {
      ...(catalogue === undefined ? {} : { catalogue }),
      ...(sources.named === undefined ? {} : { named: sources.named }),
    }).map((provider) => [provider.name, provider]),
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
    const own = fromEnvironment.get(name);
    // A stored connection also decides which key is used: if people connected an address without a key, no key is used.
    // The key from the environment is used only if `keyFrom` says so, or if no connection is stored.
    const keyed = connected?.keyFrom === "environment" ? undefined : connected;
    const stored = keyed === undefined ? (own?.key ?? null) : keyed.key;
    const key = config?.key ?? stored;
    const protocol = config?.protocol ?? connected?.protocol ?? null;
    const address =
      config?.baseUrl ??
      connected?.baseUrl ??
      addressIn(sources.environment, { name, protocol }) ??
      null;
    const baseUrl = address ?? usualAddress(name);
    const spoken = protocolOf(protocol === null ? { name } : { name, protocol });
    const variables = signInVariables(spoken, sources.environment);
    const status = credential?.status === "disconnected" ? "disconnected" : "connected";
    // False if the address is unknown, or if the service needs a key and there is none.
    const isUsable =
      isCloudPlatform(spoken) || (baseUrl !== null && (key !== null || address !== null));
    if (!isUsable && status === "connected") return [];
    const provider: Provider = {
      name,
      key,
      baseUrl: baseUrl ?? "",
      defaultModel: config?.defaultModel ?? connected?.defaultModel ?? usualModel(name, catalogue),
      ...(protocol === null ? {} : { protocol }),
      ...(variables === null || key !== null ? {} : { environment: variables }),
      ...accessOf({ key, own, connected: keyed }),
      ...(config === undefined ? {} : { headers: config.headers }),
      facts: factsFor(name, { catalogue, config }),
    };
    const where = keyed === undefined ? "environment" : "file";
    const source = key === null ? null : key === config?.key ? "config" : where;
    const known = [catalogue?.source, catalogue?.generated, [...(config?.models ?? [])]];
    const settings = JSON.stringify([provider, known]);
    return [{ provider, status, source, settings }];
  });
}

/**
 * Returns how the key is sent and whether it can be renewed. A key from the config is sent in the provider's usual
 * header and never renewed.
 */
function accessOf(found: {
  readonly key: string | null;
  readonly own: Provider | undefined;
  readonly connected: Extract<Credential, { status: "connected" }> | undefined;
}): Pick<Provider, "bearer" | "isSignedIn"> {
  const { key, own, connected } = found;
  if (key === null) return {};
  if (connected === undefined) {
    return own?.bearer === true && key === own.key ? { bearer: true } : {};
  }
  return (connected.signIn ?? null) !== null && key === connected.key ? { isSignedIn: true } : {};
}

/** Returns a function that looks up model properties. The config overrides the server, and the server the catalogue. */
function factsFor(
  name: string,
  { catalogue, config }: { catalogue: Catalogue | undefined; config: ProviderConfig | undefined },
): NonNullable<Provider["facts"]> {
  return (model, server) => {
    const facts = withServer(factsOf(`${name}/${model}`, catalogue), server);
    const given = config?.models.get(model);
    return given === undefined ? facts : factsWith(facts, given);
  };
}

function factsWith(facts: ModelFacts, given: ModelConfig): ModelFacts {
  const { limits, accepts, price } = facts;
  const images = given.images ?? accepts.images;
  const context = given.context ?? limits.context;
  // Without a configured output limit, use at most half of the context window, so that the input has room.
  const output = given.output ?? Math.min(limits.output, Math.floor(context / 2));
  return {
    ...facts,
    limits: { context, output },
    accepts: { images, documents: accepts.documents && images },
    source: given.context === null ? facts.source : "config",
    wish: given.wish,
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
