import { compareVersions, familyOf, isStable, keyOf, lookupKeys, versionOf } from "./model-name.ts";

/** The model catalogue: a generated file (models.json), or the user's replacement for it. */
export interface Catalogue {
  /** Name and version of the package from which the catalogue was generated. */
  readonly source: string;
  /** Date on which the package in `source` was generated, such as 2026-11-02. */
  readonly generated: string;
  /** All models, by the name that their vendor uses. */
  readonly models: ReadonlyMap<string, CatalogueModel>;
  /** Finds a model by any name that a service uses for it. */
  find(name: string): FoundEntry | null;
  /** Returns the newest stable model of the first family that has one. Null: none of the families has one. */
  newest(families: readonly string[]): string | null;
}

/** A model as described in the catalogue file. */
export interface CatalogueModel {
  /** Display name. */
  readonly name: string;
  /**
   * The provider whose model list this entry was copied from: the vendor of the model, or a large service that offers
   * models of many vendors.
   */
  readonly from: string;
  readonly family: string;
  /** Maximum number of input and output tokens together. */
  readonly context: number;
  readonly output: number;
  /** Limits of images. Missing: the model accepts no images. */
  readonly images?: ImageLimits;
  /** Reasoning levels that can be requested, lowest first. Missing: the model does not reason. */
  readonly reasoning?: readonly ReasoningLevel[];
  /** True: the model itself decides how long to reason; the level only guides it (Anthropic's adaptive thinking). */
  readonly adaptive?: true;
  /** Prices by provider. `*`: the same price everywhere. Missing: unknown. */
  readonly prices?: Readonly<Record<string, CataloguePrice>>;
  /** Date on which the vendor shuts the model down. Missing: none is announced. */
  readonly endOfLife?: string;
}

export type ReasoningLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** Limits of an image and of a request with images. Missing: unknown. */
export interface ImageLimits {
  readonly perRequest?: number;
  /** Maximum size of an image in pixels. */
  readonly width?: number;
  readonly height?: number;
  readonly bytes?: number;
}

/** Prices in dollars per million tokens: input, output, cached input, cache write. */
export interface CataloguePrice {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
  /** Prices for requests with more than `above` input tokens. */
  readonly tiers?: readonly (Omit<CataloguePrice, "tiers"> & { readonly above: number })[];
}

export interface FoundEntry {
  readonly key: string;
  readonly model: CatalogueModel;
  /** False: only a related model is known, such as an earlier version. */
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

/**
 * Finds a similar model: removes words from the end of the model name `key` until the catalogue contains the rest. If
 * it contains none of them, returns the newest model of the same family.
 */
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
