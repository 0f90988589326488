import type { ConfigFile } from "../contract/config-file.ts";
import type { ConnectInput, ProviderList, ProviderTest } from "../contract/provider.ts";
import type { Notice, Workspace, WorkspaceSummary } from "../contract/workspace.ts";

// What routes about directories are built from, besides the runtime.

export interface Workspaces {
  /** What is open in this process. */
  list(): readonly WorkspaceSummary[];
  /** What is known of the directory without loading anything: nothing is started by it. */
  look(directory: string): Workspace;
  /** Opens the directory if it is not. One that cannot be loaded has notices, and no generation. */
  open(directory: string): Promise<Workspace>;
}

/** Changes here are in use only after a refresh. With a directory, its config counts too. */
export interface Providers {
  list(directory: string | null): Promise<ProviderList>;
  /** Null, or what is wrong with it. */
  connect(name: string, input: ConnectInput): Promise<string | null>;
  /** Whether there is such a one. */
  disconnect(name: string): Promise<boolean>;
  /** Null when there is no such one. */
  test(name: string, directory: string | null): Promise<ProviderTest | null>;
}

/** Which file: the person's own, or that of a directory. */
export type ConfigPlace =
  | { readonly scope: "user" }
  | { readonly scope: "project"; readonly directory: string };

/** Changes here are in use only after a refresh. */
export interface Configs {
  read(place: ConfigPlace): Promise<ConfigFile>;
  /** Writes nothing that could not be loaded, nor over what the sender has not seen. */
  save(place: ConfigPlace, file: { text: string; digest: string | null }): Promise<ConfigSaved>;
  /** Null takes the trust away. */
  trust(directory: string, digest: string | null): Promise<Trusted>;
}

export type ConfigSaved =
  | { readonly status: "saved" }
  | { readonly status: "bad"; readonly notices: readonly Notice[] }
  | { readonly status: "stale"; readonly digest: string | null };

export type Trusted =
  | { readonly status: "trusted" }
  | { readonly status: "stale"; readonly digest: string | null };
