import { nothingStated, record, tokens } from "./catalogue/server-facts.ts";
import type { ServerFacts } from "./catalogue/server-facts.ts";
import { protocolOf, usualAddress } from "./known-providers.ts";
import type { Provider } from "./known-providers.ts";
import { offerHeaders, offerOf } from "./offer.ts";

export interface AskOptions {
  readonly fetch?: typeof fetch;
  /** Timeout of one request in milliseconds. */
  readonly timeout: number;
  /** Milliseconds for a server to load the model. 0: do not load it. */
  readonly loadTimeout: number;
}

/**
 * Asks a server for the properties of a model, because only the server knows how it was started. Null: the server does
 * not report them, does not answer in time, or was not asked. Known services are not asked, because the catalogue
 * covers their models. OpenRouter is asked, because it reports more than the catalogue.
 */
export async function askServer(
  provider: Provider,
  model: string,
  options: AskOptions,
): Promise<ServerFacts | null> {
  const { name, baseUrl } = provider;
  if (protocolOf(provider) !== "compatible") return null;
  if (name !== "openrouter" && baseUrl === usualAddress(name)) return null;
  const offer = await offerOf(provider, options);
  if (name === "ollama" || offer.server === "ollama") {
    return askOllama(provider, model, options);
  }
  return offer.facts.get(model) ?? null;
}

/** Context window that Ollama uses if neither the server nor the model sets another size. */
const ollamaDefault = 4_096;

const ollamaSetting =
  "Start Ollama with a larger window, such as OLLAMA_CONTEXT_LENGTH=32768, or set num_ctx in the Modelfile of the model";

async function askOllama(
  provider: Provider,
  model: string,
  options: AskOptions,
): Promise<ServerFacts | null> {
  const ask = ollamaRequest(provider, options);
  const shown = await ask("/api/show", { model });
  if (shown === null) return null;
  const trained = trainedContext(record(shown["model_info"]));
  const set = tokens(Number(/^num_ctx\s+(\d+)/m.exec(String(shown["parameters"]))?.[1]));
  const isRemote = typeof shown["remote_host"] === "string" && shown["remote_host"] !== "";
  const running = isRemote ? null : await runningContext(ask, model, options.loadTimeout);
  const context = running ?? set ?? (isRemote ? trained : ollamaDefault);
  const { capabilities } = shown;
  const can = (name: string): boolean | null =>
    Array.isArray(capabilities) ? capabilities.includes(name) : null;
  return {
    ...nothingStated,
    context: context === null || trained === null ? context : Math.min(context, trained),
    isGuess: running === null && set === null && !isRemote,
    images: can("vision"),
    tools: can("tools"),
    windowSetting: ollamaSetting,
  };
}

type OllamaRequest = (
  path: string,
  body: object | null,
  timeout?: number,
) => Promise<Readonly<Record<string, unknown>> | null>;

/**
 * Returns a function that sends requests to Ollama's native API instead of its OpenAI-compatible one. The function
 * resolves with null if a request fails.
 */
function ollamaRequest(provider: Provider, options: AskOptions): OllamaRequest {
  const { fetch: send = fetch, timeout: usual } = options;
  const root = provider.baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
  return async (path, body, timeout = usual) => {
    try {
      const response = await send(`${root}${path}`, {
        headers: { "content-type": "application/json", ...offerHeaders(provider) },
        redirect: "error",
        signal: AbortSignal.timeout(timeout),
        ...(body === null ? {} : { method: "POST", body: JSON.stringify(body) }),
      });
      const answer: unknown = await response.json();
      return response.ok ? record(answer) : null;
    } catch {
      // Ignore the error and return null. Holdfast then uses the model data of its own catalogue. If the server is
      // unreachable, the run reports that later.
      return null;
    }
  };
}

/** Returns the context window of the loaded model. Loads the model if necessary, as the run would do anyway. */
async function runningContext(
  ask: OllamaRequest,
  model: string,
  loadTimeout: number,
): Promise<number | null> {
  const loaded = async (): Promise<number | null> => {
    const { models } = (await ask("/api/ps", null)) ?? {};
    const entries = (Array.isArray(models) ? models : []).map(record);
    const own = entries.find(({ name }) => name === model || name === `${model}:latest`);
    return tokens(own?.["context_length"]);
  };
  const known = await loaded();
  if (known !== null || loadTimeout === 0) return known;
  // A request without a prompt only loads the model.
  const isLoaded = (await ask("/api/generate", { model, stream: false }, loadTimeout)) !== null;
  return isLoaded ? loaded() : null;
}

function trainedContext(info: Readonly<Record<string, unknown>>): number | null {
  return tokens(info[`${String(info["general.architecture"])}.context_length`]);
}
