import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Usage } from "../../kernel/state.ts";
import { usageOf } from "./model-facts.ts";
import type { Price } from "./model-facts.ts";
import { reportedCost } from "./chat/replayed-fields.ts";
import { messageLength } from "./message-length.ts";
import type { ModelRequest } from "./model.ts";

type Finish = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

/** Estimated characters per token, for servers that report no usage. */
const charactersPerToken = 3.2;

/**
 * Returns the usage of a call. The cost is the amount that the server reports, else it is computed from the price. If
 * the server reports no usage, it is estimated from the text lengths, so that budgets still apply.
 */
export function usageOfCall(
  { usage, providerMetadata }: Pick<Finish, "usage" | "providerMetadata">,
  call: {
    readonly price: Price | null;
    readonly request: Pick<ModelRequest, "system" | "messages" | "tools">;
    readonly outputLength: number;
  },
): Usage {
  const { inputTokens, outputTokens } = usage;
  const isReported = (inputTokens.total ?? 0) > 0 || (outputTokens.total ?? 0) > 0;
  const counted = usageOf(call.price, {
    input: isReported ? (inputTokens.total ?? 0) : tokensOf(requestLength(call.request)),
    cachedInput: inputTokens.cacheRead ?? 0,
    cacheWrite: inputTokens.cacheWrite ?? 0,
    output: isReported ? (outputTokens.total ?? 0) : tokensOf(call.outputLength),
  });
  const cost = reportedCost(providerMetadata);
  return cost === null ? counted : { ...counted, cost };
}

function requestLength({
  system,
  messages,
  tools,
}: Pick<ModelRequest, "system" | "messages" | "tools">): number {
  const said = messages.reduce((sum, message) => sum + messageLength(message), 0);
  return system.length + said + JSON.stringify(tools).length;
}

function tokensOf(length: number): number {
  return Math.ceil(length / charactersPerToken);
}
