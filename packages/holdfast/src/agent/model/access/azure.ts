import { azureTarget } from "../platform.ts";
import { withCredentials } from "./access.ts";
import type { Access } from "./access.ts";
import type { AccessTarget } from "./open-access.ts";

/**
 * Creates the access to Azure OpenAI. Sends an API key in the header `api-key`, or an Entra ID token as bearer token,
 * and adds the API version.
 */
export function azureAccess({ provider }: AccessTarget): Access {
  const { key, bearer = false, baseUrl } = provider;
  const { apiVersion } = azureTarget(baseUrl);
  const credentials: Record<string, string> =
    key === null ? {} : bearer ? { authorization: `Bearer ${key}` } : { "api-key": key };
  return {
    advice: "",
    authorize: async (request) => {
      const url = new URL(request.url);
      if (apiVersion !== null) url.searchParams.set("api-version", apiVersion);
      return {
        request: withCredentials({ ...request, url: url.href }, credentials),
        renew: null,
      };
    },
  };
}
