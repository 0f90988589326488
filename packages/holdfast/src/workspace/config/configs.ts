import { mkdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { FileProblem, hashOf, isMissing, putFile, readWhole } from "../../agent/tools/files.ts";
import type { FileContent } from "../../agent/tools/files.ts";
import type { Notice } from "../loader.ts";
import { maxConfigBytes } from "./layer.ts";
import type { Scope } from "./layer.ts";
import { ConfigError, projectPlaces, readConfig, userPlaces } from "./read-config.ts";
import type { ReadConfig } from "./read-config.ts";
import { readText } from "./read-file.ts";
import { fileNotice } from "./source.ts";
import type { Trust } from "./trust.ts";

/** One of the config files: the user's, or that of a directory. */
export type ConfigPlace =
  | { readonly scope: "user" }
  | { readonly scope: "project"; readonly directory: string };

export interface ConfigText {
  readonly file: string;
  /** Null when there is no such file. */
  readonly text: string | null;
  /** Of the text: what a change is based on. */
  readonly digest: string | null;
}

export type SaveAnswer =
  | { readonly status: "saved"; readonly file: string; readonly digest: string }
  /** Somebody else has changed it: it is another by now. */
  | { readonly status: "stale"; readonly digest: string | null }
  | { readonly status: "bad"; readonly notices: readonly Notice[] };

export type TrustAnswer =
  | { readonly status: "trusted" }
  /** The powers are others by now. */
  | { readonly status: "stale"; readonly digest: string | null };

/** The configs of a user and of all directories. */
export interface Configs {
  /** Null for no directory: what the user says for all. Throws a ConfigError. */
  read(directory: string | null): Promise<ReadConfig>;
  /** Throws a ConfigError when it is there and cannot be read. */
  text(place: ConfigPlace): Promise<ConfigText>;
  /**
   * Writes a whole file, if it was the one with this digest (null: none) and would be fine. Powers stay
   * trusted if all of them were: what was not looked at is not trusted along with it.
   */
  save(place: ConfigPlace, change: { text: string; digest: string | null }): Promise<SaveAnswer>;
  /** Trusts the powers with this digest, if the directory has these; null: nothing any more. */
  trust(directory: string, digest: string | null): Promise<TrustAnswer>;
}

export function createConfigs(options: {
  readonly userFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly trust: Trust;
}): Configs {
  const { userFolder, environment, trust } = options;

  const read = async (
    directory: string | null,
    draft: { scope: Scope; text: string } | null = null,
  ): Promise<ReadConfig> => {
    const trusted = directory === null ? null : await trust.get(directory);
    const found = await readConfig({
      directory,
      userFolder,
      environment,
      trusted: trusted?.digest ?? null,
      ...(draft === null ? {} : { draft }),
    });
    if (found.powers.digest === null || typeof trusted?.problem !== "string") return found;
    const problem = fileNotice("warning", null, trusted.problem);
    return { ...found, notices: [...found.notices, problem] };
  };

  const fileOf = (place: ConfigPlace): string =>
    (place.scope === "user" ? userPlaces(userFolder) : projectPlaces(place.directory)).file;

  const save: Configs["save"] = async (place, { text, digest }) => {
    const file = fileOf(place);
    const directory = place.scope === "user" ? null : place.directory;
    const before = await present(file, directory);
    if ((before?.hash ?? null) !== digest) return { status: "stale", digest: before?.hash ?? null };
    const bytes = Buffer.from(text);
    if (bytes.length > maxConfigBytes) {
      const message = `would have ${bytes.length} bytes; the limit is ${maxConfigBytes}`;
      return { status: "bad", notices: [fileNotice("error", file, message)] };
    }
    // What was broken before had nothing that somebody could have trusted.
    const wasTrusted = await read(directory).then(
      ({ powers }) => powers.trusted,
      () => false,
    );
    try {
      const { powers } = await read(directory, { scope: place.scope, text });
      await putFile({ path: await realFile(file), bytes, before });
      if (directory !== null && wasTrusted) await trust.set(directory, powers.digest);
      return { status: "saved", file, digest: hashOf(bytes) };
    } catch (error) {
      if (error instanceof ConfigError) return { status: "bad", notices: error.notices };
      if (!(error instanceof FileProblem)) throw error;
      return { status: "stale", digest: (await present(file, directory))?.hash ?? null };
    }
  };

  return {
    read: (directory) => read(directory),
    text: async (place) => {
      const file = fileOf(place);
      const content = await present(file, place.scope === "user" ? null : place.directory);
      if (content === null) return { file, text: null, digest: null };
      return { file, text: content.bytes.toString("utf8"), digest: content.hash };
    },
    save,
    trust: async (directory, digest) => {
      if (digest !== null) {
        const { powers } = await read(directory);
        if (powers.digest !== digest) return { status: "stale", digest: powers.digest };
      }
      await trust.set(directory, digest);
      return { status: "trusted" };
    },
  };
}

async function present(file: string, within: string | null): Promise<FileContent | null> {
  const read = await readText(file, { within, maxBytes: maxConfigBytes });
  switch (read.status) {
    case "missing":
      return null;
    case "unusable":
      throw new ConfigError([fileNotice("error", file, read.message)], [file]);
    case "read":
      return readWhole(read.realPath, maxConfigBytes);
  }
}

/** Where it really is, or will be: a link to it stays one. */
async function realFile(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    return join(await realpath(dirname(file)), basename(file));
  }
}
