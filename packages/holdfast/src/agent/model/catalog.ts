import type { Usage } from "../../kernel/state.ts";
import type { ModelInputs, ModelLimits } from "./model.ts";

/** Known properties of a model. */
export interface ModelFacts {
  readonly limits: ModelLimits;
  readonly accepts: ModelInputs;
  /** Dollars per million tokens. Null: unknown, and no cost is reported. */
  readonly price: Price | null;
}

export interface Price {
  readonly input: number;
  readonly cachedInput: number;
  /** Price of writing to the provider's cache. Missing: the input price. */
  readonly cacheWrite?: number;
  readonly output: number;
}

/** Known properties of each model family. A new model of a family gets the values of the family. */
const families: readonly { pattern: RegExp; facts: ModelFacts }[] = [
  family(/^anthropic\/claude-.*opus/, [200_000, 32_000], [5, 0.5, 25, 6.25]),
  family(/^anthropic\/claude-.*sonnet/, [200_000, 64_000], [3, 0.3, 15, 3.75]),
  family(/^anthropic\/claude-.*haiku/, [200_000, 64_000], [1, 0.1, 5, 1.25]),
  family(/^openai\/gpt-5.*(mini|nano)/, [400_000, 128_000], [0.25, 0.025, 2]),
  family(/^openai\/gpt-5/, [400_000, 128_000], [1.25, 0.125, 10]),
  family(/^openai\/gpt-4\.1/, [1_000_000, 32_000], [2, 0.5, 8]),
  family(/^google\/gemini-.*flash/, [1_000_000, 64_000], [0.3, 0.075, 2.5]),
  family(/^google\/gemini-.*pro/, [1_000_000, 64_000], [1.25, 0.31, 10]),
];

const unknown = { limits: { context: 128_000, output: 16_000 }, price: null } as const;

/** Name patterns of models that accept images. Other models would reject the whole request. */
const visionModels =
  /claude|gemini|gpt-4\.1|gpt-4o|gpt-5|vision|llava|pixtral|moondream|minicpm-v|gemma-?3|llama-?4|[-.\d]vl\b|omni/i;

export function factsOf(modelId: string): ModelFacts {
  const family = families.find(({ pattern }) => pattern.test(modelId))?.facts;
  return (
    family ?? { ...unknown, accepts: { images: visionModels.test(modelId), documents: false } }
  );
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
  const dollars =
    fresh * price.input +
    cachedInput * price.cachedInput +
    cacheWrite * (price.cacheWrite ?? price.input) +
    output * price.output;
  return { ...usage, cost: dollars / 1e6 };
}

/** Replaces invalid token counts with 0, because they should not fail the answer. */
function amountOf(tokens: number): number {
  return Number.isFinite(tokens) && tokens > 0 ? tokens : 0;
}

function family(
  pattern: RegExp,
  [context, output]: readonly [number, number],
  [input, cachedInput, outputPrice, cacheWrite = input]: readonly [number, number, number, number?],
): { pattern: RegExp; facts: ModelFacts } {
  const price = { input, cachedInput, output: outputPrice, cacheWrite };
  const accepts = { images: true, documents: true };
  return { pattern, facts: { limits: { context, output }, price, accepts } };
}
