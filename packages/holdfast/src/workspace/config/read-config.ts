import { homedir } from "node:os";
import { isError, WorkspaceError } from "../loader.ts";
import type { FilePlace, Notice } from "../loader.ts";
import { digestOf } from "./canonical.ts";
import type { Config } from "./config.ts";
import { emptyLayer, readLayer, withValue } from "./layer.ts";
import type { Layer } from "./layer.ts";
import { projectPlaces, userPlaces } from "./places.ts";
import type { Scope } from "./places.ts";
import { mergeLayers } from "./merge.ts";
import { findPowers, powersDigest, powersList, untrustedNotices, withoutPowers } from "./powers.ts";
import type { Powers } from "./powers.ts";
import { createResolving, valueAt } from "./resolving.ts";
import { resolveConfig } from "./resolve.ts";
import { notice } from "./source.ts";

export interface ReadOptions {
  /** Real path of the project. Null: only the user's config. */
  readonly directory: string | null;
  /** The user's config folder, such as `~/.config/holdfast`. It may be missing. */
  readonly userFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Digest of the privileged settings that a person trusted in this directory. Null: none. */
  readonly trusted: string | null;
  /** Text to validate before it is saved. It is used instead of the config file. */
  readonly draft?: { readonly scope: Scope; readonly text: string };
}

export interface ReadConfig {
  readonly config: Config;
  /** Digest of the resolved config, including secrets, and of its notices. */
  readonly digest: string;
  readonly notices: readonly Notice[];
  /** Values of resolved references, which the redactor removes from texts. */
  readonly secrets: readonly string[];
  readonly powers: Powers;
  /** File and position that define each MCP server. MCP servers that an editor added have no entry. */
  readonly mcpPlaces: ReadonlyMap<string, FilePlace>;
  /** Files and folders to watch, even those that do not exist yet. */
  readonly files: readonly string[];
}

/** The config cannot be used. A change of one of the listed files may fix it. */
export class ConfigError extends WorkspaceError {
  readonly files: readonly string[];
  /** The project's privileged settings. Null if the files could not be read. */
  readonly powers: Powers | null;

  constructor(
    notices: readonly Notice[],
    facts: { readonly files: readonly string[]; readonly powers: Powers | null },
  ) {
    super(notices);
    this.name = "ConfigError";
    this.files = facts.files;
    this.powers = facts.powers;
  }
}

/** Reads the config of the user and the project. Throws a ConfigError with all notices. */
export async function readConfig(options: ReadOptions): Promise<ReadConfig> {
  const { directory, environment, draft } = options;
  const home = environment["HOME"] || homedir();
  const textOf = (scope: Scope): string | null => (draft?.scope === scope ? draft.text : null);
  const user = await readLayer(userPlaces(options.userFolder), textOf("user"));
  const project =
    directory === null ? emptyLayer : await readLayer(projectPlaces(directory), textOf("project"));
  const own = [...user.files, ...project.files];
  const read = [...user.notices, ...project.notices];
  // Stop here: the settings of a broken file are unknown, so they must not be treated as missing.
  if (read.some(isError)) throw new ConfigError(read, { files: own, powers: null });

  const found = findPowers(project.layer.value, user.layer.value);
  const digest = powersDigest(project.layer.value, found);
  const trusted = digest === null || digest === options.trusted;
  const counted = trusted
    ? project.layer
    : withValue(project.layer, withoutPowers(project.layer.value, found));

  const resolving = createResolving({
    directory: directory ?? home,
    home,
    environment,
    user: user.layer,
    project: counted,
  });
  const config = await resolveConfig(mergeLayers(user.layer.value, counted.value), resolving);
  const files = [...new Set([...own, ...resolving.files])];
  const notices = [
    ...read,
    ...(trusted ? [] : untrustedNotices(project.layer, found)),
    ...ownOnly(project.layer, ["limits", "daily"], "can set spending limits"),
    ...ownOnly(project.layer, ["limits", "monthly"], "can set spending limits"),
    ...ownOnly(project.layer, ["limits", "token"], "can set spending limits"),
    ...ownOnly(project.layer, ["retention"], "can set how long data is kept"),
    ...ownOnly(project.layer, ["quotas"], "can set quotas"),
    ...ownOnly(project.layer, ["modelCatalogue"], "can name a model catalogue"),
    ...ownOnly(project.layer, ["terminal"], "can set up the terminal client"),
    ...resolving.notices,
  ];
  const powers = { digest, trusted, list: powersList(project.layer, found) };
  if (notices.some(isError)) throw new ConfigError(notices, { files, powers });
  return {
    config,
    // Include the notices in the digest, so that a new notice creates a new config version.
    digest: digestOf([config, notices.map(({ key, message }) => [key, message])]),
    notices,
    secrets: [...new Set(resolving.secrets)],
    powers,
    mcpPlaces: new Map(
      [...config.mcp.keys()].map((name) => [name, resolving.place(["mcp", name])]),
    ),
    files,
  };
}

/** Warns about a setting of the project that only the user's config can set. */
function ownOnly(layer: Layer, path: readonly string[], effect: string): readonly Notice[] {
  if (valueAt(layer.value, path) === undefined) return [];
  const message = `is ignored: only your own config ${effect}`;
  return [notice("warning", { place: layer.place(path), path, message })];
}
