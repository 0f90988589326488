import { protocolOf } from "./known-providers.ts";
import type { Protocol, Provider } from "./known-providers.ts";

/** What a provider has said when it was asked for its models. */
export interface Offer {
  /** Without the provider's name; empty when there is a problem. */
  readonly models: readonly string[];
  readonly problem: OfferProblem | null;
}

export interface OfferProblem {
  /** `noList`: it is there, and does not say what it has. */
  readonly kind: "badKey" | "noList" | "trouble";
  /** For people, without the provider's name. */
  readonly message: string;
}

/** Asks a provider for its models: a call that costs nothing and needs the key. */
export async function offerOf(provider: Provider, options: { timeout: number }): Promise<Offer> {
  const { timeout } = options;
  const { path, headers } = requests[protocolOf(provider)];
  const key = provider.key === null ? {} : headers(provider.key);
  try {
    const response = await fetch(`${provider.baseUrl.replace(/\/+$/, "")}${path}`, {
      headers: { ...key, ...provider.headers },
      // A key is for the one who was meant, wherever that one points.
      redirect: "error",
      signal: AbortSignal.timeout(timeout),
    });
    const { status } = response;
    if (response.ok) return { models: idsOf(await response.json()), problem: null };
    await response.body?.cancel();
    if (status === 401 || status === 403) {
      const what = provider.key === null ? "it wants a key" : "it does not take the key";
      return failed("badKey", `${what} (HTTP ${status})`);
    }
    return failed(
      status === 404 || status === 405 ? "noList" : "trouble",
      `it does not list its models (HTTP ${status})`,
    );
  } catch (error) {
    if (error instanceof SyntaxError) return failed("noList", "its list of models is no JSON");
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return failed(
      "trouble",
      isLate ? `it did not answer within ${timeout / 1_000} s` : "it cannot be reached",
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

/** `data` with ids, as most have it; `models` with names, as Google has it. */
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
