import { openClient } from "../../compose/client.ts";
import type { Holdfast, Provider } from "@holdfast/sdk";
import { modelVariables } from "../../agent/model/known-providers.ts";
import type { ProviderName } from "../../agent/model/known-providers.ts";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { configPlace, placeOf } from "../client-options.ts";
import type { PlacedOptions } from "../client-options.ts";
import { printable } from "../terminal/printable.ts";
import { onStdout } from "../terminal/style.ts";
import { Refused } from "@holdfast/sdk";

const shown = 30;

/** `holdfast models`: what the server, or this process, can ask, and what that offers. */
export async function listModels(options: PlacedOptions & { json?: true }): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "settings");
  const { holdfast, url } = client;
  const place = configPlace(options);
  const { items, model: chosen } = await holdfast.providers.list(place);
  const providers = items.filter(({ status }) => status === "connected");
  const listed = await Promise.all(
    providers.map(async (provider) => {
      return { provider, offer: await modelsAt(holdfast, provider, place) };
    }),
  );
  if (options.json === true) {
    const all = listed.map(({ provider, offer }) => ({ ...describe(provider), ...offer }));
    console.log(JSON.stringify({ server: url, chosen, providers: all }));
    return exitCodes.ok;
  }
  if (url !== null) console.log(`at the server ${url}\n`);
  if (providers.length === 0) console.log("No model is connected: the demo agent answers.\n");
  for (const { provider, offer } of listed) print(provider, offer);
  if (chosen !== null)
    console.log(`used when none is named: ${onStdout("bold", printable(chosen))}`);
  else if (providers.length > 0) {
    console.log("none is chosen; name one with --model provider/name or HOLDFAST_MODEL");
  }
  if (providers.length === 0) printAdvice(url);
  return exitCodes.ok;
}

function print(provider: Provider, { models, problem }: ModelsAt): void {
  const { name, address, key } = describe(provider);
  console.log(`${onStdout("bold", name)}  ${address}  key: ${key}`);
  for (const model of models.slice(0, shown)) console.log(`  ${printable(model)}`);
  if (models.length > shown) console.log(`  and ${models.length - shown} more (--json lists all)`);
  if (problem !== null) console.log(onStdout("yellow", `  ${problem}`));
  console.log("");
}

function printAdvice(url: string | null): void {
  console.log(
    "`holdfast connect anthropic` asks for a key and keeps it. Or set one of these in the",
  );
  console.log(`environment${url === null ? "" : " of the server"}:`);
  for (const { provider, variable } of modelVariables) {
    console.log(`  ${variable.padEnd(20)}${hints[provider]}`);
  }
  console.log("and, to choose a model, HOLDFAST_MODEL or --model: provider/name.");
}

const hints: Readonly<Record<ProviderName, string>> = {
  anthropic: "Anthropic",
  openai: "OpenAI",
  google: "Google Gemini",
  openrouter: "OpenRouter; name a model, such as openrouter/qwen/qwen3-coder",
  ollama: "Ollama, such as http://localhost:11434/v1; name a model, such as ollama/qwen3",
  local:
    "any other server that speaks OpenAI's protocol; name a model as local/name;\n" +
    `${" ".repeat(22)}HOLDFAST_API_KEY if it wants a key`,
};

function describe({ name, baseUrl, key }: Provider): {
  name: string;
  address: string;
  key: string;
} {
  return { name, address: printable(baseUrl), key: key ?? "none" };
}

/** What there is to be had from a provider. */
interface ModelsAt {
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
