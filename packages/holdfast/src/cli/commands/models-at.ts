import { Refused } from "@holdfast/sdk";
import type { Holdfast, Provider } from "@holdfast/sdk";

/** What there is to be had from a provider. */
export interface ModelsAt {
  /** As `provider/model`. */
  readonly models: readonly string[];
  readonly problem: string | null;
}

/** What the provider is known for; one that is known for none is asked. */
export async function modelsAt(
  holdfast: Holdfast,
  { defaultModel, name }: Pick<Provider, "defaultModel" | "name">,
  place: { directory?: string; signal?: AbortSignal },
): Promise<ModelsAt> {
  if (defaultModel !== null) return { models: [`${name}/${defaultModel}`], problem: null };
  if (name === "openrouter")
    return { models: [], problem: "openrouter.ai/models lists its models" };
  try {
    const { models, problem } = await holdfast.providers.test(name, place);
    return { models, problem };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { models: [], problem: `the server does not ask it for you: ${error.message}` };
  }
}
