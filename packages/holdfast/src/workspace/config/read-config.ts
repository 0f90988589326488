import type { Notice } from "../loader.ts";
import type { Config } from "./config.ts";

export interface ReadOptions {
  /** By its real path. */
  readonly directory: string;
  /** The user's config folder, such as `~/.config/holdfast`; it need not exist. */
  readonly userFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The digest of the powers that a person has trusted in this directory; null for none. */
  readonly trusted: string | null;
}

export interface ReadConfig {
  readonly config: Config;
  /** Of all that the config says, its secrets included: the same digest is the same config. */
  readonly digest: string;
  readonly notices: readonly Notice[];
  /** Resolved references, for the redactor. */
  readonly secrets: readonly string[];
  readonly powers: Powers;
  /** Files, and folders of files, that were read or would be if they were there. For watching. */
  readonly files: readonly string[];
}

/** What the project's config could do to its reader; counts only when a person has trusted it. */
export interface Powers {
  /** Null when it asks for none. */
  readonly digest: string | null;
  readonly trusted: boolean;
  readonly list: readonly Power[];
}

export interface Power {
  /** As `mcp.files`. */
  readonly key: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** For people: what it would do. */
  readonly summary: string;
}

/** The name of the project's config file, and of the user's in its own folder. */
export const projectFile = "holdfast.jsonc";
export const userFile = "config.jsonc";

/** Reads what the user and the project say. Throws a WorkspaceError that says all that is wrong. */
export async function readConfig(options: ReadOptions): Promise<ReadConfig> {
  throw new Error(`not read yet: ${options.directory}`);
}
