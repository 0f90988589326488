import type { TransportOptions } from "../../agent/model/access/transport.ts";
import { ModelError } from "../../agent/model/model.ts";
import { protocolOf } from "../../agent/model/known-providers.ts";
import type { Environment, Protocol, Provider } from "../../agent/model/known-providers.ts";
import { offerOf } from "../../agent/model/offer.ts";
import type { Choice } from "../load/loader.ts";
import { listModels } from "./list-models.ts";
import type { ModelList, ModelQuery } from "./list-models.ts";
import type { Credentials } from "./credentials.ts";
import type { SourcedProvider } from "./merge.ts";
import { ownName, plannedChange, plannedProvider, problemWith } from "./provider-input.ts";
import type {
  ConnectInput,
  ProviderChange,
  ProviderField,
  ProviderProblem,
} from "./provider-input.ts";
import { signInStore } from "./sign-in-store.ts";
import { createSignIns } from "./sign-ins.ts";
import type { SignIns } from "./sign-ins.ts";

/**
 * Manages providers at run time. A change takes effect after all directories are refreshed. A method with the parameter
 * `directory` also reads the trusted config of that directory.
 */
export interface Providers {
  list(directory: string | null): Promise<ProviderList>;
  /** Lists the models that prompts can select. */
  models(directory: string | null, query: ModelQuery): Promise<ModelList>;
  /**
   * Connects a provider and replaces its stored settings. Returns the problem if nothing was changed, else null.
   * Without input, a disconnected provider is used again with the settings of the environment or the config.
   */
  connect(name: string, input: ConnectInput): Promise<ProviderProblem | null>;
  /** Changes some settings of a known provider and keeps the others. Returns the problem, else null. */
  change(name: string, input: ProviderChange): Promise<ProviderProblem | "unknown" | null>;
  /** Disconnects a provider, wherever it was configured. Returns false if there is no such provider. */
  disconnect(name: string): Promise<boolean>;
  /**
   * Tests a provider with one cheap real request. The given settings override the stored ones. Null if there is no such
   * provider and the input does not describe a new one.
   */
  test(
    name: string,
    directory: string | null,
    input?: ProviderChange | null,
  ): Promise<ProviderTest | null>;
  readonly signIns: SignIns;
}

export interface ProviderList {
  readonly items: readonly ListedProvider[];
  readonly model: string | null;
  /** Providers that only an untrusted project config defines. */
  readonly untrusted: readonly string[];
}

export interface ListedProvider {
  readonly name: string;
  readonly status: SourcedProvider["status"];
  readonly source: SourcedProvider["source"];
  readonly protocol: Protocol;
  /** URL of the API, without a password. */
  readonly baseUrl: string;
  /** Masked API key. */
  readonly key: string | null;
  readonly defaultModel: string | null;
}

export interface ProviderTest {
  readonly works: boolean;
  readonly problem: string | null;
  /** The input field that causes the problem; null if unknown. */
  readonly field: ProviderField | null;
  /** Models as `provider/model`; empty if the provider does not list them. */
  readonly models: readonly string[];
}

export interface ProvidersOptions {
  readonly credentials: Credentials;
  readonly environment: Environment;
  /** Returns the providers and the model for a directory. Null: only the user's config. */
  readonly choice: (directory: string | null) => Promise<Choice>;
  /**
   * True if any open directory uses the provider, even if only the directory's own config defines it, or if a client
   * has offered it for a session.
   */
  readonly isInUse: (name: string) => boolean;
  /** Called with a key before it is stored, so that it can be redacted. */
  readonly learn: (secrets: readonly string[]) => void;
  readonly now: () => number;
  /** Timeout of a test request in milliseconds. */
  readonly timeout?: number;
}

export function createProviders(options: ProvidersOptions): Providers {
  const { credentials, environment, choice, learn, now, timeout = 10_000 } = options;
  const find = async (name: string): Promise<SourcedProvider | null> =>
    named(name, await choice(null));
  return {
    list: async (directory) => {
      const { providers, chosen, untrusted } = await choice(directory);
      return { items: providers.map(listed), model: chosen, untrusted };
    },
    models: async (directory, query) =>
      listModels(await choice(directory), query, { now: now(), timeout }),
    connect: async (name, input) => {
      const key = input.key?.trim() || null;
      if (key !== null) learn([key]);
      const known = await find(name);
      if (
        isHidden(known) &&
        Object.values({ ...input, key }).every((value) => (value ?? null) === null)
      ) {
        await credentials.put(name, { status: "usual", at: now() });
        return null;
      }
      const problem = problemWith(name, { ...input, key }, known);
      if (problem !== null) return problem;
      const { baseUrl = null, protocol = null, defaultModel = null } = input;
      const given = { key, baseUrl, protocol, defaultModel: ownName(name, defaultModel) };
      await credentials.put(name, { status: "connected", at: now(), ...given });
      return null;
    },
    change: async (name, input) => {
      const known = await find(name);
      if (known === null) return "unknown";
      if (typeof input.key === "string") learn([input.key.trim()]);
      const stored = (await credentials.read()).get(name);
      const planned = plannedChange(input, { known, stored, environment, at: now() });
      if ("problem" in planned) return planned.problem;
      await credentials.put(name, planned.credential);
      return null;
    },
    disconnect: async (name) => {
      if ((await find(name)) === null && !options.isInUse(name)) return false;
      await credentials.put(name, { status: "disconnected", at: now() });
      return true;
    },
    signIns: createSignIns(options),
    test: async (name, directory, input = null) => {
      const known = await choice(directory);
      const found = named(name, known);
      const signIns = signInStore(credentials);
      if (input !== null) {
        if (typeof input.key === "string") learn([input.key.trim()]);
        const planned = plannedProvider(name, input, { known: found, environment });
        if ("problem" in planned) return untested(planned.problem);
        return test(planned.provider, { timeout, learn, signIns });
      }
      if (found === null && known.untrusted.includes(name)) {
        const problem =
          "this provider is defined only in the project's config, which is not trusted yet";
        return untested({ field: null, message: `${problem}; run \`holdfast trust\`` });
      }
      if (found === null) return null;
      if (found.status === "disconnected") {
        const message = `the provider is disconnected; run \`holdfast connect ${name}\``;
        return untested({ field: null, message });
      }
      return test(found.provider, { timeout, learn, signIns });
    },
  };
}

function named(name: string, { providers }: Choice): SourcedProvider | null {
  return providers.find(({ provider }) => provider.name === name) ?? null;
}

/** Masks a key: shows enough to tell two keys apart, but too little to use one. */
function maskedKey(key: string): string {
  return key.length < 16 ? "…" : `…${key.slice(-4)}`;
}

function listed({ provider, status, source }: SourcedProvider): ListedProvider {
  const { name, baseUrl, key, defaultModel } = provider;
  return {
    name,
    status,
    source,
    protocol: protocolOf(provider),
    baseUrl: baseUrl.replace(/\/\/[^/@]*@/, "//***@"),
    key: key === null ? null : maskedKey(key),
    defaultModel,
  };
}

/** True if the provider was disconnected, but the environment or a config file still has a key for it. */
function isHidden(known: SourcedProvider | null): boolean {
  return known?.status === "disconnected" && known.provider.key !== null;
}

interface TestOptions extends Pick<TransportOptions, "learn" | "signIns"> {
  readonly timeout: number;
}

async function test(provider: Provider, options: TestOptions): Promise<ProviderTest> {
  const { models, problem } = await offerOf(provider, options);
  const names = models.map((model) => `${provider.name}/${model}`);
  if (problem === null) return { works: true, problem: null, field: null, models: names };
  const { defaultModel } = provider;
  if (problem.kind !== "noList" || defaultModel === null) {
    const field = problem.kind === "badKey" ? "key" : "baseUrl";
    return untested({ field, message: problem.message });
  }
  const failure = await testModel(provider, { ...options, model: defaultModel });
  if (failure !== null) return untested({ field: "defaultModel", message: failure });
  return { works: true, problem: null, field: null, models: [] };
}

function untested({ field, message }: ProviderProblem): ProviderTest {
  return { works: false, problem: message, field, models: [] };
}

/** Tests a model with a minimal request. Returns the problem, or null. */
async function testModel(
  provider: Provider,
  { model, timeout, ...options }: TestOptions & { model: string },
): Promise<string | null> {
  const { openModel } = await import("../../agent/model/providers.ts");
  try {
    const parts = openModel([provider], `${provider.name}/${model}`, options).stream({
      system: "",
      messages: [{ role: "user", text: "Say: ok", files: [] }],
      tools: [],
      file: async () => null,
      maxOutput: 16,
      signal: AbortSignal.timeout(timeout),
      stallAfter: timeout,
      endAfter: timeout,
    });
    for await (const _ of parts);
    return null;
  } catch (error) {
    if (error instanceof ModelError) return error.message;
    return error instanceof Error && error.name === "TimeoutError"
      ? `the provider did not answer within ${timeout / 1_000} s`
      : String(error);
  }
}
