import type { Attributes } from "@opentelemetry/api";
import type { Usage } from "../../kernel/state.ts";

// Names of the GenAI conventions: https://opentelemetry.io/docs/specs/semconv/gen-ai/

export type Operation = "invoke_agent" | "chat" | "execute_tool";

/** A span's name: the operation, and the agent, model or tool that it is about. */
export function spanName(operation: Operation, subject: string | null): string {
  return subject === null ? operation : `${operation} ${subject}`;
}

/** Attributes of a model in the form `provider/model`. */
export function modelAttributes(id: string | null): Attributes {
  const { provider, model } = splitModel(id);
  return {
    "gen_ai.provider.name": provider,
    ...(model === null ? {} : { "gen_ai.request.model": model }),
  };
}

/** The name of the model without its provider. */
export function modelName(id: string | null): string | null {
  return splitModel(id).model;
}

export function usageAttributes({ inputTokens, outputTokens, cost }: Usage): Attributes {
  return {
    "gen_ai.usage.input_tokens": inputTokens,
    "gen_ai.usage.output_tokens": outputTokens,
    "holdfast.usage.cost": cost,
  };
}

function splitModel(id: string | null): { provider: string; model: string | null } {
  // The conventions require a provider. Use our own name for agents without one, such as the demo agent.
  if (id === null) return { provider: "holdfast", model: null };
  const at = id.indexOf("/");
  if (at < 0) return { provider: "holdfast", model: id };
  const provider = id.slice(0, at);
  return { provider: providerNames.get(provider) ?? provider, model: id.slice(at + 1) };
}

/** Providers that the conventions name differently. */
const providerNames: ReadonlyMap<string, string> = new Map([
  ["google", "gcp.gemini"],
  ["gemini", "gcp.gemini"],
  ["vertex", "gcp.vertex_ai"],
  ["google-vertex", "gcp.vertex_ai"],
  ["azure", "azure.ai.openai"],
  ["bedrock", "aws.bedrock"],
  ["amazon-bedrock", "aws.bedrock"],
  ["mistral", "mistral_ai"],
  ["xai", "x_ai"],
]);
