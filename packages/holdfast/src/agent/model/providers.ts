// oxlint-disable-next-line import/no-unassigned-import -- before the packages below look at it
import "./sdk-environment.ts";
import { sdkModel } from "./ai-sdk.ts";
import type { LanguageModel } from "./ai-sdk.ts";
import { arrange } from "./arrange.ts";
import type { Post } from "./chat/post.ts";
import { findModel } from "./find-model.ts";
import { protocolOf } from "./known-providers.ts";
import type { Protocol, Provider } from "./known-providers.ts";
import type { Model } from "./model.ts";
import type { ProviderOptions } from "./sdk-request.ts";

/** The model of that name; throws an AgentFailure that says what is there instead. */
export function openModel(
  providers: readonly Provider[],
  wanted: string | null,
  options: { readonly fetch?: typeof fetch; readonly post?: Post } = {},
): Model {
  const { id, provider, name: model } = findModel(providers, wanted);
  const { name, baseUrl } = provider;
  const protocol = protocols[protocolOf(provider)];
  const { cacheMark = null, options: providerOptions = null } = protocol;
  const given = { ...settings(provider), ...options };
  let opened: Promise<LanguageModel> | null = null;
  const language = (): Promise<LanguageModel> => {
    opened ??= protocol.open({ name, model, settings: given });
    return opened;
  };
  const facts = provider.facts?.(model) ?? null;
  return sdkModel({
    id,
    provider: name,
    language,
    cacheMark,
    takesFilesInResults: protocol.takesFilesInResults === true,
    arrange: protocol.arranged === true ? (prompt) => arrange(prompt, { model, baseUrl }) : null,
    providerOptions,
    facts,
  });
}

interface ProviderProtocol {
  readonly cacheMark?: ProviderOptions;
  readonly options?: ProviderOptions;
  /** Results of calls can have images in them. */
  readonly takesFilesInResults?: true;
  /** Anybody's model may be behind it. */
  readonly arranged?: true;
  /** Loads the SDK's package for it, which takes a while the first time. */
  open(parts: { name: string; model: string; settings: Settings }): Promise<LanguageModel>;
}

interface Settings {
  readonly baseURL: string;
  readonly apiKey?: string;
  readonly headers?: Record<string, string>;
  readonly fetch?: typeof fetch;
  readonly post?: Post;
}

const protocols: Readonly<Record<Protocol, ProviderProtocol>> = {
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
    // The log is what a session is kept in: nothing of it is to be looked up at the provider.
    options: { openai: { store: false } },
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
  compatible: {
    arranged: true,
    open: async (parts) => (await import("./chat/chat-model.ts")).openChatModel(parts),
  },
};

/** All of it is given: what is left out, the SDK would look up in the environment by itself. */
function settings({ key, baseUrl, headers }: Provider): Settings {
  return {
    baseURL: baseUrl,
    ...(key === null ? {} : { apiKey: key }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
  };
}
