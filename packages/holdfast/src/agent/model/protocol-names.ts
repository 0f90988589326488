/**
 * Names of API protocols. `compatible` is the OpenAI-compatible chat API. The last four are platforms, which serve
 * models in one or more of these formats and have their own addresses and sign-in.
 */
export const protocolNames = [
  "anthropic",
  "openai",
  "google",
  "compatible",
  "azure",
  "bedrock",
  "vertex",
  "copilot",
] as const;
