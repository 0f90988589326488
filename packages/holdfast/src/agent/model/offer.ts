import { protocolOf } from "./known-providers.ts";
import type { Protocol, Provider } from "./known-providers.ts";

/** A provider's list of models, or the reason why it could not be read. */
export interface Offer {
  /** Names without the provider. Empty if there is a problem. */
  readonly models: readonly string[];
  readonly problem: OfferProblem | null;
}

export interface OfferProblem {
  /** `noList`: the provider answers, but does not list its models. */
  readonly kind: "badKey" | "noList" | "trouble";
  /** Message for people, without the provider's name. */
  readonly message: string;
}

/** Requests the list of models. The request is free of charge and checks the key. */
export async function offerOf(provider: Provider, options: { timeout: number }): Promise<Offer> {
  const { timeout } = options;
  const { path, headers } = requests[protocolOf(provider)];
  const key = provider.key === null ? {} : headers(provider.key);
  try {
    const response = await fetch(`${provider.baseUrl.replace(/\/+$/, "")}${path}`, {
      headers: { ...key, ...provider.headers },
      // Do not follow redirects, so that the key is sent only to the configured host.
      redirect: "error",
      signal: AbortSignal.timeout(timeout),
    });
    const { status } = response;
    if (response.ok) return { models: idsOf(await response.json()), problem: null };
    await response.body?.cancel();
    if (status === 401 || status === 403) {
      const what =
        provider.key === null
          ? "the provider requires an API key"
          : "the provider rejected the API key";
      return failed("badKey", `${what} (HTTP ${status})`);
    }
    return failed(
      status === 404 || status === 405 ? "noList" : "trouble",
      `the provider does not list its models (HTTP ${status})`,
    );
  } catch (error) {
    if (error instanceof SyntaxError)
      return failed("noList", "the provider's list of models is not JSON");
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return failed(
      "trouble",
      isLate
        ? `the provider did not answer within ${timeout / 1_000} s`
        : "the provider cannot be reached",
    );
  }
}

interface OfferRequest {
  readonly path: string;
  readonly headers: (key: string) => Record<string, string>;
}

const bearer: OfferRequest = {
  path: "/models",
  headers: (key) => ({ authorization: `Bearer ${key}` }),
};

const requests: Readonly<Record<Protocol, OfferRequest>> = {
  anthropic: {
    path: "/models?limit=1000",
    headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  },
  openai: bearer,
  google: { path: "/models?pageSize=1000", headers: (key) => ({ "x-goog-api-key": key }) },
  compatible: bearer,
};

function failed(kind: OfferProblem["kind"], message: string): Offer {
  return { models: [], problem: { kind, message } };
}

/** Reads `data` with ids (most providers) or `models` with names (Google). */
function idsOf(answer: unknown): string[] {
  if (typeof answer !== "object" || answer === null) return [];
  const list = "data" in answer ? answer.data : "models" in answer ? answer.models : [];
  return (Array.isArray(list) ? list : []).flatMap((item: unknown) => {
    if (typeof item !== "object" || item === null) return [];
    if ("id" in item && typeof item.id === "string") return [item.id];
    return "name" in item && typeof item.name === "string"
      ? [item.name.replace(/^models\//, "")]
      : [];
  });
}
