import { defaultModel, modelVariables, providersOf } from "../agent/model/known-providers.ts";
import type { Provider } from "../agent/model/known-providers.ts";

export interface ConnectedModels {
  readonly providers: readonly Provider[];
  /** What a run uses when nobody names another; null where none is known. */
  readonly chosen: string | null;
}

/** What the environment connects. */
export function connectedModels(environment: NodeJS.ProcessEnv): ConnectedModels {
  const named = environment["HOLDFAST_MODEL"]?.trim() ?? "";
  const providers = providersOf(environment);
  return { providers, chosen: named === "" ? defaultModel(providers) : named };
}

const keys = modelVariables
  .map(({ variable }) => variable)
  .filter((name) => name.endsWith("_API_KEY"));

/** How to get from the demo agent to the coding agent, in one line. */
export const connectAdvice =
  `To connect a model, set ${keys.join(", ")}, OLLAMA_BASE_URL, or HOLDFAST_BASE_URL for any ` +
  "server that speaks OpenAI's protocol; `holdfast models` says more";
