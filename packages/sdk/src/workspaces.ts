import { call } from "./call.ts";
import { loadTime as wait } from "./maintenance.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type {
  ConfigFile,
  ConfigInput,
  ConnectInput,
  DisconnectInput,
  MaintenanceAnswer,
  McpServer,
  ProviderList,
  ProviderTest,
  RestartInput,
  Routes,
  TestInput,
  TrustInput,
  Workspace,
  WorkspaceSummary,
} from "./types.gen.ts";

// What runs work with. Every change answers what became of it, as a refresh does.

export interface Workspaces {
  /** Those that are open in the process that answers. */
  list(options?: CallOptions): Promise<readonly WorkspaceSummary[]>;
  /** Opens the directory if it is not. */
  get(directory: string, options?: CallOptions): Promise<Workspace>;
}

export interface Providers {
  /** With a directory, those of its own config too, as far as it is trusted. */
  list(options?: { directory?: string } & CallOptions): Promise<ProviderList>;
  connect(name: string, input?: ConnectInput & CallOptions): Promise<MaintenanceAnswer>;
  /** With force, runs that use it are cancelled, and no request carries its key any more. */
  disconnect(name: string, input?: DisconnectInput & CallOptions): Promise<MaintenanceAnswer>;
  test(name: string, input?: TestInput & CallOptions): Promise<ProviderTest>;
}

export interface McpServers {
  list(directory: string, options?: CallOptions): Promise<readonly McpServer[]>;
  restart(name: string, input: RestartInput & CallOptions): Promise<MaintenanceAnswer>;
}

export interface Config {
  get(place: Routes["GET /v1/config"]["query"] & CallOptions): Promise<ConfigFile>;
  /** Refused when the file is another than the one that `digest` is of. */
  save(input: ConfigInput & CallOptions): Promise<MaintenanceAnswer>;
  /** What the project's config could do counts from now on, as long as it is what `digest` is of. */
  trust(input: TrustInput & CallOptions): Promise<MaintenanceAnswer>;
}

export function workspacesOf(transport: Transport): Workspaces {
  return {
    list: async (options = {}) => (await call(transport, "GET /v1/workspaces", options)).items,
    get: (directory, options = {}) =>
      call(transport, "GET /v1/workspace", { query: { directory }, wait, ...options }),
  };
}

export function providersOf(transport: Transport): Providers {
  return {
    list: ({ directory, ...options } = {}) =>
      call(transport, "GET /v1/providers", { query: { directory }, ...options }),
    connect: (provider, { signal, patience, ...body } = {}) => {
      const options = { params: { provider }, signal, patience, wait };
      return call(transport, `POST ${providerPath}/connect`, { ...options, body });
    },
    disconnect: (provider, { signal, patience, ...body } = {}) => {
      const options = { params: { provider }, signal, patience, wait };
      return call(transport, `POST ${providerPath}/disconnect`, { ...options, body });
    },
    test: (provider, { directory, ...options } = {}) => {
      const params = { provider };
      return call(transport, `POST ${providerPath}/test`, {
        params,
        body: { directory },
        ...options,
      });
    },
  };
}

export function mcpServersOf(transport: Transport): McpServers {
  return {
    list: async (directory, options = {}) =>
      (await call(transport, "GET /v1/mcp", { query: { directory }, wait, ...options })).items,
    restart: (server, { signal, patience, ...body }) => {
      const options = { params: { server }, signal, patience, wait };
      return call(transport, "POST /v1/mcp/{server}/restart", { ...options, body });
    },
  };
}

export function configOf(transport: Transport): Config {
  return {
    get: ({ signal, patience, ...query }) =>
      call(transport, "GET /v1/config", { query, signal, patience }),
    // Sent once: after a first sending that was carried out, the file is another.
    save: ({ signal, patience, ...body }) =>
      call(transport, "PATCH /v1/config", { body, signal, patience, wait, repeatable: false }),
    trust: ({ signal, patience, ...body }) =>
      call(transport, "POST /v1/config/trust", { body, signal, patience, wait }),
  };
}

const providerPath = "/v1/providers/{provider}";
