import { protocolOf } from "../known-providers.ts";
import type { Provider } from "../known-providers.ts";
import type { Access } from "./access.ts";
import type { SignInStore } from "./sign-in-store.ts";

/** A provider, and the functions needed to access it. */
export interface AccessTarget {
  readonly provider: Provider;
  /** Sends token requests. Must send no request after the user has disconnected the provider. */
  readonly fetch: typeof fetch;
  /** Called with each new secret before it is used, so that it can be redacted. */
  readonly learn: (secrets: readonly string[]) => void;
  /** Null: a renewed sign-in is not stored. */
  readonly signIns: SignInStore | null;
}

/** Creates the access to a provider. Null: the SDK sends the key itself. */
export async function openAccess(target: AccessTarget): Promise<Access | null> {
  const { provider } = target;
  const access = await accessFor(target);
  const own = Object.entries(provider.headers ?? {});
  if (access === null || own.length === 0) return access;
  const headers = Object.fromEntries(own.map(([name, value]) => [name.toLowerCase(), value]));
  return {
    ...access,
    // Headers from the config replace the credentials, because a gateway may need its own credentials.
    authorize: async (request) => {
      const { request: sent, renew } = await access.authorize(request);
      return { request: { ...sent, headers: { ...sent.headers, ...headers } }, renew };
    },
  };
}

async function accessFor(target: AccessTarget): Promise<Access | null> {
  const { provider } = target;
  switch (protocolOf(provider)) {
    case "azure":
      return (await import("./azure.ts")).azureAccess(target);
    case "bedrock":
      return (await import("./aws.ts")).awsAccess(target);
    case "vertex":
      return (await import("./google.ts")).googleAccess(target);
    case "copilot":
      return (await import("./github.ts")).githubAccess(target);
    case "anthropic": {
      if (provider.bearer !== true || provider.key === null) return null;
      const { keyAccess } = await import("./access.ts");
      return keyAccess({ authorization: `Bearer ${provider.key}` }, "");
    }
    case "openai":
    case "google":
    case "compatible":
      return null;
  }
}
