import { compareVersions, familyOf, isStable, keyOf, lookupKeys, versionOf } from "./model-name.ts";

/** The model catalogue: a generated file (models.json), or the user's replacement for it. */
export interface Catalogue {
  /** Package and version that the data comes from. */
  readonly source: string;
  /** Date of the data, such as 2026-11-02. */
  readonly generated: string;
  /** All models, by the name that their maker uses. */
  readonly models: ReadonlyMap<string, CatalogueModel>;
  /** Finds a model by any name that a service has for it. */
  find(name: string): FoundEntry | null;
  /** Returns the newest stable model of the first family that has one. Null: there is none. */
  newest(families: readonly string[]): string | null;
}

/** One model, as it is written in the file. */
export interface CatalogueModel {
  /** Name for people. */
  readonly name: string;
  /** Provider whose list describes the model: its maker, or a large host. */
  readonly from: string;
  readonly family: string;
  /** Tokens of input and output together. */
  readonly context: number;
  readonly output: number;
  /** Missing: the model accepts no images. */
  readonly images?: ImageLimits;
  /** Levels of reasoning that can be requested, weakest first. Missing: the model does not reason. */
  readonly reasoning?: readonly ReasoningLevel[];
  /** True: the model decides by itself how long to reason, guided by the level (Anthropic's adaptive thinking). */
  readonly adaptive?: true;
  /** Prices by provider. `*`: the same price everywhere. Missing: unknown. */
  readonly prices?: Readonly<Record<string, CataloguePrice>>;
  /** Day on which the maker shuts the model down. Missing: none is announced. */
  readonly endOfLife?: string;
}

export type ReasoningLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** Limits of one image and of one request. Missing: unknown. */
export interface ImageLimits {
  readonly perRequest?: number;
  /** Maximum size of an image in pixels. */
  readonly width?: number;
  readonly height?: number;
  readonly bytes?: number;
}

/** Dollars per million tokens: input, output, cached input, write to the cache. */
export interface CataloguePrice {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
  /** Other prices for requests with more input than this. */
  readonly tiers?: readonly (Omit<CataloguePrice, "tiers"> & { readonly above: number })[];
}

export interface FoundEntry {
  readonly key: string;
  readonly model: CatalogueModel;
  /** False: only a relative of the model is known, such as an earlier version. */
  readonly isExact: boolean;
}

export interface CatalogueFile {
  readonly format: 1;
  readonly source: string;
  readonly generated: string;
  readonly models: Readonly<Record<string, CatalogueModel>>;
}

export function createCatalogue(file: CatalogueFile): Catalogue {
  const models = new Map(Object.entries(file.models));
  const byKey = new Map([...models.keys()].map((name) => [keyOf(name).replaceAll(":", "-"), name]));
  const families = new Map<string, string>();
  for (const [name, { family }] of models) {
    const known = families.get(family);
    if (isStable(name) && (known === undefined || isNewer(name, known))) families.set(family, name);
  }
  const entry = (name: string | undefined, isExact: boolean): FoundEntry | null => {
    const model = name === undefined ? undefined : models.get(name);
    return name === undefined || model === undefined ? null : { key: name, model, isExact };
  };
  return {
    source: file.source,
    generated: file.generated,
    models,
    find: (name) => {
      const keys = lookupKeys(name);
      const exact = keys.find((key) => byKey.has(key));
      if (exact !== undefined) return entry(byKey.get(exact), true);
      const relative = relativeOf(keys.at(-1) ?? "", byKey, families);
      return entry(relative ?? undefined, false);
    },
    newest: (wanted) => {
      const family = wanted.find((candidate) => families.has(candidate));
      return family === undefined ? null : (families.get(family) ?? null);
    },
  };
}

function isNewer(name: string, other: string): boolean {
  const difference = compareVersions(versionOf(name), versionOf(other));
  return difference === 0 ? name.length < other.length : difference > 0;
}

/** Finds the longest known name that the key starts with, or the newest model of the longest such family. */
function relativeOf(
  key: string,
  byKey: ReadonlyMap<string, string>,
  families: ReadonlyMap<string, string>,
): string | null {
  const words = key.split("-");
  for (let count = words.length - 1; count >= 2; count -= 1) {
    const known = byKey.get(words.slice(0, count).join("-"));
    if (known !== undefined) return known;
  }
  return families.get(familyOf(key)) ?? null;
}
