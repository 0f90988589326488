import type { Notice } from "../loader.ts";
import { isUnconfigured, projectPlaces, userPlaces } from "./places.ts";
import type { LayerPlaces, Scope } from "./places.ts";
import type { ReadConfig } from "./read-config.ts";
import type { Trust } from "./trust.ts";
import { digestOf } from "./canonical.ts";
import type { Config } from "./config.ts";
import type { EditorServers, UsedServers } from "../editor-servers.ts";

/** Selects a config file: the user's, or the one of a directory. */
export type ConfigPlace =
  | { readonly scope: "user" }
  | { readonly scope: "project"; readonly directory: string };

export interface ConfigText {
  readonly file: string;
  /** Null if the file does not exist. */
  readonly text: string | null;
  /** Digest of the text. A request to save the file must contain this digest. */
  readonly digest: string | null;
}

export type SaveAnswer =
  | { readonly status: "saved"; readonly file: string; readonly digest: string }
  /** The file has changed since it was read. */
  | { readonly status: "stale"; readonly digest: string | null }
  | { readonly status: "bad"; readonly notices: readonly Notice[] };

export type TrustAnswer =
  | { readonly status: "trusted" }
  /** The privileged settings have changed since they were shown. */
  | { readonly status: "stale"; readonly digest: string | null };

/** The configs of the user and of all directories. */
export interface Configs {
  /** Reads the config of a directory. Null: only the user's config. Throws a ConfigError. */
  read(directory: string | null): Promise<ReadConfig>;
  /** Reads a config file. Throws a ConfigError if it exists but cannot be read. */
  text(place: ConfigPlace): Promise<ConfigText>;
  /**
   * Replaces a config file if its current digest matches (null: no file) and the new text is valid. If all privileged
   * settings were trusted before, those of the new text are trusted too. Otherwise none become trusted, because some of
   * them were never approved by a person.
   */
  save(place: ConfigPlace, change: { text: string; digest: string | null }): Promise<SaveAnswer>;
  /** Marks the privileged settings of a directory as trusted, if their digest matches. Null: revokes the trust. */
  trust(directory: string, digest: string | null): Promise<TrustAnswer>;
}

export function createConfigs(options: {
  readonly userFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly trust: Trust;
  /** If missing, MCP servers of editors are not used. */
  readonly editorServers?: EditorServers;
}): Configs {
  const { userFolder, environment, trust, editorServers } = options;

  const read: ReadDraft = async (directory, draft) => {
    const places = [
      userPlaces(userFolder),
      ...(directory === null ? [] : [projectPlaces(directory)]),
    ];
    if (draft === null && (await areUnconfigured(places))) return unconfigured(places);
    // Imported only if there is a config file, because the import loads parsers.
    const { readConfig } = await import("./read-config.ts");
    const trusted = directory === null ? null : await trust.get(directory);
    const found = await readConfig({
      directory,
      userFolder,
      environment,
      trusted: trusted?.digest ?? null,
      ...(draft === null ? {} : { draft }),
    });
    if (found.powers.digest === null || typeof trusted?.problem !== "string") return found;
    const problem: Notice = {
      severity: "warning",
      file: null,
      line: null,
      column: null,
      key: null,
      message: trusted.problem,
    };
    return { ...found, notices: [...found.notices, problem] };
  };

  const placesOf = (place: ConfigPlace): LayerPlaces =>
    place.scope === "user" ? userPlaces(userFolder) : projectPlaces(place.directory);

  return {
    read: async (directory) => {
      const found = await read(directory, null);
      if (directory === null || editorServers === undefined) return found;
      return withServers(found, await editorServers.of(directory));
    },
    text: async (place) => (await import("./save-config.ts")).configText(placesOf(place)),
    save: async (place, change) => {
      const { saveConfig } = await import("./save-config.ts");
      const directory = place.scope === "user" ? null : place.directory;
      return saveConfig({ places: placesOf(place), directory, change, read, trust });
    },
    trust: async (directory, digest) => {
      if (digest !== null) {
        const { powers } = await read(directory, null);
        if (powers.digest !== digest) return { status: "stale", digest: powers.digest };
      }
      await trust.set(directory, digest);
      return { status: "trusted" };
    },
  };
}

/** Adds MCP servers of editors. A configured server with the same name takes precedence. */
function withServers(found: ReadConfig, { servers, secrets }: UsedServers): ReadConfig {
  if (servers.size === 0) return found;
  const { config } = found;
  return {
    ...found,
    config: { ...config, mcp: new Map([...servers, ...config.mcp]) },
    digest: digestOf([found.digest, servers]),
    secrets: [...found.secrets, ...secrets],
  };
}

/** Reads the config as if the draft were already saved. */
export type ReadDraft = (
  directory: string | null,
  draft: { scope: Scope; text: string } | null,
) => Promise<ReadConfig>;

async function areUnconfigured(places: readonly LayerPlaces[]): Promise<boolean> {
  const answers = await Promise.all(places.map(isUnconfigured));
  return !answers.includes(false);
}

/** Returns the config for the case that no config file exists: all defaults. */
function unconfigured(places: readonly LayerPlaces[]): ReadConfig {
  return {
    config: emptyConfig,
    digest: digestOf([emptyConfig, []]),
    notices: [],
    secrets: [],
    powers: { digest: null, trusted: true, list: [] },
    mcpPlaces: new Map(),
    files: places.flatMap(({ file, agents, commands }) => [file, agents, commands]),
  };
}

const emptyConfig: Config = {
  model: null,
  wish: {},
  smallModel: null,
  catalogue: null,
  agent: null,
  agents: new Map(),
  commands: new Map(),
  permissions: [],
  mcp: new Map(),
  providers: new Map(),
  limits: {
    maxSteps: null,
    stopGrace: null,
    budget: null,
    onBudget: null,
    budgetAskTime: null,
    daily: null,
    monthly: null,
    token: null,
    shellTimeout: null,
    fetchTimeout: null,
  },
  recovery: null,
  retention: { archiveAfter: null, deleteArchivedAfter: null, deleteUploadsAfter: null },
  quotas: { uploadBytes: null, sessions: null, logBytes: null },
  sandbox: { shell: null, network: null, allowedPaths: [], privateAddresses: null, variables: [] },
  hooks: { promptAccepted: [], beforeTool: [], afterTool: [], settled: [], notice: [] },
  instructions: [],
};
