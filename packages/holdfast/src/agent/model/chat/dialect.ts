import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";

type Level = NonNullable<LanguageModelV4CallOptions["reasoning"]>;

/** Differences between servers of the chat completions API. */
export interface ChatDialect {
  /** Returns the request fields for a reasoning level. */
  readonly reasoning: (level: Level) => object;
  /** Fields that every request contains. */
  readonly fields: object;
  /** Name of the field with the token limit of the answer. */
  readonly limit: "max_tokens" | "max_completion_tokens";
  /** True if the request must mark the parts of the prompt that the server should cache. */
  readonly marksCache: boolean;
  /** True if the server accepts a key for its prompt cache. */
  readonly keysCache: boolean;
}

export function dialectOf(target: {
  readonly name: string;
  readonly baseUrl: string;
  readonly model: string;
}): ChatDialect {
  const { name, baseUrl, model } = target;
  const host = URL.parse(baseUrl)?.hostname ?? "";
  const isRouter = isOpenRouter(target);
  const { reasoning } = servers.find(({ pattern }) => pattern.test(host)) ?? {
    reasoning: byEffort,
  };
  return {
    reasoning: isRouter ? byRouter : isOwn(name, host) ? byTemplate : reasoning,
    fields: isRouter ? { usage: { include: true } } : {},
    limit: !isRouter && newLimit.test(model) ? "max_completion_tokens" : "max_tokens",
    marksCache: isRouter && /^~?anthropic\//.test(model),
    keysCache: /(?:^|\.)openai\.com$/.test(host),
  };
}

/** True for OpenRouter, which reports the cost of each answer. */
export function isOpenRouter({ name, baseUrl }: { name: string; baseUrl: string }): boolean {
  const host = URL.parse(baseUrl)?.hostname ?? "";
  return name === "openrouter" || /(?:^|\.)openrouter\.ai$/.test(host);
}

/** OpenAI's reasoning models reject `max_tokens`. */
const newLimit = /^(?:openai\/)?(?:o[1-9](?:-|$)|gpt-[5-9])/;

/** True for a server that the user runs, such as Ollama, vLLM, SGLang or llama.cpp. */
function isOwn(name: string, host: string): boolean {
  if (name === "ollama" || name === "local") return true;
  return /^(?:localhost|127\.|10\.|192\.168\.|\[?::1|.*\.(?:local|internal)$)/.test(host);
}

function isThinking(level: Level): boolean {
  return level !== "none";
}

function effortOf(level: Level): { reasoning_effort?: string } {
  return level === "provider-default" ? {} : { reasoning_effort: level };
}

const byEffort = effortOf;

function byRouter(level: Level): object {
  return { reasoning: level === "provider-default" ? { enabled: true } : { effort: level } };
}

function byType(level: Level): object {
  return { thinking: { type: isThinking(level) ? "enabled" : "disabled" } };
}

/**
 * Turns reasoning on or off in the model's chat template. Most models on servers such as vLLM support this, and servers
 * ignore unknown fields.
 */
function byTemplate(level: Level): object {
  return {
    ...effortOf(level),
    chat_template_kwargs: { enable_thinking: isThinking(level) },
  };
}

const servers: readonly { pattern: RegExp; reasoning: ChatDialect["reasoning"] }[] = [
  {
    pattern: /(?:^|\.)deepseek\.com$/,
    reasoning: (level) => ({ ...byType(level), ...(isThinking(level) ? effortOf(level) : {}) }),
  },
  { pattern: /(?:^|\.)(?:z\.ai|bigmodel\.cn|moonshot\.(?:ai|cn))$/, reasoning: byType },
  {
    pattern: /(?:^|\.)aliyuncs\.com$/,
    reasoning: (level) => ({ enable_thinking: isThinking(level) }),
  },
  {
    pattern: /(?:^|\.)together\.(?:ai|xyz)$/,
    reasoning: (level) => ({ reasoning: { enabled: isThinking(level) } }),
  },
  // Send no field for the reasoning level: Grok's server rejects it, and the model's name determines the level.
  { pattern: /(?:^|\.)x\.ai$/, reasoning: () => ({}) },
];
