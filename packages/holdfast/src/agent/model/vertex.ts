import { randomUUID } from "node:crypto";
import type { LanguageModel } from "./ai-sdk.ts";
import type { Wire } from "./platform.ts";
import type { Settings } from "./providers.ts";

/** Opens a Gemini or Claude model on Google Vertex. The SDK's usual clients would send other URLs and bodies. */
export async function openVertexModel(
  wire: Wire,
  { model, settings }: { readonly model: string; readonly settings: Settings },
): Promise<LanguageModel> {
  const { baseURL, headers = {}, fetch } = settings;
  const common = { baseURL, headers, ...(fetch === undefined ? {} : { fetch }) };
  if (wire === "google") {
    const { GoogleLanguageModel } = await import("@ai-sdk/google/internal");
    const provider = "google.vertex.chat";
    return new GoogleLanguageModel(model, { ...common, provider, generateId: randomUUID });
  }
  const { AnthropicLanguageModel } = await import("@ai-sdk/anthropic/internal");
  return new AnthropicLanguageModel(model, {
    ...common,
    provider: "googleVertex.anthropic.messages",
    buildRequestUrl: (base) => `${base}/${model}:streamRawPredict`,
    // Vertex expects the model in the URL and the API version in the body.
    transformRequestBody: ({ model: _model, ...body }) => ({
      ...body,
      anthropic_version: "vertex-2023-10-16",
    }),
    supportedUrls: () => ({}),
    supportsNativeStructuredOutput: false,
    supportsStrictTools: false,
  });
}
