import type { workspaceRoutes } from "../../contract/routes/workspaces.ts";
import type { Workspace } from "../../contract/workspace.ts";
import { ApiError } from "../errors.ts";
import type { Handlers } from "../handler.ts";
import type { Principal } from "../ports.ts";
import { mayUse } from "../security/directories.ts";
import { configHandlers } from "./configs.ts";
import type { ConfigParts } from "./configs.ts";
import { apply, maintenanceHandlers } from "./maintenance.ts";
import type { MaintenanceParts } from "./maintenance.ts";
import { providerHandlers } from "./providers.ts";
import type { ProviderParts } from "./providers.ts";
import { given, offered } from "./route-parts.ts";

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
