import type { workspaceRoutes } from "../../contract/routes/workspaces.ts";
import type { Workspace } from "../../contract/workspace.ts";
import { ApiError } from "../errors.ts";
import type { Handlers } from "../handler.ts";
import type { Principal } from "../ports.ts";
import { mayUse } from "../security/directories.ts";
import { configHandlers } from "./configs.ts";
import type { ConfigParts } from "./configs.ts";
import { apply, expectWhole, maintenanceHandlers } from "./maintenance.ts";
import type { MaintenanceParts } from "./maintenance.ts";
import { given, offered } from "./route-services.ts";
import type { Providers } from "../workspace-ports.ts";

export type WorkspaceParts = MaintenanceParts & ProviderParts & ConfigParts;

export function workspaceHandlers(parts: WorkspaceParts): Handlers<keyof typeof workspaceRoutes> {
  const { security } = parts;
  const workspaces = () => offered(parts.workspaces, "workspaces");
  /** To load a directory is to start its servers: not for those who may only look. */
  const seenBy = async ({ role }: Principal, directory: string): Promise<Workspace> =>
    role === "observe" ? workspaces().look(directory) : workspaces().open(directory);
  return {
    ...maintenanceHandlers(parts),
    ...providerHandlers(parts),
    ...configHandlers(parts),
    listWorkspaces: async ({ principal }) => {
      const open = parts.workspaces?.list() ?? [];
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
      return apply(parts, principal, { ...input, ...given({ mode }) });
    },
  };
}

interface ProviderParts extends MaintenanceParts {
  readonly providers: Providers | null;
}

function providerHandlers(
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
