import type { Attributes } from "@opentelemetry/api";
import type { Usage } from "../../kernel/state.ts";

// Names from OpenTelemetry's GenAI conventions: https://opentelemetry.io/docs/specs/semconv/gen-ai/

export type Operation = "invoke_agent" | "chat" | "execute_tool";

/** Builds a span's name: the operation, then the agent, model or tool. */
export function spanName(operation: Operation, subject: string | null): string {
  return subject === null ? operation : `${operation} ${subject}`;
}

/** Returns the span attributes of a model, given as `provider/model`. */
export function modelAttributes(id: string | null): Attributes {
  const { provider, model } = splitModel(id);
  return {
    "gen_ai.provider.name": provider,
    ...(model === null ? {} : { "gen_ai.request.model": model }),
  };
}

/** Returns the name of the model without its provider. */
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
  // OpenTelemetry's conventions for generative AI require a provider name. Use `holdfast` for agents without a model
  // provider, such as the demo agent.
  if (id === null) return { provider: "holdfast", model: null };
  const at = id.indexOf("/");
  if (at < 0) return { provider: "holdfast", model: id };
  const provider = id.slice(0, at);
  return { provider: providerNames.get(provider) ?? provider, model: id.slice(at + 1) };
}

/** Providers that have a different name in OpenTelemetry's naming conventions for generative AI. */
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
