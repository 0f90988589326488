import { openClient } from "../../compose/client.ts";
import type { ListedModel, ModelList } from "@holdfast/sdk";
import { modelVariables } from "../../agent/model/known-providers.ts";
import type { ProviderName } from "../../agent/model/known-providers.ts";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { configPlace, placeOf } from "../client-options.ts";
import type { PlacedOptions } from "../client-options.ts";
import { printable } from "../terminal/printable.ts";
import { onStdout } from "../terminal/style.ts";
import { printTable } from "../terminal/table.ts";
import type { Column } from "../terminal/table.ts";

export interface ModelsOptions extends PlacedOptions {
  readonly search: readonly string[];
  readonly provider?: string;
  readonly all?: true;
  readonly json?: true;
}

/** Maximum number of models in the table if no search was given. */
const shown = 40;

/** `holdfast models`: lists the models of the server or of this process. */
export async function listModels(options: ModelsOptions): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "settings");
  const { holdfast, url } = client;
  const { provider, all } = options;
  const search = options.search.join(" ").trim();
  const list = await holdfast.providers.models({
    ...configPlace(options),
    ...(search === "" ? {} : { search }),
    ...(provider === undefined ? {} : { provider }),
    ...(all === true ? { all } : {}),
    limit: most,
  });
  if (options.json === true) {
    console.log(JSON.stringify({ server: url, ...list }));
    return exitCodes.ok;
  }
  if (url !== null) console.log(`Server ${url}\n`);
  print(list, { limit: search === "" && all !== true ? shown : most, none: noMatch(options) });
  if (list.model === null) printAdvice(list, url);
  return exitCodes.ok;
}

const most = 2_000;

/** Returns the message for an empty list. */
function noMatch({ all, provider, search }: ModelsOptions): string {
  if (all === true) return "No model matches.";
  const others =
    "No model of a connected provider matches. --all also lists models of other providers.";
  // A connected provider without a search term lists its models or reports a problem.
  if (provider === undefined || search.length > 0) return others;
  return `${others}\nTo connect this provider: holdfast connect ${printable(provider)}`;
}

function print(
  list: ModelList,
  { limit, none }: { readonly limit: number; readonly none: string },
): void {
  const { items, total, problems, model: chosen, catalogue } = list;
  const rows = items.slice(0, limit);
  if (rows.length > 0) {
    const cells = rows.map((model) => cellsOf(model, chosen).map(printable));
    printTable(columns, cells);
    const more = total - rows.length;
    if (more > 0) console.log(`and ${more} more; search with \`holdfast models WORD\``);
    console.log(
      `\n${legend(rows)}Prices in dollars per million tokens, as of ${catalogue.generated}.`,
    );
  }
  for (const { provider, message } of problems) {
    console.log(onStdout("yellow", printable(`${provider}: ${message}`)));
  }
  for (const { warning, id } of items) {
    if (warning !== null && id === chosen) console.log(onStdout("yellow", printable(warning)));
  }
  if (rows.length === 0 && problems.length === 0 && chosen !== null) console.log(none);
  if (chosen !== null) console.log(`default: ${onStdout("bold", printable(chosen))}`);
}

const columns: readonly Column[] = [
  // Long names are cut in the middle, because names of models differ at the start and at the end.
  { title: "MODEL", cut: "middle" },
  { title: "CONTEXT", align: "right", optional: 1 },
  { title: "OUTPUT", align: "right", optional: 5 },
  { title: "IN", align: "right", optional: 2 },
  { title: "OUT", align: "right", optional: 2 },
  { title: "CACHED", align: "right", optional: 6 },
  { title: "REASONING", optional: 4 },
  { title: "ENDS", optional: 3 },
  { title: "", optional: 7 },
];

function cellsOf(model: ListedModel, chosen: string | null): readonly string[] {
  const { id, context, output, price, reasoning, endOfLife, source, images, tools } = model;
  const guess = source === "guess" ? "~" : "";
  const levels = reasoning.filter((level) => level !== "off");
  const [first = ""] = levels;
  const last = levels.at(-1) ?? "";
  return [
    id === chosen ? `${id} *` : id,
    `${guess}${tokensText(context)}`,
    `${guess}${tokensText(output)}`,
    money(price?.input),
    money(price?.output),
    money(price?.cachedInput),
    first === last ? first : `${first}…${last}`,
    endOfLife ?? "",
    [images ? "" : "no images", tools ? "" : "no tools"].filter((text) => text !== "").join(", "),
  ];
}

/** Formats an amount of dollars with three significant digits. */
function money(amount: number | undefined): string {
  return amount === undefined ? "?" : String(Number(amount.toPrecision(3)));
}

function tokensText(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 1_000_000) return `${Math.floor(count / 1_000)}k`;
  return `${Number((count / 1_000_000).toFixed(2))}M`;
}

/** Explains the symbols that occur in the table. */
function legend(rows: readonly ListedModel[]): string {
  const guess = rows.some(({ source }) => source === "guess") ? "~ guessed. " : "";
  const unknown = rows.some(({ price }) => price === null) ? "? unknown price. " : "";
  return `${guess}${unknown}`;
}

function printAdvice({ items, problems }: ModelList, url: string | null): void {
  if (items.some(({ isConnected }) => isConnected) || problems.length > 0) {
    console.log("no default model; set one with --model provider/name or HOLDFAST_MODEL");
    return;
  }
  console.log("No model is connected, so only the demo agent can answer.\n");
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
