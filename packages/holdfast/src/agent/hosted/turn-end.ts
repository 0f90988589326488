import { fieldsOf } from "../../base/json-rpc.ts";
import type { Usage } from "../../kernel/state.ts";
import { AgentGone } from "./agent-process.ts";
import type { TurnEvent } from "./foreign-session.ts";
import { isTokens } from "./updates.ts";

/**
 * Converts the agent's response to a prompt into an `end` event: the agent sends the response when its turn has ended.
 */
export function endOf(answer: unknown): TurnEvent {
  const { stopReason, usage, _meta } = fieldsOf(answer);
  return {
    type: "end",
    stopReason: typeof stopReason === "string" ? stopReason : "end_turn",
    usage: usageOf(usage) ?? usageOf(fieldsOf(_meta)["usage"]),
  };
}

export function failureOf(error: unknown): TurnEvent {
  if (error instanceof AgentGone) return { type: "gone", reason: error.message };
  return { type: "failed", error: error instanceof Error ? error : new Error(String(error)) };
}

/** True if the stop reason means that the turn has answered the prompt. */
export function isSuccess(stopReason: string): boolean {
  return !["cancelled", "refusal", "max_turn_requests"].includes(stopReason);
}

/** Returns the status and the output with which the end of a turn is recorded. */
export function describeEnd(
  event: Extract<TurnEvent, { type: "end" | "failed" | "gone" }>,
): readonly ["completed" | "interrupted" | "failed" | "inDoubt", string] {
  if (event.type === "gone") return ["inDoubt", event.reason];
  if (event.type === "failed") return ["failed", event.error.message];
  if (event.stopReason === "cancelled") return ["interrupted", "The agent cancelled its turn."];
  return ["completed", `The agent ended its turn: ${event.stopReason}.`];
}

/** Reads the token counts that some agents add to the response of a prompt. */
function usageOf(usage: unknown): Usage | null {
  const fields = fieldsOf(usage);
  const count = (name: string): number => {
    const value = fields[name];
    return isTokens(value) ? value : 0;
  };
  const cached = count("cachedReadTokens") + count("cachedWriteTokens");
  const inputTokens = count("inputTokens") + cached;
  const outputTokens = count("outputTokens") + count("thoughtTokens");
  return inputTokens + outputTokens === 0 ? null : { inputTokens, outputTokens, cost: 0 };
}
