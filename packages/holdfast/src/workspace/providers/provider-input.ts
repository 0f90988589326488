import {
  addressIn,
  isCloudPlatform,
  protocolOf,
  usualAddress,
  usualModel,
} from "../../agent/model/known-providers.ts";
import type { Environment, Protocol, Provider } from "../../agent/model/known-providers.ts";
import type { Credential } from "./credentials.ts";
import type { SourcedProvider } from "./merge.ts";

/** New settings of a provider, which replace all of its stored settings. */
export interface ConnectInput {
  readonly key?: string | null | undefined;
  readonly baseUrl?: string | undefined;
  readonly protocol?: Protocol | undefined;
  readonly defaultModel?: string | undefined;
}

/** Settings to change. A missing field keeps its value. Null: use the default, or no key. */
export interface ProviderChange {
  readonly key?: string | null | undefined;
  readonly baseUrl?: string | null | undefined;
  readonly protocol?: Protocol | undefined;
  readonly defaultModel?: string | null | undefined;
}

export type ProviderField = "name" | "key" | "baseUrl" | "defaultModel";

/** The reason why settings cannot be used, and the field that causes it. */
export interface ProviderProblem {
  readonly field: ProviderField | null;
  readonly message: string;
}

/** Merges a change with the stored settings of a provider. */
export function plannedChange(
  input: ProviderChange,
  found: {
    known: SourcedProvider;
    stored: Credential | undefined;
    environment: Environment;
    at: number;
  },
): { readonly credential: Credential } | { readonly problem: ProviderProblem } {
  const { known, stored, at } = found;
  const { name } = known.provider;
  const planned = plannedProvider(name, input, found);
  if ("problem" in planned) return planned;
  const own = stored?.status === "connected" ? stored : null;
  const keepsKey = input.key === undefined;
  const kept = own === null || own.keyFrom === "environment" ? elsewhere : keyOf(own);
  const { protocol = own?.protocol ?? null } = input;
  const { baseUrl = own?.baseUrl ?? null, defaultModel = own?.defaultModel ?? null } = input;
  const places = { baseUrl, protocol, defaultModel: ownName(name, defaultModel) };
  const key = keepsKey ? kept : { key: planned.provider.key };
  return { credential: { status: "connected", at, ...places, ...key } };
}

const elsewhere = { key: null, keyFrom: "environment" } as const;

function keyOf({ key, signIn }: Extract<Credential, { status: "connected" }>) {
  return { key, ...(signIn === undefined ? {} : { signIn }) };
}

/** Returns the provider with the given settings applied, or the reason why they cannot be used. */
export function plannedProvider(
  name: string,
  input: ProviderChange,
  { known, environment }: { known: SourcedProvider | null; environment: Environment },
): { readonly provider: Provider } | { readonly problem: ProviderProblem } {
  const before: Provider = known?.provider ?? {
    name,
    key: null,
    baseUrl: usualAddress(name) ?? "",
    defaultModel: usualModel(name),
  };
  const { baseUrl: address, key, defaultModel, protocol = before.protocol } = input;
  const usual = (): string =>
    addressIn(environment, { name, protocol: protocol ?? null }) ?? usualAddress(name) ?? "";
  const baseUrl = address === undefined ? before.baseUrl : (address ?? usual());
  const provider: Provider = {
    ...before,
    baseUrl,
    key: key === undefined ? before.key : key?.trim() || null,
    defaultModel:
      defaultModel === undefined
        ? before.defaultModel
        : ownName(name, defaultModel ?? usualModel(name)),
    ...(protocol === undefined ? {} : { protocol }),
  };
  const given = baseUrl === (usualAddress(name) ?? "") ? {} : { baseUrl };
  const isOwnKey = key === undefined && known?.source === "config" ? null : provider.key;
  const planned = known === null ? null : { ...known, provider };
  const problem = problemWith(name, { ...given, key: isOwnKey, protocol }, planned);
  if (problem?.field === "baseUrl") return { problem };
  const isMoved = originOf(baseUrl) !== originOf(before.baseUrl);
  if (key === undefined && before.key !== null && isMoved) {
    const message =
      "The address belongs to another server. Enter the API key again: the stored key is not sent there.";
    return { problem: { field: "key", message } };
  }
  // Ignore a missing key if the config defines the provider: the config may define the key too, and only a test request
  // can show whether that key works.
  const hasAccess = known?.source === "config" && problem?.field === "key" && key === undefined;
  return problem === null || hasAccess ? { provider } : { problem };
}

function originOf(address: string): string {
  return URL.parse(address)?.origin ?? address;
}

/** Returns the reason why a provider cannot be connected with these settings, or null. */
export function problemWith(
  name: string,
  { key, baseUrl, protocol }: ConnectInput,
  known: SourcedProvider | null,
): ProviderProblem | null {
  if (!/^[A-Za-z0-9][\w-]{0,63}$/.test(name)) {
    const message = "A provider name must have 1 to 64 letters, digits, _ or -.";
    return { field: "name", message };
  }
  if (known?.source === "config" && key !== null) {
    return { field: "key", message: `The key of ${name} comes from the config. Change it there.` };
  }
  const isAccount = isCloudPlatform(
    protocolOf(protocol === undefined ? { name } : { name, protocol }),
  );
  // No input is needed: the environment or the config files of the cloud vendor's tools contain address and
  // credentials.
  if (isAccount) return null;
  const hasAddress = baseUrl !== undefined || usualAddress(name) !== null;
  if (!hasAddress && (known === null || known.provider.baseUrl === "")) {
    const message = `The provider ${name} is not built in. Give its base URL too.`;
    return { field: "baseUrl", message };
  }
  const isService = baseUrl === undefined && usualAddress(name) !== null;
  return isService && key === null
    ? { field: "key", message: `The provider ${name} needs an API key.` }
    : null;
}

/** Removes the provider prefix from a model name. */
export function ownName(provider: string, model: string | null): string | null {
  const prefix = `${provider}/`;
  return model?.startsWith(prefix) === true ? model.slice(prefix.length) : model;
}
