import type {
  CatalogueModel,
  CataloguePrice,
  ImageLimits,
  ReasoningLevel,
} from "../../packages/holdfast/src/agent/model/catalogue/catalogue.ts";
import {
  familyOf,
  keyOf,
  withoutDate,
} from "../../packages/holdfast/src/agent/model/catalogue/model-name.ts";
import { closed, shutdowns } from "./sources.ts";

/** A model as the npm package with the model data describes it. Lists only the fields that Holdfast uses. */
export interface SourceModel {
  readonly id: string;
  readonly name: string;
  readonly type?: string;
  readonly reasoning: boolean;
  readonly thinkingLevelMap?: Readonly<Partial<Record<ReasoningLevel, string | null>>>;
  readonly input: readonly string[];
  readonly cost: SourcePrice & {
    readonly tiers?: readonly (SourcePrice & { readonly inputTokensAbove: number })[];
  };
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly compat?: { readonly forceAdaptiveThinking?: boolean };
  readonly inputLimits?: {
    readonly images?: {
      readonly maxPerRequest?: number;
      readonly resize?: { maxWidth: number; maxHeight: number; maxBytes: number };
    };
  };
}

interface SourcePrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface SourceList {
  readonly provider: string;
  readonly models: readonly SourceModel[];
}

/** Merges the lists. A model's data comes from the first list that contains it, and each list adds its own price. */
export function convertLists(
  sources: readonly SourceList[],
  ends: ReadonlyMap<string, string>,
): Record<string, CatalogueModel> {
  const byKey = new Map<string, { name: string; model: CatalogueModel }>();
  for (const { provider, models } of sources) {
    for (const source of models) {
      if ((source.type ?? "chat") !== "chat" || isVariant(source.id)) continue;
      if (provider === "mistral" && !isOfMistral(source.id)) continue;
      const key = keyOf(source.id);
      const name = source.id.slice(source.id.lastIndexOf("/") + 1).toLowerCase();
      const known = byKey.get(key) ?? {
        name: nameFor(name, key),
        model: { ...convert(source, ends), from: provider },
      };
      byKey.set(key, { ...known, model: withPrice(known.model, { key, provider, source }) });
    }
  }
  return Object.fromEntries(
    [...byKey.values()]
      .toSorted((first, second) => (first.name < second.name ? -1 : 1))
      .map(({ name, model }) => [name, model]),
  );
}

/** Reads the table of shutdown dates in Anthropic's SDK. */
export function anthropicShutdowns(source: string): ReadonlyMap<string, string> {
  const table = /DEPRECATED_MODELS[^=]*=\s*{([^}]*)}/.exec(source)?.[1];
  if (table === undefined) throw new Error("the SDK of Anthropic has no table DEPRECATED_MODELS");
  const rows = [...table.matchAll(/'([^']+)':\s*'([^']+)'/g)];
  if (rows.length === 0) throw new Error("the table DEPRECATED_MODELS has no rows");
  return new Map(rows.map(([, name = "", date = ""]) => [name, dayOf(date)]));
}

/** Returns all known shutdown dates by model name. */
export function allShutdowns(anthropic: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const own = Object.entries(shutdowns).flatMap(([date, names]) =>
    names.map((name): [string, string] => [keyOf(name), date]),
  );
  return new Map([...own, ...[...anthropic].map(([name, date]) => [keyOf(name), date] as const)]);
}

/** Converts "November 30th, 2026" to 2026-11-30. */
function dayOf(text: string): string {
  const time = Date.parse(`${text.replace(/(\d)(?:st|nd|rd|th)\b/, "$1")} UTC`);
  if (Number.isNaN(time)) throw new Error(`"${text}" is not a date`);
  return new Date(time).toISOString().slice(0, 10);
}

/**
 * True for ids that the catalogue leaves out: variants of a model that is listed anyway, such as `-batch` or `-free`,
 * and aliases whose model changes without notice.
 */
function isVariant(id: string): boolean {
  return /^~|:(?!0$)|-batch$|-fast$|-free$|-spot$|\/auto$|router/.test(id);
}

/**
 * False for models of other makers (GLM, DeepSeek). Mistral's list also contains such models, but spells their names in
 * its own way.
 */
function isOfMistral(id: string): boolean {
  return !/glm|deepseek/.test(id);
}

/**
 * Returns the model's name for the catalogue: `name`, or the normalized name `key` if the provider that hosts the model
 * has added words to `name`, such as a region.
 */
function nameFor(name: string, key: string): string {
  return keyOf(name) === name.replaceAll(/(?<=\d)\.(?=\d)/g, "-") ? name : key;
}

function convert(
  source: SourceModel,
  ends: ReadonlyMap<string, string>,
): Omit<CatalogueModel, "from"> {
  const key = keyOf(source.id);
  const images = imageLimits(source);
  const levels = levelsOf(source);
  const end = ends.get(key) ?? ends.get(withoutDate(key));
  return {
    name: source.name.replace(/^[^:]+: /, "").replace(/ \(latest\)$/, ""),
    family: familyOf(key),
    context: source.contextWindow,
    output: Math.min(source.maxTokens, source.contextWindow),
    ...(images === null ? {} : { images }),
    ...(levels.length === 0 ? {} : { reasoning: levels }),
    ...(source.compat?.forceAdaptiveThinking === true ? { adaptive: true } : {}),
    ...(end === undefined ? {} : { endOfLife: end }),
  };
}

function imageLimits({ input, inputLimits }: SourceModel): ImageLimits | null {
  if (!input.includes("image")) return null;
  const { maxPerRequest, resize } = inputLimits?.images ?? {};
  return {
    ...(maxPerRequest === undefined ? {} : { perRequest: maxPerRequest }),
    ...(resize === undefined
      ? {}
      : { width: resize.maxWidth, height: resize.maxHeight, bytes: resize.maxBytes }),
  };
}

const usualLevels: readonly ReasoningLevel[] = ["off", "minimal", "low", "medium", "high"];
const allLevels: readonly ReasoningLevel[] = [...usualLevels, "xhigh", "max"];

/**
 * Returns the reasoning levels that a model supports. In the source, null means that a level is not supported. A level
 * that the source does not list is supported, except for levels above `high`.
 */
function levelsOf(source: SourceModel): readonly ReasoningLevel[] {
  const { id, reasoning, thinkingLevelMap: map = {} } = source;
  if (!reasoning) return [];
  return allLevels.filter((level) => {
    // Anthropic's models have no minimal level.
    if (level === "minimal" && /claude/.test(id)) return false;
    const value = map[level];
    return value === undefined ? usualLevels.includes(level) : value !== null;
  });
}

function withPrice(
  model: CatalogueModel,
  { key, provider, source }: { key: string; provider: string; source: SourceModel },
): CatalogueModel {
  const price = priceOf(source);
  const { prices = {} } = model;
  const host = closed.test(key) ? "*" : provider;
  if (price === null || prices[host] !== undefined) return model;
  return { ...model, prices: { ...prices, [host]: price } };
}

/** A price of zero in the source means that the price is unknown. */
function priceOf({ cost }: SourceModel): CataloguePrice | null {
  if (cost.input <= 0 || cost.output <= 0) return null;
  const tiers = (cost.tiers ?? []).map(({ inputTokensAbove: above, ...price }) => ({
    above,
    ...plainPrice(price),
  }));
  return { ...plainPrice(cost), ...(tiers.length === 0 ? {} : { tiers }) };
}

function plainPrice({ input, output, cacheRead, cacheWrite }: SourcePrice): CataloguePrice {
  return {
    input,
    output,
    ...(cacheRead > 0 ? { cachedInput: cacheRead } : {}),
    ...(cacheWrite > 0 ? { cacheWrite } : {}),
  };
}
