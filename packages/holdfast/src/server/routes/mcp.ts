import type { Workspace } from "../../contract/workspace.ts";
import { ApiError } from "../errors.ts";
import type { Handlers } from "../handler.ts";
import type { Principal } from "../ports.ts";
import type { EditorServers, Logins } from "../workspace-ports.ts";
import { apply, expectWhole } from "./maintenance.ts";
import type { MaintenanceServices } from "./maintenance.ts";
import { given, offered, waiting } from "./route-services.ts";

export interface McpServices extends MaintenanceServices {
  readonly logins: Logins | null;
  readonly editorServers: EditorServers | null;
}

/**
 * Returns a directory's workspace. Loading a directory starts its MCP servers, so a token with the role observe sees
 * only directories that are already loaded.
 */
export async function workspaceFor(
  services: Pick<MaintenanceServices, "workspaces">,
  { role }: Principal,
  directory: string,
): Promise<Workspace> {
  const workspaces = offered(services.workspaces, "workspaces");
  return role === "observe" ? workspaces.look(directory) : workspaces.open(directory);
}

export function mcpHandlers(
  services: McpServices,
): Handlers<
  | "listMcpServers"
  | "restartMcpServer"
  | "loginMcpServer"
  | "finishMcpLogin"
  | "logoutMcpServer"
  | "setEditorServers"
> {
  const { security } = services;
  /**
   * Returns the service for sign-ins to MCP servers. All directories share the sign-ins, so a token that is limited to
   * some directories is refused.
   */
  const expectLogins = (principal: Principal): Logins => {
    expectWhole(principal, "all directories share the sign-ins");
    return offered(services.logins, "sign-ins");
  };
  return {
    listMcpServers: async ({ query, principal }) => {
      const directory = await security.resolveDirectory(principal, query.directory);
      const { mcp } = await workspaceFor(services, principal, directory);
      return { status: 200, body: { items: mcp } };
    },
    restartMcpServer: async ({ params, body, principal }) => {
      const { mode } = body;
      const directory = await security.resolveDirectory(principal, body.directory);
      const { mcp } = await offered(services.workspaces, "workspaces").open(directory);
      if (!mcp.some(({ name }) => name === params.server)) {
        const known = mcp.length === 0 ? "none" : mcp.map(({ name }) => name).join(", ");
        const message = `${directory} has no MCP server ${params.server}; it has ${known}`;
        throw new ApiError("unknownServer", message);
      }
      return apply(services, principal, {
        ...restartOf(params.server),
        directories: [directory],
        ...given({ mode }),
      });
    },
    loginMcpServer: async ({ params, body, principal }) => {
      const logins = expectLogins(principal);
      const directory = await security.resolveDirectory(principal, body.directory);
      const started = await logins.start(directory, params.server).catch(asFailedLogin);
      if (started === null) throw noAddress(params.server);
      return { status: 200, body: started };
    },
    finishMcpLogin: async (call) => {
      const { params, body, principal } = call;
      const logins = expectLogins(principal);
      const directory = await security.resolveDirectory(principal, body.directory);
      const { callbackUrl = null } = body;
      const state = await waiting(services, call, (signal) =>
        logins.finish({ directory, server: params.server }, { callbackUrl, signal }),
      );
      if (state === null) throw noAddress(params.server);
      if (state.status === "signedIn") {
        await apply(services, principal, restartOf(params.server));
      }
      return { status: 200, body: state };
    },
    logoutMcpServer: async ({ params, body, principal }) => {
      const logins = expectLogins(principal);
      const directory = await security.resolveDirectory(principal, body.directory);
      if (!(await logins.end(directory, params.server))) throw noAddress(params.server);
      return apply(services, principal, restartOf(params.server));
    },
    setEditorServers: async ({ body, principal }) => {
      const editors = offered(services.editorServers, "servers of editors");
      const directory = await security.resolveDirectory(principal, body.directory);
      const { items, hasChanged } = await editors.offer(directory, body);
      const directories = [directory];
      if (hasChanged) {
        await apply(services, principal, { kind: "refresh", directories, cause: "mcp" });
      }
      return { status: 200, body: { items } };
    },
  };
}

function restartOf(server: string) {
  return { kind: "refresh", directories: null, cause: "mcp", restart: [`mcp:${server}`] } as const;
}

function noAddress(server: string): ApiError {
  return new ApiError(
    "unknownServer",
    `the directory has no MCP server ${server} with an address, or its config is not trusted`,
  );
}

/**
 * Throws the API error `invalid` for a sign-in that could not start. The usual cause is an MCP server, or its
 * authorization server, that does not follow the protocol.
 */
function asFailedLogin(error: unknown): never {
  if (!(error instanceof Error) || "notices" in error) throw error;
  throw new ApiError("invalid", `the sign-in could not be started: ${error.message}`);
}
