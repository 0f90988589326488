// oxlint-disable-next-line import/no-unassigned-import -- must run before the packages below are loaded
import "./sdk-environment.ts";
import { imageLimitsOf } from "../images/fit-image.ts";
import { sdkModel } from "./ai-sdk.ts";
import type { LanguageModel } from "./ai-sdk.ts";
import { arrange } from "./arrange.ts";
import { factsOf } from "./model-facts.ts";
import { withServer } from "./catalogue/server-facts.ts";
import type { ServerFacts } from "./catalogue/server-facts.ts";
import { callOptions } from "./call-options.ts";
import { isOpenRouter } from "./chat/dialect.ts";
import type { Post } from "./chat/post.ts";
import { openTransport } from "./access/transport.ts";
import type { TransportOptions } from "./access/transport.ts";
import { findModel } from "./find-model.ts";
import { protocolOf } from "./known-providers.ts";
import type { Provider } from "./known-providers.ts";
import type { Model } from "./model.ts";
import { wireOf } from "./platform.ts";
import type { Wire } from "./platform.ts";
import type { ProviderOptions } from "./sdk-request.ts";

/** Opens a model by name. Throws an AgentFailure that lists the available providers. */
export function openModel(
  providers: readonly Provider[],
  wanted: string | null,
  { server = null, ...options }: OpenOptions = {},
): Model {
  const { id, provider, name: model } = findModel(providers, wanted);
  const { name } = provider;
  const { wire, baseUrl } = wireOf(provider, model);
  const protocol = protocols[wire];
  // Bedrock rejects cache points for models that have no cache.
  const isCached = wire !== "bedrock" || /claude|nova/i.test(model);
  const cacheMark = isCached ? (protocol.cacheMark ?? null) : null;
  const open = async (): Promise<LanguageModel> => {
    const transport = await openTransport(provider, options);
    const target = { name, model, settings: { ...settings(provider, baseUrl), ...transport } };
    if (protocolOf(provider) !== "vertex") return protocol.open(target);
    return (await import("./vertex.ts")).openVertexModel(wire, target);
  };
  let opened: Promise<LanguageModel> | null = null;
  const language = (): Promise<LanguageModel> => {
    opened ??= open();
    return opened;
  };
  const facts = provider.facts?.(model, server) ?? withServer(factsOf(id), server);
  return sdkModel({
    id,
    provider: name,
    language,
    cacheMark,
    takesFilesInResults: protocol.takesFilesInResults === true,
    arrange: protocol.arranged === true ? (prompt) => arrange(prompt, { model, baseUrl }) : null,
    imageLimits: imageLimitsOf(facts.imageLimits),
    callOptions: callOptions[wire],
    reportsCost: wire === "compatible" && isOpenRouter(provider),
    facts,
  });
}

interface OpenOptions extends TransportOptions {
  /** Properties of the model that its server reports. */
  readonly server?: ServerFacts | null;
}

interface ProviderProtocol {
  readonly cacheMark?: ProviderOptions;
  /** True if the API accepts images in tool results. */
  readonly takesFilesInResults?: true;
  /** True if conversations must be adapted to the model, because any model may be behind this API. */
  readonly arranged?: true;
  /** Opens the SDK's model. The first call loads the SDK package, which takes time. */
  open(target: { name: string; model: string; settings: Settings }): Promise<LanguageModel>;
}

export interface Settings {
  readonly baseURL: string;
  readonly apiKey?: string;
  readonly headers?: Record<string, string>;
  readonly fetch?: typeof fetch;
  readonly post?: Post;
}

const protocols: Readonly<Record<Wire, ProviderProtocol>> = {
  anthropic: {
    takesFilesInResults: true,
    cacheMark: { anthropic: { cacheControl: { type: "ephemeral" } } },
    open: async ({ settings: given, model }) => {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ apiKey: "", ...given })(model);
    },
  },
  openai: {
    takesFilesInResults: true,
    open: async ({ settings: given, model }) => {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ apiKey: "", ...given }).responses(model);
    },
  },
  google: {
    takesFilesInResults: true,
    open: async ({ settings: given, model }) => {
      const { createGoogle } = await import("@ai-sdk/google");
      return createGoogle({ apiKey: "", ...given })(model);
    },
  },
  bedrock: {
    takesFilesInResults: true,
    cacheMark: { bedrock: { cachePoint: { type: "default" } } },
    open: async ({ settings: { baseURL, headers, fetch }, model }) => {
      const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
      // Give the SDK a dummy key, so that it does not sign requests. The transport replaces it with the real
      // credentials.
      const given = { baseURL, apiKey: "unused", ...(headers === undefined ? {} : { headers }) };
      return createAmazonBedrock({ ...given, ...(fetch === undefined ? {} : { fetch }) })(model);
    },
  },
  compatible: {
    arranged: true,
    open: async (target) => (await import("./chat/chat-model.ts")).openChatModel(target),
  },
};

/** Returns the SDK settings with all values set, because the SDK would read missing ones from the environment. */
function settings({ key, headers }: Provider, baseURL: string): Settings {
  return {
    baseURL,
    ...(key === null ? {} : { apiKey: key }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
  };
}
