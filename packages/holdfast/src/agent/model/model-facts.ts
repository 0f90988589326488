import type { Usage } from "../../kernel/state.ts";
import type {
  Catalogue,
  CatalogueModel,
  CataloguePrice,
  ImageLimits,
  ReasoningLevel,
} from "./catalogue/catalogue.ts";
import { builtInCatalogue } from "./catalogue/read-catalogue.ts";
import type { ModelInputs, ModelLimits } from "./model.ts";
import type { ReasoningWish } from "./reasoning.ts";

/** Known properties of a model. */
export interface ModelFacts {
  readonly limits: ModelLimits;
  readonly accepts: ModelInputs;
  /** Image limits. Null: unknown. */
  readonly imageLimits: ImageLimits | null;
  /** False: the model cannot call tools. */
  readonly tools: boolean;
  /** Reasoning levels that can be requested, lowest first. Empty: the model does not reason. Null: unknown. */
  readonly reasoning: readonly ReasoningLevel[] | null;
  /** True: the model itself decides how long to reason; the level only guides it. */
  readonly adaptive: boolean;
  /** Dollars per million tokens. Null: unknown, and no cost is reported. */
  readonly price: Price | null;
  /** Date on which the vendor shuts the model down. Null: none is known. */
  readonly endOfLife: string | null;
  /**
   * Source of the limits. `guess`: the catalogue contains at most a related model, so the limits are estimated and
   * people are informed.
   */
  readonly source: "catalogue" | "server" | "config" | "guess";
  /**
   * Advice on how to enlarge the context window, shown in error messages. Null: the window is fixed, or the way is
   * unknown.
   */
  readonly windowSetting: string | null;
  /** Reasoning settings for this model from the config. */
  readonly wish?: ReasoningWish;
}

export interface Price extends PriceOfTokens {
  /** Prices for requests with more than `above` input tokens, in ascending order. */
  readonly tiers?: readonly (PriceOfTokens & { readonly above: number })[];
}

interface PriceOfTokens {
  readonly input: number;
  readonly cachedInput: number;
  /** Price of writing to the provider's cache. Missing: the input price. */
  readonly cacheWrite?: number;
  readonly output: number;
}

/** Default limits in tokens for a model that neither the catalogue nor its server knows. */
const unknown = { context: 128_000, output: 16_000 };

/** Name patterns of models that accept images. Other models would reject a request with an image. */
const visionModels =
  /claude|gemini|gpt-4\.1|gpt-4o|gpt-5|vision|llava|pixtral|moondream|minicpm-v|gemma-?3|llama-?4|[-.\d]vl\b|omni/i;

/** Returns the properties of a model, given as `provider/model`. The provider's name affects only the price. */
export function factsOf(modelId: string, catalogue: Catalogue = builtInCatalogue()): ModelFacts {
  const slash = modelId.indexOf("/");
  const provider = modelId.slice(0, Math.max(slash, 0));
  const name = modelId.slice(slash + 1);
  const found = catalogue.find(name);
  if (found === null) return guess(name);
  const { model, isExact } = found;
  const { images, reasoning = [], adaptive = false, endOfLife = null } = model;
  return {
    limits: limitsOf(model),
    accepts: {
      images: images !== undefined,
      documents: images !== undefined && documentReaders.has(provider),
    },
    imageLimits: images ?? null,
    tools: true,
    reasoning,
    adaptive,
    price: isExact ? priceOf(model, provider) : null,
    endOfLife: isExact ? endOfLife : null,
    source: isExact ? "catalogue" : "guess",
    windowSetting: null,
  };
}

/** Providers whose native protocol supports documents. */
const documentReaders: ReadonlySet<string> = new Set(["anthropic", "openai", "google"]);

function guess(name: string): ModelFacts {
  return {
    limits: unknown,
    accepts: { images: visionModels.test(name), documents: false },
    imageLimits: null,
    tools: true,
    reasoning: null,
    adaptive: false,
    price: null,
    endOfLife: null,
    source: "guess",
    windowSetting: null,
  };
}

/** Reserves half of the context window for the input, because some models may fill the whole window with output. */
function limitsOf({ context, output }: ModelLimits): ModelLimits {
  return { context, output: Math.min(output, Math.floor(context / 2)) };
}

function priceOf({ prices = {} }: CatalogueModel, provider: string): Price | null {
  const price = prices[provider] ?? prices["*"];
  if (price === undefined) return null;
  const { tiers = [] } = price;
  return {
    ...plainPrice(price),
    tiers: tiers.map((tier) => ({ ...plainPrice(tier), above: tier.above })),
  };
}

/** If the catalogue has no price for cached input, it costs the same as other input. */
function plainPrice(price: Omit<CataloguePrice, "tiers">): PriceOfTokens {
  const { input, output, cachedInput = input, cacheWrite = input } = price;
  return { input, output, cachedInput, cacheWrite };
}

/** Computes the usage and its cost, if the price is known. */
export function usageOf(
  price: Price | null,
  tokens: { input: number; cachedInput: number; cacheWrite: number; output: number },
): Usage {
  const input = amountOf(tokens.input);
  const cachedInput = amountOf(tokens.cachedInput);
  const output = amountOf(tokens.output);
  const cacheWrite = amountOf(tokens.cacheWrite);
  const fresh = Math.max(0, input - cachedInput - cacheWrite);
  const usage = { inputTokens: input, outputTokens: output };
  if (price === null) return { ...usage, cost: 0 };
  const rate = price.tiers?.findLast(({ above }) => input > above) ?? price;
  const dollars =
    fresh * rate.input +
    cachedInput * rate.cachedInput +
    cacheWrite * (rate.cacheWrite ?? rate.input) +
    output * rate.output;
  return { ...usage, cost: dollars / 1e6 };
}

/** Replaces invalid token counts with 0, because they should not fail the answer. */
function amountOf(tokens: number): number {
  return Number.isFinite(tokens) && tokens > 0 ? tokens : 0;
}
