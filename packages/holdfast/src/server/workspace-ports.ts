import type { ConfigFile } from "../contract/config-file.ts";
import type {
  EditorServerList,
  EditorServersInput,
  McpLogin,
  McpLoginState,
} from "../contract/mcp-server.ts";
import type { ModelList } from "../contract/model.ts";
import type {
  ConnectInput,
  OfferInput,
  ProviderList,
  ProviderSignIn,
  ProviderSignInInput,
  ProviderChange,
  ProviderTest,
} from "../contract/provider.ts";
import type { RememberedRule, RuleList } from "../contract/permission-rule.ts";
import type { FileList, Notice, Workspace, WorkspaceSummary } from "../contract/workspace.ts";

// Interfaces that the routes for directories need in addition to the runtime.

export interface FileSearch {
  readonly search?: string | undefined;
  readonly limit?: number | undefined;
}

export interface Workspaces {
  /** Directories that are open in this process. */
  list(): readonly WorkspaceSummary[];
  /** Describes the directory without loading it or starting anything. */
  look(directory: string): Workspace;
  /**
   * Opens the directory if necessary. If the directory cannot be loaded, the result has notices and no config
   * version.
   */
  open(directory: string): Promise<Workspace>;
  /** Lists files of the directory whose path contains all words of the search. */
  files(directory: string, query: FileSearch): Promise<FileList>;
}

/** A reason why settings were not stored, and the field that causes it. */
export interface ProviderProblem {
  readonly field: string | null;
  readonly message: string;
}

/** Model providers. Changes take effect after a refresh. Methods with a directory include the directory's config. */
export interface Providers {
  list(directory: string | null): Promise<ProviderList>;
  /** Returns the problem with the input; null if it was stored. */
  connect(name: string, input: ConnectInput): Promise<ProviderProblem | null>;
  /** Changes the given settings and keeps the others. Returns the problem with the input; null if it was stored. */
  change(name: string, input: ProviderChange): Promise<ProviderProblem | "unknown" | null>;
  /** Lets one session use providers of a client. Returns the names of those that are used. */
  offer(
    target: { sessionId: string; directory: string },
    offered: OfferInput["providers"],
  ): Promise<readonly string[]>;
  /** Disconnects a provider. Returns false if there is no such provider. */
  disconnect(name: string): Promise<boolean>;
  /** Lists the models that prompts can name. */
  models(
    directory: string | null,
    query: {
      readonly search: string;
      /** Null: every connected provider. */
      readonly provider: string | null;
      readonly all: boolean;
      readonly limit: number;
    },
  ): Promise<ModelList>;
  /** Tests the given settings, or the stored ones. Null if there is no such provider. */
  test(
    name: string,
    directory: string | null,
    change: ProviderChange | null,
  ): Promise<ProviderTest | null>;
  readonly signIns: SignIns;
}

/** Sign-ins with a code that a person types at the provider's page. */
export interface SignIns {
  start(
    name: string,
    input: ProviderSignInInput,
  ): Promise<ProviderSignIn | { readonly problem: string }>;
  /** Null if none was started. A finished sign-in takes effect after a refresh. */
  wait(
    name: string,
    signal: AbortSignal,
  ): Promise<
    | { readonly status: "waiting" | "signedIn" }
    | { readonly status: "failed"; readonly problem: string }
    | null
  >;
}

/** Signs in at MCP servers of a directory. Null or false: there is no such server. */
export interface Logins {
  start(directory: string, server: string): Promise<McpLogin | null>;
  finish(
    place: { readonly directory: string; readonly server: string },
    options: { readonly callbackUrl: string | null; readonly signal: AbortSignal },
  ): Promise<McpLoginState | null>;
  end(directory: string, server: string): Promise<boolean>;
}

/** MCP servers that editors send, and people's consent to them. Changes take effect after a refresh. */
export interface EditorServers {
  offer(
    directory: string,
    offer: Omit<EditorServersInput, "directory">,
  ): Promise<{ readonly items: EditorServerList["items"]; readonly hasChanged: boolean }>;
}

/** The user's config file, or the one of a directory. */
export type ConfigPlace =
  | { readonly scope: "user" }
  | { readonly scope: "project"; readonly directory: string };

/** Changes take effect after a refresh. */
export interface Configs {
  read(place: ConfigPlace): Promise<ConfigFile>;
  /** Writes the file, unless it could not be loaded or has changed since the sender read it. */
  save(place: ConfigPlace, file: { text: string; digest: string | null }): Promise<ConfigSaved>;
  /** Stores trust in the config with this digest. Null revokes it. */
  trust(directory: string, digest: string | null): Promise<Trusted>;
}

export type ConfigSaved =
  | { readonly status: "saved" }
  | { readonly status: "bad"; readonly notices: readonly Notice[] }
  | { readonly status: "stale"; readonly digest: string | null };

export type Trusted =
  | { readonly status: "trusted" }
  | { readonly status: "stale"; readonly digest: string | null };

/** A directory, and one of its sessions. */
export interface RulesPlace {
  readonly directory: string;
  readonly sessionId: string | null;
}

/** Permission rules that answers of people have stored. */
export interface Rules {
  list(place: RulesPlace): Promise<RuleList>;
  /** Does nothing if there is no such rule. */
  revoke(place: RulesPlace, rule: Omit<RememberedRule, "effect">): Promise<void>;
}
