import { record, statedIn } from "./catalogue/server-facts.ts";
import type { ServerFacts } from "./catalogue/server-facts.ts";
import { openTransport } from "./access/transport.ts";
import type { TransportOptions } from "./access/transport.ts";
import { protocolOf } from "./known-providers.ts";
import type { Protocol, Provider } from "./known-providers.ts";
import { ModelError } from "./model.ts";
import { azureTarget } from "./platform.ts";

/** A provider's list of models, or the reason why it could not be read. */
export interface Offer {
  /** Model names without the provider prefix. Empty if there is a problem. */
  readonly models: readonly string[];
  /** Properties of the models, by model name, as the provider's server reports them. */
  readonly facts: ReadonlyMap<string, ServerFacts>;
  /** Kind of the server, if its model list reveals it. */
  readonly server: "ollama" | null;
  readonly problem: OfferProblem | null;
}

export interface OfferProblem {
  /** `noList`: the provider responds, but does not list its models. */
  readonly kind: "badKey" | "noList" | "trouble";
  /** Message for people, without the provider's name. */
  readonly message: string;
}

/** Requests the list of models. The request is free of charge and checks the key. */
export async function offerOf(
  provider: Provider,
  options: TransportOptions & { readonly timeout: number },
): Promise<Offer> {
  const { timeout } = options;
  const { url } = requests[protocolOf(provider)];
  try {
    const { fetch: send } = await openTransport(provider, options);
    const response = await send(url(provider.baseUrl.replace(/\/+$/, "")), {
      headers: offerHeaders(provider),
      signal: AbortSignal.timeout(timeout),
    });
    const { status } = response;
    if (response.ok) return listed(await response.json());
    await response.body?.cancel();
    if (status === 401 || status === 403) {
      const what =
        provider.key === null
          ? "the provider requires an API key"
          : "the provider rejected the API key";
      return failed("badKey", `${what} (HTTP ${status})`);
    }
    return failed(
      status === 404 || status === 405 ? "noList" : "trouble",
      `the provider does not list its models (HTTP ${status})`,
    );
  } catch (error) {
    if (error instanceof ModelError) {
      return failed(error.kind === "badKey" ? "badKey" : "trouble", error.message);
    }
    if (error instanceof SyntaxError)
      return failed("noList", "the provider's list of models is not JSON");
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return failed(
      "trouble",
      isLate
        ? `the provider did not answer within ${timeout / 1_000} s`
        : "the provider cannot be reached",
    );
  }
}

/** Returns the headers of the request for the model list. */
export function offerHeaders({ key, headers, ...provider }: Provider): Record<string, string> {
  const own = key === null ? {} : requests[protocolOf(provider)].headers(key);
  return { ...own, ...headers };
}

interface OfferRequest {
  readonly url: (baseUrl: string) => string;
  readonly headers: (key: string) => Record<string, string>;
}

const bearer: OfferRequest = {
  url: (baseUrl) => `${baseUrl}/models`,
  headers: (key) => ({ authorization: `Bearer ${key}` }),
};

const requests: Readonly<Record<Protocol, OfferRequest>> = {
  anthropic: {
    url: (baseUrl) => `${baseUrl}/models?limit=1000`,
    headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  },
  openai: bearer,
  google: {
    url: (baseUrl) => `${baseUrl}/models?pageSize=1000`,
    headers: (key) => ({ "x-goog-api-key": key }),
  },
  compatible: bearer,
  azure: { ...bearer, url: azureModels },
  bedrock: { ...bearer, url: bedrockModels },
  vertex: { ...bearer, url: vertexModels },
  copilot: bearer,
};

function azureModels(baseUrl: string): string {
  const { root, isVersioned } = azureTarget(baseUrl);
  return isVersioned ? `${root}/openai/models` : `${root}/openai/v1/models`;
}

/** AWS lists models on the host of its control plane. */
function bedrockModels(baseUrl: string): string {
  return `${baseUrl.replace("://bedrock-runtime", "://bedrock")}/foundation-models`;
}

/** Google lists models independently of the project. */
function vertexModels(baseUrl: string): string {
  return `${baseUrl.replace(/\/projects\/.*$/, "")}/publishers/google/models?pageSize=200`;
}

function failed(kind: OfferProblem["kind"], message: string): Offer {
  return { models: [], facts: new Map(), server: null, problem: { kind, message } };
}

/** Reads a model list: `data` with ids (most providers), or a list with names (Google) or model ids (AWS). */
function listed(answer: unknown): Offer {
  const { data, models, publisherModels, modelSummaries } = record(answer);
  const entries = [data, models, publisherModels, modelSummaries].find(Array.isArray) ?? [];
  const facts = new Map<string, ServerFacts>();
  let server: Offer["server"] = null;
  for (const entry of entries.map(record)) {
    const { id, modelId, name, owned_by: owner } = entry;
    const known = [id, modelId, name].find((value) => typeof value === "string");
    if (known === undefined) continue;
    facts.set(known.replace(/^(?:publishers\/\w+\/)?models\//, ""), statedIn(entry));
    if (owner === "library") server = "ollama";
  }
  return { models: [...facts.keys()], facts, server, problem: null };
}
