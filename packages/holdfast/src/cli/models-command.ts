import { connectedModels, modelVariables } from "../main.ts";
import type { ConnectedModels, ProviderName } from "../main.ts";
import { exitCodes } from "./cli-error.ts";
import type { ExitCode } from "./cli-error.ts";
import { printable } from "./printable.ts";
import { onStdout } from "./style.ts";

type Provider = ConnectedModels["providers"][number];

const timeout = 3_000;
const shown = 30;

/** `holdfast models`: what is connected, and what it offers. No key is shown. */
export async function listModels(options: { json?: true }): Promise<ExitCode> {
  const { providers, chosen } = connectedModels(process.env);
  const listed = await Promise.all(
    providers.map(async (provider) => ({ provider, offer: await offerOf(provider) })),
  );
  if (options.json === true) {
    const all = listed.map(({ provider, offer }) => ({ ...describe(provider), ...offer }));
    console.log(JSON.stringify({ chosen, providers: all }));
    return exitCodes.ok;
  }
  if (providers.length === 0) console.log("No model is connected: the demo agent answers.\n");
  for (const { provider, offer } of listed) print(provider, offer);
  if (chosen !== null) console.log(`used when none is named: ${onStdout("bold", chosen)}`);
  else if (providers.length > 0) {
    console.log("none is chosen; name one with --model provider/name or HOLDFAST_MODEL");
  }
  if (providers.length === 0) printAdvice();
  return exitCodes.ok;
}

interface Offer {
  readonly models: readonly string[];
  readonly problem: string | null;
}

function print(provider: Provider, { models, problem }: Offer): void {
  const { name, address, key } = describe(provider);
  console.log(`${onStdout("bold", name)}  ${address}  key: ${key}`);
  for (const model of models.slice(0, shown)) console.log(`  ${name}/${printable(model)}`);
  if (models.length > shown) console.log(`  and ${models.length - shown} more (--json lists all)`);
  if (problem !== null) console.log(onStdout("yellow", `  ${problem}`));
  console.log("");
}

function printAdvice(): void {
  console.log("Set one of these in the environment:");
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
  return { name, address: withoutLogin(baseUrl), key: mask(key) };
}

/** Enough to tell two keys apart, and too little to use one. */
function mask(key: string | null): string {
  if (key === null) return "none";
  return key.length < 16 ? "set" : `…${key.slice(-4)}`;
}

function withoutLogin(address: string): string {
  return printable(address.replace(/\/\/[^/@]*@/, "//***@"));
}

/** What the provider is known for; a server of OpenAI's kind is asked. */
async function offerOf(provider: Provider): Promise<Offer> {
  const { defaultModel, baseUrl, key, name } = provider;
  if (defaultModel !== null) return { models: [defaultModel], problem: null };
  if (name === "openrouter")
    return { models: [], problem: "openrouter.ai/models lists its models" };
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/models`, {
      headers: key === null ? {} : { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(timeout),
    });
    if (!response.ok)
      return { models: [], problem: `it does not list its models (HTTP ${response.status})` };
    return { models: idsOf(await response.json()), problem: null };
  } catch (error) {
    const late = error instanceof Error && error.name === "TimeoutError";
    const problem = late ? `it did not answer within ${timeout / 1_000} s` : "it cannot be reached";
    return { models: [], problem };
  }
}

function idsOf(answer: unknown): string[] {
  const known = typeof answer === "object" && answer !== null && "data" in answer;
  const data = known && Array.isArray(answer.data) ? answer.data : [];
  return data.flatMap((item: unknown) =>
    typeof item === "object" && item !== null && "id" in item && typeof item.id === "string"
      ? [item.id]
      : [],
  );
}
