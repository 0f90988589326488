import type { SharedV4ProviderMetadata, SharedV4ProviderOptions } from "@ai-sdk/provider";

/** Key under which the SDK merges additional fields into a message of the chat API. */
const key = "openaiCompatible";

/** Metadata at the end of a chat answer, besides the usage. */
export interface AnswerMetadata {
  /** Structured reasoning that the server expects back with the answer (OpenRouter). */
  readonly reasoningDetails: readonly object[];
  /** Cost in dollars as reported by the server. */
  readonly cost: number | null;
}

export function answerMetadata({ reasoningDetails, cost }: AnswerMetadata): {
  providerMetadata?: SharedV4ProviderMetadata;
} {
  if (reasoningDetails.length === 0 && cost === null) return {};
  const details = reasoningDetails.length === 0 ? {} : { reasoning_details: [...reasoningDetails] };
  return { providerMetadata: { [key]: { ...jsonOf(details), cost } } };
}

/**
 * Returns options that send fields of an earlier answer back to the server that added them (`reasoning_details`). Null
 * if the answer has no such fields.
 */
export function replayedFields(
  metadata: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderOptions | null {
  const details = metadata?.[key]?.["reasoning_details"];
  return details === undefined ? null : { [key]: { reasoning_details: details } };
}

export function reportedCost(metadata: SharedV4ProviderMetadata | undefined): number | null {
  const cost = metadata?.[key]?.["cost"];
  return typeof cost === "number" && Number.isFinite(cost) && cost >= 0 ? cost : null;
}

/** Converts reasoning details to the SDK's JSON type. Nothing is lost, because the details were parsed from JSON. */
function jsonOf(details: object): SharedV4ProviderMetadata[string] {
  return JSON.parse(JSON.stringify(details));
}
