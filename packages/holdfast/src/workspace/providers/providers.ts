import { ModelError } from "../../agent/model/model.ts";
import { protocolOf, usualProvider } from "../../agent/model/known-providers.ts";
import type { Protocol, Provider } from "../../agent/model/known-providers.ts";
import { offerOf } from "../../agent/model/offer.ts";
import type { Choice } from "../load/loader.ts";
import type { Credentials } from "./credentials.ts";
import type { SourcedProvider } from "./merge.ts";

/**
 * Providers at run time. A change here is in use only after a refresh of all directories. With a
 * directory, its config counts too, as far as it is trusted.
 */
export interface Providers {
  list(directory: string | null): Promise<ProviderList>;
  /**
   * Null, or what is wrong with it, and then nothing has changed. With nothing given, one that was
   * disconnected is used again as it is configured elsewhere.
   */
  connect(name: string, input: ConnectInput): Promise<string | null>;
  /** It is not used any more, wherever it was configured. False when there is no such one. */
  disconnect(name: string): Promise<boolean>;
  /** One cheap real call; null when there is no such one. */
  test(name: string, directory: string | null): Promise<ProviderTest | null>;
}

export interface ProviderList {
  readonly items: readonly ListedProvider[];
  readonly model: string | null;
  /** Those that the directory's config says something of, which nobody has trusted. */
  readonly untrusted: readonly string[];
}

export interface ListedProvider {
  readonly name: string;
  readonly status: SourcedProvider["status"];
  readonly source: SourcedProvider["source"];
  readonly protocol: Protocol;
  /** Without a password in it. */
  readonly baseUrl: string;
  /** Masked. */
  readonly key: string | null;
  readonly defaultModel: string | null;
}

export interface ConnectInput {
  readonly key?: string | null | undefined;
  readonly baseUrl?: string | undefined;
  readonly protocol?: Protocol | undefined;
  readonly defaultModel?: string | undefined;
}

export interface ProviderTest {
  readonly works: boolean;
  readonly problem: string | null;
  /** As `provider/model`, as far as it lists them. */
  readonly models: readonly string[];
}

export interface ProvidersOptions {
  readonly credentials: Credentials;
  /** Null for no directory in particular. */
  readonly choice: (directory: string | null) => Promise<Choice>;
  /** Also those that only some directory's config has. */
  readonly isInUse: (name: string) => boolean;
  /** Told a key before it is written down. */
  readonly learn: (secrets: readonly string[]) => void;
  readonly now: () => number;
  /** Milliseconds that a test may take. */
  readonly timeout?: number;
}

export function createProviders(options: ProvidersOptions): Providers {
  const { credentials, choice, learn, now, timeout = 10_000 } = options;
  const find = async (name: string): Promise<SourcedProvider | null> =>
    named(name, await choice(null));
  return {
    list: async (directory) => {
      const { providers, chosen, untrusted } = await choice(directory);
      return { items: providers.map(listed), model: chosen, untrusted };
    },
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
      const problem = objection(name, { ...input, key }, known);
      if (problem !== null) return problem;
      const { baseUrl = null, protocol = null, defaultModel = null } = input;
      const given = { key, baseUrl, protocol, defaultModel: ownName(name, defaultModel) };
      await credentials.put(name, { status: "connected", at: now(), ...given });
      return null;
    },
    disconnect: async (name) => {
      if ((await find(name)) === null && !options.isInUse(name)) return false;
      await credentials.put(name, { status: "disconnected", at: now() });
      return true;
    },
    test: async (name, directory) => {
      const known = await choice(directory);
      const found = named(name, known);
      if (found === null && known.untrusted.includes(name)) {
        const problem = "only the project's config has it, which nobody has trusted yet";
        return { works: false, problem: `${problem} (\`holdfast trust\`)`, models: [] };
      }
      if (found === null) return null;
      if (found.status === "disconnected") {
        return { works: false, problem: "it is disconnected; connect it first", models: [] };
      }
      return test(found.provider, timeout);
    },
  };
}

function named(name: string, { providers }: Choice): SourcedProvider | null {
  return providers.find(({ provider }) => provider.name === name) ?? null;
}

/** Enough to tell two keys apart, and too little to use one. */
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

/** It was disconnected, and somebody else than the file has its key. */
function isHidden(known: SourcedProvider | null): boolean {
  return known?.status === "disconnected" && known.provider.key !== null;
}

function objection(
  name: string,
  { key, baseUrl }: ConnectInput,
  known: SourcedProvider | null,
): string | null {
  if (!/^[A-Za-z0-9][\w-]{0,63}$/.test(name)) {
    return "a provider's name is 1 to 64 letters, digits, _ or -";
  }
  if (known?.source === "config" && key !== null) {
    return `the key of ${name} comes from the config; change it there`;
  }
  const isPlaced = baseUrl !== undefined || usualProvider(name).baseUrl !== null;
  if (!isPlaced && (known === null || known.provider.baseUrl === "")) {
    return `${name} is not known by its name: give its address (base URL) too`;
  }
  const isService = baseUrl === undefined && usualProvider(name).baseUrl !== null;
  return isService && key === null ? `${name} wants a key` : null;
}

/** People write a model's whole name; what is kept is without the provider's. */
function ownName(provider: string, model: string | null): string | null {
  const prefix = `${provider}/`;
  return model?.startsWith(prefix) === true ? model.slice(prefix.length) : model;
}

async function test(provider: Provider, timeout: number): Promise<ProviderTest> {
  const { models, problem } = await offerOf(provider, { timeout });
  const names = models.map((model) => `${provider.name}/${model}`);
  if (problem === null) return { works: true, problem: null, models: names };
  const { defaultModel } = provider;
  if (problem.kind !== "noList" || defaultModel === null) {
    return { works: false, problem: problem.message, models: [] };
  }
  const said = await sayOneWord(provider, { model: defaultModel, timeout });
  return { works: said === null, problem: said, models: [] };
}

/** What is wrong with a model that is asked for as little as possible; null for nothing. */
async function sayOneWord(
  provider: Provider,
  { model, timeout }: { model: string; timeout: number },
): Promise<string | null> {
  const { openModel } = await import("../../agent/model/providers.ts");
  try {
    const parts = openModel([provider], `${provider.name}/${model}`).stream({
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
      ? `it did not answer within ${timeout / 1_000} s`
      : String(error);
  }
}
