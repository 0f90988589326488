import { homedir } from "node:os";
import { isError, WorkspaceError } from "../loader.ts";
import type { Notice } from "../loader.ts";
import { digestOf } from "./canonical.ts";
import type { Config } from "./config.ts";
import { emptyLayer, readLayer, withValue } from "./layer.ts";
import type { Layer } from "./layer.ts";
import { projectPlaces, userPlaces } from "./places.ts";
import type { Scope } from "./places.ts";
import { mergeLayers } from "./merge.ts";
import { findPowers, powersDigest, powersList, untrustedNotices, withoutPowers } from "./powers.ts";
import type { Powers } from "./powers.ts";
import { createResolving } from "./resolving.ts";
import { resolveConfig } from "./resolve.ts";
import { notice } from "./source.ts";

export interface ReadOptions {
  /** By its real path; null for no project: what the user says for all. */
  readonly directory: string | null;
  /** The user's config folder, such as `~/.config/holdfast`; it need not exist. */
  readonly userFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The digest of the powers that a person has trusted in this directory; null for none. */
  readonly trusted: string | null;
  /** To be read as if it stood in the config file: what somebody is about to write there. */
  readonly draft?: { readonly scope: Scope; readonly text: string };
}

export interface ReadConfig {
  readonly config: Config;
  /** Of all that the config means, its secrets included, and of what is noted about it. */
  readonly digest: string;
  readonly notices: readonly Notice[];
  /** What references stood for, for the redactor. */
  readonly secrets: readonly string[];
  readonly powers: Powers;
  /** Files, and folders of files, that were read or would be if they were there. For watching. */
  readonly files: readonly string[];
}

/** A config that cannot be used. A change in one of its files may mend it. */
export class ConfigError extends WorkspaceError {
  readonly files: readonly string[];
  /** As far as they are known: null where not even that could be read. */
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

/** Reads what the user and the project say. Throws a ConfigError with all that is to be said about it. */
export async function readConfig(options: ReadOptions): Promise<ReadConfig> {
  const { directory, environment, draft } = options;
  const home = environment["HOME"] || homedir();
  const textOf = (scope: Scope): string | null => (draft?.scope === scope ? draft.text : null);
  const user = await readLayer(userPlaces(options.userFolder), textOf("user"));
  const project =
    directory === null ? emptyLayer : await readLayer(projectPlaces(directory), textOf("project"));
  const own = [...user.files, ...project.files];
  const read = [...user.notices, ...project.notices];
  // What a broken file would have said is not known: nothing is concluded from its absence.
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
    ...ownOnly(project.layer, "retention", "says how long things are kept"),
    ...ownOnly(project.layer, "quotas", "sets quotas"),
    ...resolving.notices,
  ];
  const powers = { digest, trusted, list: powersList(project.layer, found) };
  if (notices.some(isError)) throw new ConfigError(notices, { files, powers });
  return {
    config,
    // A refresh that brings nothing but other notices is one too: people wait for them.
    digest: digestOf([config, notices.map(({ key, message }) => [key, message])]),
    notices,
    secrets: [...new Set(resolving.secrets)],
    powers,
    files,
  };
}

function ownOnly(layer: Layer, key: "retention" | "quotas", effect: string): readonly Notice[] {
  if (layer.value[key] === undefined) return [];
  const path = [key];
  const message = `is left out: only your own config ${effect}`;
  return [notice("warning", { place: layer.place(path), path, message })];
}
