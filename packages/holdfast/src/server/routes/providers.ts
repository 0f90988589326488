import { ApiError } from "../errors.ts";
import type { Handlers } from "../handler.ts";
import type { Principal } from "../ports.ts";
import type { Providers } from "../workspace-ports.ts";
import { apply, expectWhole } from "./maintenance.ts";
import type { MaintenanceParts } from "./maintenance.ts";
import { given, offered } from "./route-parts.ts";

export interface ProviderParts extends MaintenanceParts {
  readonly providers: Providers | null;
}

export function providerHandlers(
  parts: ProviderParts,
): Handlers<"listProviders" | "connectProvider" | "disconnectProvider" | "testProvider"> {
  /** Keys are everybody's: who may see one project only has nothing to do with them. */
  const expectProviders = (principal: Principal): Providers => {
    expectWhole(principal, "a provider");
    return offered(parts.providers, "providers");
  };
  const directoryOf = async (
    principal: Principal,
    { directory }: { directory?: string | undefined },
  ): Promise<string | null> =>
    directory === undefined ? null : parts.security.resolveDirectory(principal, directory);
  return {
    listProviders: async ({ query, principal }) => {
      const providers = expectProviders(principal);
      const body = await providers.list(await directoryOf(principal, query));
      return { status: 200, body };
    },
    connectProvider: async ({ params, body, principal }) => {
      const problem = await expectProviders(principal).connect(params.provider, body);
      if (problem !== null) throw new ApiError("invalid", problem);
      return apply(parts, principal, change);
    },
    disconnectProvider: async ({ params, body, principal }) => {
      const { provider } = params;
      const wasKnown = await expectProviders(principal).disconnect(provider);
      if (!wasKnown) throw unknownProvider(provider);
      const { mode } = body;
      return apply(parts, principal, { ...change, ...given({ mode }), revoke: [provider] });
    },
    testProvider: async ({ params, body, principal }) => {
      const providers = expectProviders(principal);
      const result = await providers.test(params.provider, await directoryOf(principal, body));
      if (result === null) throw unknownProvider(params.provider);
      return { status: 200, body: result };
    },
  };
}

/** Any directory may use it. */
const change = { kind: "refresh", directories: null, cause: "provider" } as const;

function unknownProvider(provider: string): ApiError {
  return new ApiError("unknownProvider", `no provider ${provider} is connected`);
}
