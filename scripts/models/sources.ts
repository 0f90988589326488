/** Packages that contain the data for the catalogue. Raise the versions to refresh the catalogue. */
export const packages = {
  /** Context windows, prices and reasoning levels of several hundred models (MIT). */
  models: { name: "@earendil-works/pi-ai", version: "1.5.0" },
  /** Anthropic's own list of models that will be shut down (Apache-2.0). */
  anthropic: { name: "@anthropic-ai/sdk", version: "1.8.0" },
} as const;

/**
 * Model lists in `packages.models`, in order of trust: the lists of model makers, then those of large hosts. Lists of
 * subscriptions are left out, because they have no price per token. `provider`: Holdfast's name for the maker or host.
 */
export const lists: readonly { readonly file: string; readonly provider: string }[] = [
  { file: "anthropic", provider: "anthropic" },
  { file: "openai", provider: "openai" },
  { file: "google", provider: "google" },
  { file: "xai", provider: "xai" },
  { file: "deepseek", provider: "deepseek" },
  { file: "mistral", provider: "mistral" },
  { file: "moonshotai", provider: "moonshot" },
  { file: "zai", provider: "zai" },
  { file: "minimax", provider: "minimax" },
  { file: "xiaomi", provider: "xiaomi" },
  { file: "meta", provider: "meta" },
  { file: "openrouter", provider: "openrouter" },
  { file: "groq", provider: "groq" },
  { file: "cerebras", provider: "cerebras" },
  { file: "together", provider: "together" },
  { file: "fireworks", provider: "fireworks" },
  { file: "amazon-bedrock", provider: "bedrock" },
];

/** Models whose price is set only by their maker, so that it is the same at every host. */
export const closed = /^(?:claude-|gemini-|grok-|nova-|chat-latest|o\d|gpt-(?!oss))/;

/** Shutdown dates of models for which the npm packages above have no date. Copied from the model makers' pages. */
export const shutdowns: Readonly<Record<string, readonly string[]>> = {
  "2026-06-15": ["claude-opus-4", "claude-sonnet-4"],
  "2026-07-23": [
    "gpt-5-chat-latest",
    "gpt-5.1-codex",
    "gpt-5.1-codex-max",
    "gpt-5.1-codex-mini",
    "gpt-5.2-codex",
  ],
  "2026-08-05": ["claude-opus-4-1"],
  "2026-08-10": ["gpt-5.2-chat", "gpt-5.2-chat-latest", "gpt-5.3-chat", "gpt-5.3-chat-latest"],
  "2026-10-16": ["gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-2.5-pro"],
  "2026-10-23": [
    "gpt-3.5-turbo",
    "gpt-4",
    "gpt-4-turbo",
    "gpt-4.1-nano",
    "gpt-4o-2024-05-13",
    "o1",
    "o1-pro",
    "o3-mini",
    "o4-mini",
  ],
  "2026-12-11": ["gpt-5", "gpt-5-mini", "gpt-5-nano", "gpt-5-pro", "o3", "o3-pro"],
  "2027-01-14": ["gpt-4.1", "gpt-4.1-mini", "gpt-4o", "gpt-4o-mini"],
  "2027-04-01": ["gpt-5.1"],
  "2027-05-07": ["gemini-3.1-flash-lite"],
};
