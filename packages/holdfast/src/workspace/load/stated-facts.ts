import { askServer } from "../../agent/model/ask-server.ts";
import type { ServerFacts } from "../../agent/model/catalogue/server-facts.ts";
import type { Provider } from "../../agent/model/known-providers.ts";

/** Caches the properties that a provider's server reports for its models. */
export function createStatedFacts(
  provider: Provider,
  options: { readonly fetch: typeof fetch; readonly now: () => number },
): (model: string) => Promise<ServerFacts | null> {
  const { now } = options;
  const known = new Map<string, { readonly until: number; readonly facts: ServerFacts | null }>();
  const asked = new Map<string, Promise<ServerFacts | null>>();
  const ask = async (model: string): Promise<ServerFacts | null> => {
    try {
      const facts = await askServer(provider, model, {
        fetch: options.fetch,
        timeout: patience,
        loadTimeout: loadPatience,
      });
      if (known.size >= mostModels) known.clear();
      known.set(model, { until: now() + (facts === null ? silence : validity), facts });
      return facts;
    } finally {
      asked.delete(model);
    }
  };
  return async (model) => {
    const found = known.get(model);
    if (found !== undefined && found.until > now()) return found.facts;
    const asking = asked.get(model) ?? ask(model);
    asked.set(model, asking);
    return asking;
  };
}

// Milliseconds that a run waits for the server to report properties of its model. The run can start without them.
const patience = 2_000;
/**
 * Milliseconds that a run waits for the server to load the model. The wait costs no extra time: without it, the first
 * request of the run would wait for the same load.
 */
const loadPatience = 60_000;
/**
 * Milliseconds for which the properties of a model stay cached. The provider's server is then queried again, because it
 * may have been restarted with other settings.
 */
const validity = 10 * 60_000;
/** Milliseconds after which a server that did not answer is queried again. */
const silence = 60_000;
const mostModels = 200;
