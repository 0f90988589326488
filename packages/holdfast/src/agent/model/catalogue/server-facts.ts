import type { ModelFacts, Price } from "../model-facts.ts";

/** Properties of a model as reported by its server. Null: not reported. */
export interface ServerFacts {
  readonly context: number | null;
  /** True if `context` is a default of this kind of server, which the server did not report. */
  readonly isGuess?: boolean;
  readonly output: number | null;
  readonly images: boolean | null;
  readonly tools: boolean | null;
  readonly price: Price | null;
  readonly endOfLife: string | null;
  /** Advice on how to enlarge this server's context window, shown in error messages. Null: unknown. */
  readonly windowSetting: string | null;
}

export const nothingStated: ServerFacts = {
  context: null,
  output: null,
  images: null,
  tools: null,
  price: null,
  endOfLife: null,
  windowSetting: null,
};

/** Replaces values of the catalogue with values that the server reports. */
export function withServer(facts: ModelFacts, server: ServerFacts | null): ModelFacts {
  if (server === null) return facts;
  const context = server.context ?? facts.limits.context;
  const output = Math.min(server.output ?? facts.limits.output, Math.floor(context / 2));
  const images = server.images ?? facts.accepts.images;
  return {
    ...facts,
    limits: { context, output },
    accepts: { images, documents: facts.accepts.documents && images },
    imageLimits: images ? facts.imageLimits : null,
    tools: server.tools ?? facts.tools,
    price: server.price ?? facts.price,
    endOfLife: server.endOfLife ?? facts.endOfLife,
    source: server.context === null ? facts.source : server.isGuess === true ? "guess" : "server",
    windowSetting: server.windowSetting ?? facts.windowSetting,
  };
}

/**
 * Reads one entry of a server's model list. Each kind of server has its own fields: vLLM `max_model_len`, OpenRouter
 * `context_length` and `pricing`, Anthropic `max_input_tokens` and `retires_at`, OpenAI `shutdown_date`, Google
 * `inputTokenLimit`, llama.cpp `meta.n_ctx`.
 */
export function statedIn(entry: Readonly<Record<string, unknown>>): ServerFacts {
  const top = record(entry["top_provider"]);
  const isVllm = tokens(entry["max_model_len"]) !== null;
  return {
    context:
      tokens(entry["max_model_len"]) ??
      tokens(top["context_length"]) ??
      tokens(entry["context_length"]) ??
      tokens(entry["max_input_tokens"]) ??
      tokens(entry["inputTokenLimit"]) ??
      tokens(record(entry["meta"])["n_ctx"]),
    output:
      tokens(top["max_completion_tokens"]) ??
      (entry["type"] === "model" ? tokens(entry["max_tokens"]) : null) ??
      tokens(entry["outputTokenLimit"]),
    images: imagesIn(entry),
    tools: toolsIn(entry["supported_parameters"]),
    price: priceIn(record(entry["pricing"])),
    endOfLife:
      day(entry["retires_at"]) ?? day(entry["shutdown_date"]) ?? day(entry["expiration_date"]),
    windowSetting: isVllm ? "Start vLLM with a larger --max-model-len" : null,
  };
}

function imagesIn(entry: Readonly<Record<string, unknown>>): boolean | null {
  const modalities = record(entry["architecture"])["input_modalities"];
  if (Array.isArray(modalities)) return modalities.includes("image");
  const supported = record(record(entry["capabilities"])["image_input"])["supported"];
  return typeof supported === "boolean" ? supported : null;
}

function toolsIn(parameters: unknown): boolean | null {
  return Array.isArray(parameters) ? parameters.includes("tools") : null;
}

/** Reads prices in dollars per token, written as strings. A negative price means that the price varies. */
function priceIn(pricing: Readonly<Record<string, unknown>>): Price | null {
  const input = perMillion(pricing["prompt"]);
  const output = perMillion(pricing["completion"]);
  if (input === null || output === null) return null;
  return {
    input,
    output,
    cachedInput: perMillion(pricing["input_cache_read"]) ?? input,
    cacheWrite: perMillion(pricing["input_cache_write"]) ?? input,
  };
}

function perMillion(value: unknown): number | null {
  if (typeof value !== "string" && typeof value !== "number") return null;
  const dollars = Number(value);
  if (value === "" || !Number.isFinite(dollars) || dollars < 0) return null;
  // Round, because 0.0000003 * 1e6 is not exactly 0.3.
  return Number((dollars * 1e6).toFixed(6));
}

/** Returns the value if it is a plausible number of tokens, else null. */
export function tokens(value: unknown): number | null {
  const isUsual = typeof value === "number" && Number.isInteger(value) && value >= 256;
  return isUsual && value <= 1_000_000_000 ? value : null;
}

function day(value: unknown): string | null {
  if (typeof value !== "string") return null;
  return /^\d{4}-\d\d-\d\d/.exec(value)?.[0] ?? null;
}

export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
