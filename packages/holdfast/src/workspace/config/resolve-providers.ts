import { isKnownProvider, protocolOf } from "../../agent/model/known-providers.ts";
import { mergeWishes } from "../../agent/model/reasoning.ts";
import type { ModelConfig, ProviderConfig } from "./config.ts";
import type { ProviderEntry } from "./file-schema.ts";
import { hasReference } from "./references.ts";
import type { Resolving } from "./resolving.ts";
import { checkAddress, checkHeaders } from "./resolving.ts";

export async function resolveProviders(
  entries: Readonly<Record<string, ProviderEntry>> = {},
  resolving: Resolving,
): Promise<ReadonlyMap<string, ProviderConfig>> {
  const providers = new Map<string, ProviderConfig>();
  for (const [name, entry] of Object.entries(entries)) {
    providers.set(name, await resolveProvider(name, entry, resolving));
  }
  return providers;
}

async function resolveProvider(
  name: string,
  entry: ProviderEntry,
  resolving: Resolving,
): Promise<ProviderConfig> {
  const path = ["providers", name];
  const protocol = entry.protocol ?? protocolOf({ name });
  // A built-in provider needs no address in the config: it has a default address, or the environment contains one.
  if (entry.baseUrl === undefined && !isKnownProvider(name) && protocol === "compatible") {
    const example = '"baseUrl": "http://localhost:8080/v1"';
    resolving.error(path, `needs an address, such as ${example}`);
  }
  const baseUrl =
    entry.baseUrl === undefined
      ? null
      : await resolving.secret([...path, "baseUrl"], entry.baseUrl);
  if (baseUrl !== null) checkAddress([...path, "baseUrl"], baseUrl, resolving);
  const headers = await resolving.secretEntries([...path, "headers"], entry.headers);
  checkHeaders([...path, "headers"], headers, resolving);
  return {
    protocol,
    baseUrl,
    key: await resolveKey(name, entry, resolving),
    headers,
    defaultModel: entry.defaultModel ?? null,
    models: modelsOf(entry),
  };
}

async function resolveKey(
  name: string,
  { key }: ProviderEntry,
  resolving: Resolving,
): Promise<string | null> {
  const path = ["providers", name, "key"];
  if (key === undefined) return null;
  if (!hasReference(key)) {
    // The config contains the key in plain text. Redact it everywhere.
    resolving.secrets.push(key);
    const example = `{env:${name.toUpperCase().replaceAll("-", "_")}_API_KEY} or {file:~/keys/${name}}`;
    resolving.error(path, `must be a reference such as ${example}, not the key itself`);
    return null;
  }
  const value = await resolving.secret(path, key);
  if (value !== null && /[\s\p{Cc}]/u.test(value)) {
    resolving.error(path, "is resolved to a text with spaces or line breaks, which is not a key");
    return null;
  }
  return value;
}

function modelsOf({ models = {} }: ProviderEntry): ReadonlyMap<string, ModelConfig> {
  const entries = Object.entries(models).map(([name, facts]): [string, ModelConfig] => {
    const { context = null, output = null, images = null, price = null } = facts;
    return [
      name,
      {
        context,
        output,
        images,
        wish: mergeWishes([facts]),
        price:
          price === null
            ? null
            : {
                input: price.input,
                cachedInput: price.cachedInput ?? null,
                cacheWrite: price.cacheWrite ?? null,
                output: price.output,
              },
      },
    ];
  });
  return new Map(entries);
}
