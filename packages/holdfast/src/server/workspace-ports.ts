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
  /** Returns the directories that are open in this process. */
  list(): readonly WorkspaceSummary[];
  /** Describes the directory as it is now, without loading it. */
  look(directory: string): Workspace;
  /** Loads the directory if necessary. If this fails, the result has notices and no config version. */
  open(directory: string): Promise<Workspace>;
  /** Lists files of the directory whose path contains all words of the search. */
  files(directory: string, query: FileSearch): Promise<FileList>;
}

/** Reason why settings were not stored, and the field that caused it. */
export interface ProviderProblem {
  readonly field: string | null;
  readonly message: string;
}

/** Model providers. Changes take effect after a refresh. If a directory is given, its config is included. */
export interface Providers {
  list(directory: string | null): Promise<ProviderList>;
  /** Stores a provider. Returns the problem with the input; null if the provider was stored. */
  connect(name: string, input: ConnectInput): Promise<ProviderProblem | null>;
  /**
   * Changes the given settings and keeps the others. Returns the problem with the input; null if the settings were
   * stored.
   */
  change(name: string, input: ProviderChange): Promise<ProviderProblem | "unknown" | null>;
  /** Lets one session use the providers that a client offers. Returns the names of those that will be used. */
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
  /** Tests the given settings, or the stored ones if `change` is null. Null if there is no such provider. */
  test(
    name: string,
    directory: string | null,
    change: ProviderChange | null,
  ): Promise<ProviderTest | null>;
  readonly signIns: SignIns;
}

/** Sign-ins with a code that a person enters on the provider's page. */
export interface SignIns {
  start(
    name: string,
    input: ProviderSignInInput,
  ): Promise<ProviderSignIn | { readonly problem: string }>;
  /**
   * Waits for the end of a sign-in; null if none was started. The sign-in is used after the next reload of the config.
   */
  wait(
    name: string,
    signal: AbortSignal,
  ): Promise<
    | { readonly status: "waiting" | "signedIn" }
    | { readonly status: "failed"; readonly problem: string }
    | null
  >;
}

/** Sign-ins at the MCP servers of a directory. The functions return null or false if there is no such server. */
export interface Logins {
  start(directory: string, server: string): Promise<McpLogin | null>;
  finish(
    place: { readonly directory: string; readonly server: string },
    options: { readonly callbackUrl: string | null; readonly signal: AbortSignal },
  ): Promise<McpLoginState | null>;
  end(directory: string, server: string): Promise<boolean>;
}

/** MCP servers that editors offer, and people's consent to them. Changes take effect after a refresh. */
export interface EditorServers {
  offer(
    directory: string,
    offer: Omit<EditorServersInput, "directory">,
  ): Promise<{ readonly items: EditorServerList["items"]; readonly hasChanged: boolean }>;
}

/** Identifies a config file: the user's, or that of a directory. */
export type ConfigPlace =
  | { readonly scope: "user" }
  | { readonly scope: "project"; readonly directory: string };

/** Reads and writes config files. Changes take effect after a refresh. */
export interface Configs {
  read(place: ConfigPlace): Promise<ConfigFile>;
  /**
   * Writes the file. Refused if the new text is not a valid config, or if the file has changed since the sender read
   * it.
   */
  save(place: ConfigPlace, file: { text: string; digest: string | null }): Promise<ConfigSaved>;
  /** Trusts the directory's config with this digest. Null revokes the trust. */
  trust(directory: string, digest: string | null): Promise<Trusted>;
}

export type ConfigSaved =
  | { readonly status: "saved" }
  | { readonly status: "bad"; readonly notices: readonly Notice[] }
  | { readonly status: "stale"; readonly digest: string | null };

export type Trusted =
  | { readonly status: "trusted" }
  | { readonly status: "stale"; readonly digest: string | null };

/** A directory and, optionally, one of its sessions. */
export interface RulesPlace {
  readonly directory: string;
  readonly sessionId: string | null;
}

/** Permission rules that people have created with their answers. */
export interface Rules {
  list(place: RulesPlace): Promise<RuleList>;
  /** Removes a rule. Does nothing if there is no such rule. */
  revoke(place: RulesPlace, rule: Omit<RememberedRule, "effect">): Promise<void>;
}
