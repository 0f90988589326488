import { call } from "./call.ts";
import { loadTime as wait } from "./maintenance.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type {
  ConfigFile,
  ConfigInput,
  ConnectInput,
  DisconnectInput,
  EditorServerList,
  EditorServersInput,
  FileList,
  FinishLoginInput,
  FolderList,
  LoginInput,
  MaintenanceAnswer,
  McpLogin,
  McpLoginState,
  McpServer,
  ModelList,
  OfferInput,
  ProviderChange,
  ProviderList,
  ProviderTest,
  RestartInput,
  Routes,
  ProviderSignIn,
  ProviderSignInInput,
  ProviderSignInStatus,
  TestInput,
  TrustInput,
  Workspace,
  WorkspaceSummary,
} from "./types.gen.ts";

/** Filters of `workspaces.files`. */
export type FileSearch = Omit<Routes["GET /v1/files"]["query"], "directory">;

/**
 * Loaded directories.
 *
 * @example
 * const { agents, tools } = await holdfast.workspaces.get(process.cwd());
 */
export interface Workspaces {
  /** Lists the directories that the answering process has loaded. */
  list(options?: CallOptions): Promise<readonly WorkspaceSummary[]>;
  /** Returns the agents, commands, tools and models of a directory. Loads the directory first. */
  get(directory: string, options?: CallOptions): Promise<Workspace>;
  /** Lists files of a directory whose path contains all words of `search`. */
  files(directory: string, options?: FileSearch & CallOptions): Promise<FileList>;
  /** Lists folders of the server's machine, or the git repositories below one, to choose a project. */
  folders(options?: Routes["GET /v1/folders"]["query"] & CallOptions): Promise<FolderList>;
}

/**
 * Model providers and their keys.
 *
 * @example
 * await holdfast.providers.connect("anthropic", { key: process.env.ANTHROPIC_API_KEY });
 */
export interface Providers {
  /** Lists providers. With a directory, includes those of its trusted config. */
  list(options?: { directory?: string } & CallOptions): Promise<ProviderList>;
  /**
   * Lists the models that prompts can name, with their prices and limits.
   *
   * @example
   * const { items } = await holdfast.providers.models({ search: "sonnet" });
   */
  models(options?: Routes["GET /v1/models"]["query"] & CallOptions): Promise<ModelList>;
  /** Adds a provider, or changes its key. Runs in progress keep the old key. */
  connect(name: string, input?: ConnectInput & CallOptions): Promise<MaintenanceAnswer>;
  /** Changes some settings of a provider and keeps the others. Runs in progress keep the old ones. */
  change(name: string, change: ProviderChange & CallOptions): Promise<MaintenanceAnswer>;
  /**
   * Lets one session use providers that are configured in this program's environment variables. The server keeps them
   * in memory. Returns the names of the providers that the session will use.
   */
  offer(sessionId: string, input: OfferInput & CallOptions): Promise<readonly string[]>;
  /** Starts a sign-in. Show the code and the address to the person, then call `waitForSignIn`. */
  startSignIn(name: string, input?: ProviderSignInInput & CallOptions): Promise<ProviderSignIn>;
  /** Waits some seconds for the person. Call it again while the status is `waiting`. */
  waitForSignIn(name: string, options?: CallOptions): Promise<ProviderSignInStatus>;
  /** Removes a provider. With `mode: "force"`, cancels the runs that use it. */
  disconnect(name: string, input?: DisconnectInput & CallOptions): Promise<MaintenanceAnswer>;
  /** Sends a small request to check the key. */
  test(name: string, input?: TestInput & CallOptions): Promise<ProviderTest>;
}

/**
 * MCP servers of a directory.
 *
 * @example
 * await holdfast.mcp.restart("files", { directory: process.cwd() });
 */
export interface McpServers {
  /** Lists the MCP servers of a directory with their tools. */
  list(directory: string, options?: CallOptions): Promise<readonly McpServer[]>;
  /** Restarts an MCP server for the next runs. */
  restart(name: string, input: RestartInput & CallOptions): Promise<MaintenanceAnswer>;
  /** Starts a sign-in at an MCP server. A person opens `authorizationUrl`. */
  login(name: string, input: LoginInput & CallOptions): Promise<McpLogin>;
  /** Waits for the end of a sign-in, for at most `wait` seconds. */
  finishLogin(
    name: string,
    input: FinishLoginInput & { readonly wait?: number } & CallOptions,
  ): Promise<McpLoginState>;
  /** Sets the MCP servers that an editor sends. Servers that no person has consented to are not started. */
  setEditorServers(input: EditorServersInput & CallOptions): Promise<EditorServerList["items"]>;
  /** Removes the stored sign-in at an MCP server. */
  logout(name: string, input: LoginInput & CallOptions): Promise<MaintenanceAnswer>;
}

/**
 * Config files.
 *
 * @example
 * const { text, digest } = await holdfast.config.get({ scope: "user" });
 * await holdfast.config.save({ scope: "user", text: text ?? "{}", digest });
 */
export interface Config {
  /** Reads a config file. */
  get(place: Routes["GET /v1/config"]["query"] & CallOptions): Promise<ConfigFile>;
  /** Writes a config file. Refused if the file has changed since the read that returned `digest`. */
  save(input: ConfigInput & CallOptions): Promise<MaintenanceAnswer>;
  /** Trusts a project's config until it changes. `digest` says which content you have reviewed. */
  trust(input: TrustInput & CallOptions): Promise<MaintenanceAnswer>;
}

export function workspacesOf(transport: Transport): Workspaces {
  return {
    list: async (options = {}) => (await call(transport, "GET /v1/workspaces", options)).items,
    get: (directory, options = {}) =>
      call(transport, "GET /v1/workspace", { query: { directory }, wait, ...options }),
    files: (directory, { search, limit, ...options } = {}) =>
      call(transport, "GET /v1/files", { query: { directory, search, limit }, ...options }),
    folders: ({ directory, repositories, ...options } = {}) =>
      call(transport, "GET /v1/folders", { query: { directory, repositories }, ...options }),
  };
}

export function providersOf(transport: Transport): Providers {
  return {
    list: ({ directory, ...options } = {}) =>
      call(transport, "GET /v1/providers", { query: { directory }, ...options }),
    models: ({ signal, patience, ...query } = {}) =>
      call(transport, "GET /v1/models", { query, signal, patience, wait }),
    connect: (provider, { signal, patience, ...body } = {}) => {
      const options = { params: { provider }, signal, patience, wait };
      return call(transport, `POST ${providerPath}/connect`, { ...options, body });
    },
    change: (provider, { signal, patience, ...body }) => {
      const options = { params: { provider }, signal, patience, wait };
      return call(transport, `PATCH ${providerPath}`, { ...options, body });
    },
    offer: async (sessionId, { signal, patience, ...body }) => {
      const options = { params: { sessionId }, body, signal, patience };
      return (await call(transport, "POST /v1/sessions/{sessionId}/providers", options)).providers;
    },
    startSignIn: (provider, { signal, patience, ...body } = {}) => {
      const options = { params: { provider }, signal, patience };
      return call(transport, `POST ${providerPath}/sign-in`, { ...options, body });
    },
    // Do not repeat this request after a lost answer: that answer may have reported the end of the sign-in, and then a
    // new request has nothing to wait for.
    waitForSignIn: (provider, options = {}) =>
      call(transport, `POST ${providerPath}/sign-in/wait`, {
        params: { provider },
        wait,
        repeatable: false,
        ...options,
      }),
    disconnect: (provider, { signal, patience, ...body } = {}) => {
      const options = { params: { provider }, signal, patience, wait };
      return call(transport, `POST ${providerPath}/disconnect`, { ...options, body });
    },
    test: (provider, { signal, patience, ...body } = {}) => {
      const options = { params: { provider }, signal, patience, wait };
      return call(transport, `POST ${providerPath}/test`, { ...options, body });
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
    login: (server, { signal, patience, ...body }) => {
      const options = { params: { server }, signal, patience, wait };
      return call(transport, "POST /v1/mcp/{server}/login", { ...options, body });
    },
    finishLogin: (server, { signal, patience, wait: seconds, ...body }) => {
      const query = seconds === undefined ? {} : { wait: seconds };
      const options = { params: { server }, query, signal, patience, wait };
      return call(transport, "POST /v1/mcp/{server}/login/finish", { ...options, body });
    },
    setEditorServers: async ({ signal, patience, ...body }) => {
      const options = { body, signal, patience, wait };
      return (await call(transport, "POST /v1/mcp/editor-servers", options)).items;
    },
    logout: (server, { signal, patience, ...body }) => {
      const options = { params: { server }, signal, patience, wait };
      return call(transport, "POST /v1/mcp/{server}/logout", { ...options, body });
    },
  };
}

export function configOf(transport: Transport): Config {
  return {
    get: ({ signal, patience, ...query }) =>
      call(transport, "GET /v1/config", { query, signal, patience }),
    // No retry: after a lost answer the file may have changed already.
    save: ({ signal, patience, ...body }) =>
      call(transport, "PATCH /v1/config", { body, signal, patience, wait, repeatable: false }),
    trust: ({ signal, patience, ...body }) =>
      call(transport, "POST /v1/config/trust", { body, signal, patience, wait }),
  };
}

const providerPath = "/v1/providers/{provider}";
