import { modelVariables } from "../main.ts";

const keys = modelVariables
  .map(({ variable }) => variable)
  .filter((name) => name.endsWith("_API_KEY"));

/** How to get from the demo agent to the coding agent, in one line. */
export const connectAdvice =
  `To connect a model, set ${keys.join(", ")}, OLLAMA_BASE_URL, or HOLDFAST_BASE_URL for any ` +
  "server that speaks OpenAI's protocol; `holdfast models` says more";
