import type { SessionUpdate } from "./protocol.ts";
import type { EventOf } from "./tool-calls.ts";

/** Reports the tokens in the model's context and the cost of the session after each answer. */
export interface UsageReport {
  answered(event: EventOf<"step.answered">): SessionUpdate | null;
}

export function createUsageReport(
  /** Returns the context window of a model in tokens. Null: unknown. */
  windowOf: (model: string) => number | null,
): UsageReport {
  let amount = 0;
  return {
    answered: ({ usage, content }) => {
      amount += usage.cost;
      const model = content?.model ?? null;
      // A hosted agent reports its context itself.
      const size = content?.context?.size ?? (model === null ? null : windowOf(model));
      const used = content?.context?.used ?? usage.inputTokens + usage.outputTokens;
      // The protocol requires both numbers, so report nothing if the context window is unknown or the provider counts
      // no tokens.
      if (size === null || used === 0) return null;
      const cost = amount > 0 ? { cost: { amount, currency: "USD" as const } } : {};
      return { sessionUpdate: "usage_update", used, size, ...cost };
    },
  };
}
