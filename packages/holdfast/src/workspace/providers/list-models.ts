import { askServer } from "../../agent/model/ask-server.ts";
import { factsOf } from "../../agent/model/model-facts.ts";
import type { ModelFacts, Price } from "../../agent/model/model-facts.ts";
import type { Catalogue, ReasoningLevel } from "../../agent/model/catalogue/catalogue.ts";
import { endOfLifeOf } from "../../agent/model/catalogue/end-of-life.ts";
import { builtInCatalogue } from "../../agent/model/catalogue/read-catalogue.ts";
import type { ServerFacts } from "../../agent/model/catalogue/server-facts.ts";
import { usualAddress, usualModel } from "../../agent/model/known-providers.ts";
import type { Provider } from "../../agent/model/known-providers.ts";
import { offerOf } from "../../agent/model/offer.ts";
import type { Choice } from "../load/loader.ts";

export interface ModelQuery {
  /** Words that the model name must contain. Empty: every model. */
  readonly search: string;
  /** Null: every connected provider. */
  readonly provider: string | null;
  /** True: include models of the catalogue whose provider is not connected, and models that have been shut down. */
  readonly all: boolean;
  readonly limit: number;
}

export interface ModelList {
  readonly items: readonly ListedModel[];
  /** Number of matching models before the limit is applied. */
  readonly total: number;
  /** The default model. */
  readonly model: string | null;
  /** Providers whose models could not be listed, with the reason. */
  readonly problems: readonly { readonly provider: string; readonly message: string }[];
  readonly catalogue: { readonly source: string; readonly generated: string };
}

export interface ListedModel {
  /** `provider/model`. */
  readonly id: string;
  readonly provider: string;
  /** Display name. Null: unknown. */
  readonly name: string | null;
  readonly isConnected: boolean;
  readonly context: number;
  readonly output: number;
  readonly images: boolean;
  readonly tools: boolean;
  readonly reasoning: readonly ReasoningLevel[];
  readonly price: Required<Omit<Price, "tiers">> | null;
  readonly endOfLife: string | null;
  /** Warning if the model was shut down or will be soon. */
  readonly warning: string | null;
  readonly source: ModelFacts["source"];
}

interface ListOptions {
  readonly now: number;
  /** Timeout in milliseconds for each server. */
  readonly timeout: number;
}

/**
 * Lists the models of the connected providers. Queries their servers, or reads the catalogue for vendors that it
 * covers.
 */
export async function listModels(
  choice: Choice,
  query: ModelQuery,
  options: ListOptions,
): Promise<ModelList> {
  const catalogue = choice.catalogue ?? builtInCatalogue();
  const connected = choice.providers.flatMap(({ provider, status }) =>
    status === "connected" ? [provider] : [],
  );
  const wanted = connected.filter(({ name }) => query.provider === null || query.provider === name);
  const offers = await Promise.all(
    wanted.map((provider) => modelsOf(provider, { catalogue, chosen: choice.chosen, ...options })),
  );
  const listed = offers.flatMap(({ models }) => models);
  const names = new Set(connected.map(({ name }) => name));
  const others = query.all ? unconnected(catalogue, names, options.now) : [];
  const shown = [...listed, ...others.filter((model) => isOf(model, query.provider))].filter(
    (model) =>
      matches(model, query.search) && (query.all || model.id === choice.chosen || isAlive(model)),
  );
  return {
    items: shown.slice(0, query.limit),
    total: shown.length,
    model: choice.chosen,
    problems: offers.flatMap(({ problem, provider }) =>
      problem === null ? [] : [{ provider, message: problem }],
    ),
    catalogue: { source: catalogue.source, generated: catalogue.generated },
  };

  /** True unless the model has been shut down. A model that its server lists counts as available. */
  function isAlive({ endOfLife, provider }: ListedModel): boolean {
    const isStated = wanted.some((each) => each.name === provider && isAsked(each));
    return isStated || endOfLife === null || Date.parse(endOfLife) > options.now;
  }
}

interface ProviderOffer {
  readonly provider: string;
  readonly models: readonly ListedModel[];
  readonly problem: string | null;
}

async function modelsOf(
  provider: Provider,
  options: ListOptions & { readonly catalogue: Catalogue; readonly chosen: string | null },
): Promise<ProviderOffer> {
  const { catalogue, chosen, timeout, now } = options;
  const prefix = `${provider.name}/`;
  const own = [
    provider.defaultModel,
    chosen?.startsWith(prefix) ? chosen.slice(prefix.length) : null,
  ];
  const offer = isAsked(provider) ? await statedModels(provider, timeout) : null;
  const names = offer === null ? namesFrom(catalogue, provider.name) : [...offer.facts.keys()];
  const all = new Set([...own.filter((name) => name !== null), ...names]);
  const models = [...all].map((name) => {
    const stated = offer?.facts.get(name) ?? null;
    const id = `${prefix}${name}`;
    const facts = provider.facts?.(name, stated) ?? factsOf(id, catalogue);
    return describe(id, { facts, catalogue, provider: provider.name, isConnected: true, now });
  });
  return { provider: provider.name, models, problem: offer?.problem ?? null };
}

/**
 * Whether to request the list of models from the provider's server. A vendor's own server lists no more models than the
 * catalogue, so Holdfast does not send it the API key.
 */
function isAsked({ name, baseUrl }: Provider): boolean {
  return usualModel(name) === null || baseUrl !== usualAddress(name);
}

async function statedModels(
  provider: Provider,
  timeout: number,
): Promise<{ facts: ReadonlyMap<string, ServerFacts>; problem: string | null }> {
  const { facts, server, problem, models } = await offerOf(provider, { timeout });
  const message = problem?.message ?? null;
  if (server !== "ollama") return { facts, problem: message };
  const asked = await Promise.all(
    models.slice(0, mostAsked).map(async (name): Promise<[string, ServerFacts | null]> => {
      return [name, await askServer(provider, name, { timeout, loadTimeout: 0 })];
    }),
  );
  const known = asked.flatMap(([name, each]) => (each === null ? [] : [[name, each] as const]));
  return { facts: new Map([...facts, ...known]), problem: message };
}

/** Maximum number of models to query: Ollama needs one request per model. */
const mostAsked = 50;

function namesFrom(catalogue: Catalogue, provider: string): readonly string[] {
  return [...catalogue.models].flatMap(([name, { from }]) => (from === provider ? [name] : []));
}

function unconnected(
  catalogue: Catalogue,
  connected: ReadonlySet<string>,
  now: number,
): readonly ListedModel[] {
  return [...catalogue.models].flatMap(([name, { from }]) => {
    if (connected.has(from)) return [];
    const id = `${from}/${name}`;
    const facts = factsOf(id, catalogue);
    return [describe(id, { facts, catalogue, provider: from, isConnected: false, now })];
  });
}

function describe(
  id: string,
  model: {
    readonly facts: ModelFacts;
    readonly catalogue: Catalogue;
    readonly provider: string;
    readonly isConnected: boolean;
    readonly now: number;
  },
): ListedModel {
  const { facts, catalogue, provider, isConnected, now } = model;
  const { limits, accepts, tools, reasoning, price, endOfLife, source } = facts;
  const found = catalogue.find(id);
  const newest = found === null ? null : catalogue.newest([found.model.family]);
  const successor = newest === found?.key ? null : newest;
  return {
    id,
    provider,
    name: found?.isExact === true ? found.model.name : null,
    isConnected,
    ...limits,
    images: accepts.images,
    tools,
    reasoning: reasoning ?? [],
    price: price === null ? null : plainPrice(price),
    endOfLife,
    warning: endOfLifeOf({ id, endOfLife, successor }, now)?.message ?? null,
    source,
  };
}

function plainPrice({
  input,
  output,
  cachedInput,
  cacheWrite = input,
}: Price): ListedModel["price"] {
  return { input, output, cachedInput, cacheWrite };
}

function isOf({ provider }: ListedModel, wanted: string | null): boolean {
  return wanted === null || wanted === provider;
}

function matches({ id, name }: ListedModel, search: string): boolean {
  const text = `${id} ${name ?? ""}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
