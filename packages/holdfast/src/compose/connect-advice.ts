/** How to get from the demo agent to the coding agent, in one line. */
export const connectAdvice =
  "To connect a model, run `holdfast connect anthropic` (or openai, google, openrouter, ollama), or " +
  "set ANTHROPIC_API_KEY and the like; `holdfast models` says more";
