import type { workspaceRoutes } from "../../contract/routes/workspaces.ts";
import { ApiError } from "../errors.ts";
import type { Handlers } from "../handler.ts";
import type { Principal } from "../ports.ts";
import { listFolders } from "../list-folders.ts";
import { mayUse } from "../security/directories.ts";
import { configHandlers } from "./configs.ts";
import type { ConfigServices } from "./configs.ts";
import { mcpHandlers, workspaceFor } from "./mcp.ts";
import type { McpServices } from "./mcp.ts";
import { apply, expectWhole, maintenanceHandlers } from "./maintenance.ts";
import type { MaintenanceServices } from "./maintenance.ts";
import { expectSession, given, offered } from "./route-services.ts";
import type { ProviderProblem, Providers } from "../workspace-ports.ts";

export type WorkspaceServices = MaintenanceServices &
  ProviderServices &
  ConfigServices &
  McpServices & {
    /** Directories to show first when a person chooses the directory of a project. */
    readonly places?: readonly string[];
  };

export function workspaceHandlers(
  services: WorkspaceServices,
): Handlers<keyof typeof workspaceRoutes> {
  const { security } = services;
  return {
    ...maintenanceHandlers(services),
    ...providerHandlers(services),
    ...configHandlers(services),
    listWorkspaces: async ({ principal }) => {
      const open = services.workspaces?.list() ?? [];
      const items = open.filter(({ directory }) => mayUse(principal, directory));
      return { status: 200, body: { items } };
    },
    getWorkspace: async ({ query, principal }) => {
      const directory = await security.resolveDirectory(principal, query.directory);
      return { status: 200, body: await workspaceFor(services, principal, directory) };
    },
    listFiles: async ({ query, principal }) => {
      const directory = await security.resolveDirectory(principal, query.directory);
      const files = await offered(services.workspaces, "workspaces").files(directory, query);
      return { status: 200, body: files };
    },
    listFolders: async ({ query, principal }) => {
      const { directory = null, repositories: isSearch = false } = query;
      const places = services.places ?? [];
      const options = { security, principal, places };
      return { status: 200, body: await listFolders(options, { directory, isSearch }) };
    },
    ...mcpHandlers(services),
  };
}

interface ProviderServices extends MaintenanceServices {
  readonly providers: Providers | null;
}

function providerHandlers(
  services: ProviderServices,
): Handlers<
  | "listProviders"
  | "listModels"
  | "connectProvider"
  | "changeProvider"
  | "offerProviders"
  | "startSignIn"
  | "waitForSignIn"
  | "disconnectProvider"
  | "testProvider"
> {
  /**
   * Returns the providers. All directories share the API keys, so a token that is limited to some directories has no
   * access.
   */
  const expectProviders = (principal: Principal): Providers => {
    expectWhole(principal, "all directories share the providers");
    return offered(services.providers, "providers");
  };
  const directoryOf = async (
    principal: Principal,
    { directory }: { directory?: string | undefined },
  ): Promise<string | null> =>
    directory === undefined ? null : services.security.resolveDirectory(principal, directory);
  return {
    listProviders: async ({ query, principal }) => {
      const providers = expectProviders(principal);
      const body = await providers.list(await directoryOf(principal, query));
      return { status: 200, body };
    },
    listModels: async ({ query, principal }) => {
      const { search = "", provider = null, all = false, limit = 500 } = query;
      // A token that is limited to some directories may list models only for one of these directories.
      if (query.directory === undefined) {
        expectWhole(
          principal,
          "this request lists the models of all directories; name a directory",
        );
      }
      const directory = await directoryOf(principal, query);
      const providers = offered(services.providers, "providers");
      const body = await providers.models(directory, { search, provider, all, limit });
      return { status: 200, body };
    },
    connectProvider: async ({ params, body, principal }) => {
      const problem = await expectProviders(principal).connect(params.provider, body);
      if (problem !== null) throw invalidSetting(problem);
      return apply(services, principal, change);
    },
    changeProvider: async ({ params, body, principal }) => {
      const problem = await expectProviders(principal).change(params.provider, body);
      if (problem === "unknown") throw unknownProvider(params.provider);
      if (problem !== null) throw invalidSetting(problem);
      return apply(services, principal, change);
    },
    offerProviders: async ({ params: { sessionId }, body, principal }) => {
      const providers = expectProviders(principal);
      const { directory } = (await expectSession(services.runtime, sessionId)).state;
      const used = await providers.offer({ sessionId, directory }, body.providers);
      return { status: 200, body: { providers: [...used] } };
    },
    startSignIn: async ({ params, body, principal }) => {
      const started = await expectProviders(principal).signIns.start(params.provider, body);
      if ("problem" in started) throw new ApiError("invalid", started.problem);
      return { status: 201, body: started };
    },
    waitForSignIn: async ({ params, principal, request }) => {
      const { provider } = params;
      const found = await expectProviders(principal).signIns.wait(provider, request.signal);
      if (found === null) {
        throw new ApiError("unknownProvider", `no sign-in to ${provider} is in progress here`);
      }
      const { status } = found;
      const problem = found.status === "failed" ? found.problem : null;
      const applied = status === "signedIn" ? await apply(services, principal, change) : null;
      const answer = applied === null || applied instanceof Response ? null : applied.body;
      return { status: 200, body: { status, problem, change: answer } };
    },
    disconnectProvider: async ({ params, body, principal }) => {
      const { provider } = params;
      const wasKnown = await expectProviders(principal).disconnect(provider);
      if (!wasKnown) throw unknownProvider(provider);
      const { mode } = body;
      return apply(services, principal, { ...change, ...given({ mode }), revoke: [provider] });
    },
    testProvider: async ({ params, body, principal }) => {
      const providers = expectProviders(principal);
      const directory = await directoryOf(principal, body);
      const result = await providers.test(params.provider, directory, body.change ?? null);
      if (result === null) throw unknownProvider(params.provider);
      return { status: 200, body: result };
    },
  };
}

/** The refresh that follows a provider change. It covers all directories, because any of them may use the provider. */
const change = { kind: "refresh", directories: null, cause: "provider" } as const;

function invalidSetting({ field, message }: ProviderProblem): ApiError<"invalid"> {
  return new ApiError("invalid", message, { details: field === null ? {} : { field } });
}

function unknownProvider(provider: string): ApiError {
  return new ApiError("unknownProvider", `no provider ${provider} is connected`);
}
