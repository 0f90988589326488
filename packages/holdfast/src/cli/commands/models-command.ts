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

/** `holdfast models`: lists the models of the server or of this process. */
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
  if (url !== null) console.log(`Server ${url}\n`);
  if (providers.length === 0) console.log("No model is connected. The demo agent answers.\n");
  for (const { provider, offer } of listed) print(provider, offer);
  if (chosen !== null) console.log(`default: ${onStdout("bold", printable(chosen))}`);
  else if (providers.length > 0) {
    console.log("no default model; set one with --model provider/name or HOLDFAST_MODEL");
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
    "To connect a provider, run `holdfast connect anthropic`. Or set one of these in the",
  );
  console.log(`environment${url === null ? "" : " of the server"}:`);
  const others: string[] = [];
  for (const { provider, variable } of modelVariables) {
    const hint = hints[provider];
    if (hint === undefined) others.push(variable);
    else console.log(`  ${variable.padEnd(26)}${hint}`);
  }
  console.log(`  or ${others.join(", ")}`);
  console.log("To choose a model, set HOLDFAST_MODEL or --model to provider/name.");
}

const hints: Readonly<Partial<Record<ProviderName, string>>> = {
  anthropic: "Anthropic",
  openai: "OpenAI",
  google: "Google Gemini",
  openrouter: "OpenRouter; name a model, such as openrouter/qwen/qwen3-coder",
  azure: "Azure OpenAI; set AZURE_OPENAI_ENDPOINT too, and name a deployment as azure/name",
  bedrock: "Amazon Bedrock; or use your AWS credentials: holdfast connect bedrock --no-key",
  copilot: "GitHub Copilot; or sign in: holdfast connect copilot",
  ollama: "Ollama, such as http://localhost:11434/v1; name a model, such as ollama/qwen3",
  local:
    "any other server with an OpenAI-compatible API; name a model as local/name;\n" +
    `${" ".repeat(28)}set HOLDFAST_API_KEY if it needs a key`,
};

function describe({ name, baseUrl, key }: Provider): {
  name: string;
  address: string;
  key: string;
} {
  return { name, address: printable(baseUrl), key: key ?? "none" };
}

/** Models of a provider. */
interface ModelsAt {
  /** In the form `provider/model`. */
  readonly models: readonly string[];
  readonly problem: string | null;
}

/** The default model of a provider; a provider without one is asked for its list. */
export async function modelsAt(
  holdfast: Holdfast,
  { defaultModel, name }: Pick<Provider, "defaultModel" | "name">,
  place: { directory?: string; signal?: AbortSignal },
): Promise<ModelsAt> {
  if (defaultModel !== null) return { models: [`${name}/${defaultModel}`], problem: null };
  if (name === "openrouter")
    return { models: [], problem: "see openrouter.ai/models for its models" };
  try {
    const { models, problem } = await holdfast.providers.test(name, place);
    return { models, problem };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { models: [], problem: `the server did not list its models: ${error.message}` };
  }
}
