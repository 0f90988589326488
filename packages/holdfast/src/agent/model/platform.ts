import type { Protocol, Provider } from "./known-providers.ts";
import { protocolOf } from "./known-providers.ts";

/** Format of requests and responses. Each platform supports one or more of these formats. */
export type Wire = "anthropic" | "openai" | "google" | "compatible" | "bedrock";

export interface WireTarget {
  readonly wire: Wire;
  /** Base URL for the SDK client of the format `wire`. */
  readonly baseUrl: string;
}

/** Returns the format and the address with which a provider serves a model. */
export function wireOf(
  provider: Pick<Provider, "name" | "protocol" | "baseUrl">,
  model: string,
): WireTarget {
  const { baseUrl } = provider;
  const protocol: Protocol = protocolOf(provider);
  switch (protocol) {
    case "azure": {
      const { root, apiVersion, isVersioned } = azureTarget(baseUrl);
      if (isVersioned && apiVersion !== null) {
        const deployment = `${root}/openai/deployments/${encodeURIComponent(model)}`;
        return { wire: "compatible", baseUrl: deployment };
      }
      return { wire: "openai", baseUrl: `${root}/openai/v1` };
    }
    case "vertex": {
      const root = withoutSlash(baseUrl);
      if (!/^claude/i.test(model)) return { wire: "google", baseUrl: `${root}/publishers/google` };
      const stable = root.replace("/v1beta1/", "/v1/");
      return { wire: "anthropic", baseUrl: `${stable}/publishers/anthropic/models` };
    }
    case "copilot":
      // GitHub serves newer GPT models only through the Responses API.
      return { wire: /^gpt-[5-9](?!-mini)/i.test(model) ? "openai" : "compatible", baseUrl };
    case "anthropic":
    case "openai":
    case "google":
    case "compatible":
    case "bedrock":
      return { wire: protocol, baseUrl };
  }
}

/**
 * Splits an Azure address, whose query may contain the API version. A version that starts with a date needs the
 * deployment in the URL. The v1 API, which is the default, does not.
 */
export function azureTarget(baseUrl: string): {
  readonly root: string;
  readonly apiVersion: string | null;
  readonly isVersioned: boolean;
} {
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/\/+$/, "").replace(/\/openai(?:\/v1|\/deployments.*)?$/, "");
  const isV1 = /\/openai\/v1\/*$/.test(url.pathname);
  const apiVersion = url.searchParams.get("api-version");
  const isVersioned = !isV1 && apiVersion !== null && /^\d{4}-\d\d-\d\d/.test(apiVersion);
  return { root: `${url.origin}${path}`, apiVersion, isVersioned };
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}
