import type { workspaceRoutes } from "../../contract/routes/workspaces.ts";
import type { Workspace } from "../../contract/workspace.ts";
import { ApiError } from "../errors.ts";
import type { Handlers } from "../handler.ts";
import type { Principal } from "../ports.ts";
import { mayUse } from "../security/directories.ts";
import { configHandlers } from "./configs.ts";
import type { ConfigServices } from "./configs.ts";
import { apply, expectWhole, maintenanceHandlers } from "./maintenance.ts";
import type { MaintenanceServices } from "./maintenance.ts";
import { expectSession, given, offered } from "./route-services.ts";
import type { Providers } from "../workspace-ports.ts";

export type WorkspaceServices = MaintenanceServices & ProviderServices & ConfigServices;

export function workspaceHandlers(
  services: WorkspaceServices,
): Handlers<keyof typeof workspaceRoutes> {
  const { security } = services;
  const workspaces = () => offered(services.workspaces, "workspaces");
  /**
   * Returns what a principal may see of a directory. Loading a directory starts its MCP servers, so observers only
   * see what is already loaded.
   */
  const seenBy = async ({ role }: Principal, directory: string): Promise<Workspace> =>
    role === "observe" ? workspaces().look(directory) : workspaces().open(directory);
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
      return { status: 200, body: await seenBy(principal, directory) };
    },
    listMcpServers: async ({ query, principal }) => {
      const directory = await security.resolveDirectory(principal, query.directory);
      const { mcp } = await seenBy(principal, directory);
      return { status: 200, body: { items: mcp } };
    },
    restartMcpServer: async ({ params, body, principal }) => {
      const { mode } = body;
      const directory = await security.resolveDirectory(principal, body.directory);
      const { mcp } = await workspaces().open(directory);
      if (!mcp.some(({ name }) => name === params.server)) {
        const known = mcp.length === 0 ? "none" : mcp.map(({ name }) => name).join(", ");
        const message = `${directory} has no MCP server ${params.server}; it has ${known}`;
        throw new ApiError("unknownServer", message);
      }
      const directories = [directory];
      const restart = [`mcp:${params.server}`];
      const input = { kind: "refresh", directories, cause: "mcp", restart } as const;
      return apply(services, principal, { ...input, ...given({ mode }) });
    },
  };
}

interface ProviderServices extends MaintenanceServices {
  readonly providers: Providers | null;
}

function providerHandlers(
  services: ProviderServices,
): Handlers<
  "listProviders" | "connectProvider" | "offerProviders" | "disconnectProvider" | "testProvider"
> {
  /**
   * Returns the providers. API keys are shared by all directories, so a token that is limited to some has no access.
   */
  const expectProviders = (principal: Principal): Providers => {
    expectWhole(principal, "a provider");
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
    connectProvider: async ({ params, body, principal }) => {
      const problem = await expectProviders(principal).connect(params.provider, body);
      if (problem !== null) throw new ApiError("invalid", problem);
      return apply(services, principal, change);
    },
    offerProviders: async ({ params: { sessionId }, body, principal }) => {
      const providers = expectProviders(principal);
      const { directory } = (await expectSession(services.runtime, sessionId)).state;
      const used = await providers.offer({ sessionId, directory }, body.providers);
      return { status: 200, body: { providers: [...used] } };
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
      const result = await providers.test(params.provider, await directoryOf(principal, body));
      if (result === null) throw unknownProvider(params.provider);
      return { status: 200, body: result };
    },
  };
}

/** The refresh after a provider change. It covers all directories, because each may use the provider. */
const change = { kind: "refresh", directories: null, cause: "provider" } as const;

function unknownProvider(provider: string): ApiError {
  return new ApiError("unknownProvider", `no provider ${provider} is connected`);
}
