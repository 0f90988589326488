import { createHash } from "node:crypto";
import { createCatalogue } from "../../agent/model/catalogue/catalogue.ts";
import type { Catalogue } from "../../agent/model/catalogue/catalogue.ts";
import { findModel } from "../../agent/model/find-model.ts";
import { defaultModel, passwordIn, secretsOf } from "../../agent/model/known-providers.ts";
import type { Environment, Provider } from "../../agent/model/known-providers.ts";
import type { AgentDoors } from "../../agent/hosted/door.ts";
import type { SignIns } from "../../agent/mcp/oauth/sign-ins.ts";
import type { McpServer } from "../../agent/mcp/server.ts";
import type { Models, PromptHooks } from "../../agent/setup.ts";
import type { Tool } from "../../agent/tools/tool.ts";
import { noHooks, usualAgent } from "../../agent/usual-setup.ts";
import type { Config } from "../config/config.ts";
import type { Powers } from "../config/powers.ts";
import type { ReadConfig } from "../config/read-config.ts";
import { errorNotice, WorkspaceError } from "../loader.ts";
import type { Blueprint, Notice, Resource, ResourcePlan, WorkspaceLoader } from "../loader.ts";
import type { Credentials } from "../providers/credentials.ts";
import { withMachineSettings } from "../providers/machine-settings.ts";
import { mergeProviders } from "../providers/merge.ts";
import type { SourcedProvider } from "../providers/merge.ts";
import { signInStore } from "../providers/sign-in-store.ts";
import type { ConfigWatches } from "./config-watches.ts";
import { isGuarded } from "../../agent/tools/paths.ts";
import { realFolders } from "./guarded-folders.ts";
import type { GuardedFolders } from "./guarded-folders.ts";
import { hooksOf } from "./hooks.ts";
import { endOfModel, modelNotices } from "./model-notices.ts";
import { providerPlan } from "./provider-resource.ts";
import type { ProviderResource } from "./provider-resource.ts";
import { createRunningAgents } from "../../agent/hosted/running-agents.ts";
import type { RunningAgents } from "../../agent/hosted/running-agents.ts";
import { isHostedPool, loadHosted } from "./hosted-agents.ts";
import type { HostedAgents } from "./hosted-agents.ts";
import { profilesOf, setupOf } from "./setup.ts";

export interface LoaderOptions {
  readonly environment: Environment;
  /** Model for every directory as `provider/model`, which overrides the config. Null: use the config. */
  readonly model: string | null;
  readonly credentials: Credentials;
  /** Stored sign-ins to MCP servers. If missing, no server can use a sign-in. */
  readonly serverSignIns?: SignIns;
  /** Reads the config of a directory. Null: only the user's config. */
  readonly readConfig: (directory: string | null) => Promise<ReadConfig>;
  /** Called with every secret before it is used, so that it can be redacted. */
  readonly learn: (secrets: readonly string[]) => void;
  /** Watches config files. Null if the process ends too soon to load an edit. */
  readonly watches: ConfigWatches | null;
  /** Holdfast's own folders, which no run may access. */
  readonly guarded: GuardedFolders;
  /** Folder of agents that `holdfast agents add` has installed. */
  readonly agentsFolder: string;
  /**
   * Returns the object that gives hosted agents access to Holdfast's MCP server; null: this process is not a server.
   */
  readonly doors: () => AgentDoors | null;
  /** Version of Holdfast, sent to MCP servers and hosted agents. */
  readonly version: string;
  /** Called with an error of a hook if no other code handles the error. */
  readonly onError: (error: unknown) => void;
  /** Called when a run starts with a model that its provider will shut down soon. */
  readonly onWarning: (message: string) => void;
  readonly now: () => number;
}

/** The providers for runs in a directory, and the selected model. */
export interface Choice {
  readonly providers: readonly SourcedProvider[];
  /** The selected model. Null if none is configured and no provider has a default. */
  readonly chosen: string | null;
  /** Names of providers that only an untrusted project config defines. */
  readonly untrusted: readonly string[];
  /** The user's own model catalogue. Null: the built-in one. */
  readonly catalogue: Catalogue | null;
}

export interface Loader extends WorkspaceLoader {
  /** Returns the providers and the model of a directory. Null: only the user's config. */
  choice(directory: string | null): Promise<Choice>;
  /** Returns the prompt hooks of a directory, even if it is not open. */
  hooks(directory: string): Promise<PromptHooks>;
}

export function createLoader(options: LoaderOptions): Loader {
  const running = createRunningAgents();
  const warned: WarnedModels = new Map();
  const choose = async ({ config, secrets, powers }: ReadConfig): Promise<Choice> => {
    const { credentials } = options;
    const known = await credentials.read();
    const catalogue = config.catalogue === null ? null : createCatalogue(config.catalogue);
    const preferred = options.environment["HOLDFAST_MODEL"]?.trim() ?? "";
    const wanted = options.model ?? (preferred === "" ? config.model : preferred);
    const named = providerNames([wanted, config.smallModel]);
    const sources = { credentials: known, config: config.providers, named, catalogue };
    const environment = await withMachineSettings(options.environment, sources);
    const providers = mergeProviders({ environment, ...sources });
    const passwords = providers.map(({ provider }) => passwordIn(provider.baseUrl));
    const keys = await credentials.keys();
    options.learn([...secretsOf(environment), ...keys, ...passwords, ...secrets]);
    const chosen = wanted ?? defaultModel(statusesOf(providers).connected);
    const untrusted = powers.trusted ? [] : providersIn(powers);
    return { providers, chosen, untrusted, catalogue };
  };
  return {
    hooks: async (directory) => {
      try {
        const { config } = await options.readConfig(directory);
        return hooksOf(config, options);
      } catch (error) {
        // Ignore config errors here, because the run will report them.
        if (error instanceof WorkspaceError) return noHooks;
        throw error;
      }
    },
    choice: async (directory) => choose(await options.readConfig(directory)),
    read: async (directory) => {
      const guarded = await realFolders(options.guarded);
      if (await isGuarded(directory, guarded.hidden)) throw ownFolder(directory);
      const read = await readWatched(options, directory);
      const choice = await choose(read);
      return blueprint({ options, directory, guarded, read, choice, running, warned });
    },
  };
}

function providerNames(models: readonly (string | null)[]): ReadonlySet<string> {
  return new Set(models.flatMap((model) => model?.split("/", 1) ?? []));
}

/** Reads a config and starts to watch it. A broken config is watched too, so that a fix takes effect. */
async function readWatched(
  { readConfig, watches }: LoaderOptions,
  directory: string,
): Promise<ReadConfig> {
  const since = Date.now();
  try {
    const read = await readConfig(directory);
    watches?.update(directory, { files: read.files, since });
    return read;
  } catch (error) {
    if (isConfigError(error)) watches?.update(directory, { files: error.files, since });
    throw error;
  }
}

/** Builds the error for a session in one of Holdfast's own folders, for example from an old store or an import. */
function ownFolder(directory: string): WorkspaceError {
  const advice = "Work in another directory.";
  const message = `${directory} contains data or config of Holdfast, so no session can work in it. ${advice}`;
  return new WorkspaceError([errorNotice(message)]);
}

function isConfigError(error: unknown): error is WorkspaceError & { files: readonly string[] } {
  return error instanceof WorkspaceError && "files" in error;
}

function providersIn({ list }: Powers): readonly string[] {
  const prefix = "providers.";
  return list.flatMap(({ key }) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
}

/** Separates the connected providers from the names of those that the user has disconnected. */
export function statusesOf(providers: readonly SourcedProvider[]): {
  readonly connected: readonly Provider[];
  readonly disconnected: readonly string[];
} {
  const withStatus = (wanted: SourcedProvider["status"]): readonly Provider[] =>
    providers.flatMap(({ provider, status }) => (status === wanted ? [provider] : []));
  return {
    connected: withStatus("connected"),
    disconnected: withStatus("disconnected").map(({ name }) => name),
  };
}

async function blueprint(input: {
  options: LoaderOptions;
  directory: string;
  guarded: GuardedFolders;
  read: ReadConfig;
  choice: Choice;
  running: RunningAgents;
  warned: WarnedModels;
}): Promise<Blueprint> {
  const { options, directory, guarded, read, choice } = input;
  const { config } = read;
  const { chosen } = choice;
  const connected = choice.providers.filter(({ status }) => status === "connected");
  const { disconnected } = statusesOf(choice.providers);
  const needsModel = connected.length > 0 || chosen !== null;
  const signIns = signInStore(options.credentials);
  const providers = connected.map(({ provider, settings }) =>
    providerPlan(provider, { settings, learn: options.learn, signIns }),
  );
  const { environment, version, agentsFolder: folder, doors } = options;
  const [mcp, hosted] = await Promise.all([
    loadMcp(options, { read, directory }),
    loadHosted(config, { folder, environment, version, doors, running: input.running }),
  ]);
  const watching = options.watches === null ? [] : [options.watches.plan(directory)];
  // Without a model no tools are needed, and loading them takes time.
  const tools = needsModel ? await loadTools(config, hosted) : [];
  const keys = [...providers, ...mcp.plans, ...hosted.plans].map(({ key }) => key);
  // Include the version of Holdfast in the digest, because another version may have other built-in tools.
  const content = JSON.stringify([options.version, read.digest, chosen, keys, disconnected]);
  const digest = createHash("sha256").update(content);
  return {
    digest: digest.digest("hex"),
    notices: [
      ...read.notices,
      ...hosted.notices,
      ...(needsModel ? noticesOf(config, choice, options) : []),
    ],
    resources: [...watching, ...providers, ...mcp.plans, ...hosted.plans],
    build: ({ generation, opened }) => {
      const open = keys.flatMap((key) => opened.get(key) ?? []);
      const servers = open.filter(isMcpServer);
      const models = modelsOf(open.filter(isProvider), {
        chosen,
        small: config.smallModel,
        disconnected,
        onOpen: warnOnce({ ...choice, warned: input.warned }, options),
      });
      const setup = setupOf(config, {
        models,
        tools: [...tools, ...mcp.tools(servers, tools)],
        hooks: hooksOf(config, options),
        prompts: servers.flatMap((server) => server.prompts()),
        serverInstructions: servers.flatMap(serverInstructions),
        guarded,
        hosted,
        pools: open.filter(isHostedPool),
      });
      return Object.freeze({ generation, directory, setup: Object.freeze(setup) });
    },
  };
}

/** Loads the built-in tools. */
async function loadTools(config: Config, hosted: HostedAgents): Promise<readonly Tool[]> {
  const { codingTools } = await import("../../agent/tools/all.ts");
  const agents = [...profilesOf(config, hosted).values()];
  return codingTools({ agents, usual: config.agent ?? usualAgent });
}

interface LoadedMcp {
  readonly plans: readonly ResourcePlan[];
  tools(servers: readonly McpServer[], own: readonly Tool[]): readonly Tool[];
}

/** Returns a server's instructions under a heading that attributes them to the server, which is not trusted. */
function serverInstructions(server: McpServer): readonly { path: string; text: string }[] {
  const text = server.instructions();
  const path = `the MCP server ${server.name} (written by that server, not by the user; about its tools only)`;
  return text === null ? [] : [{ path, text }];
}

/** Loads MCP support only if servers are configured. */
async function loadMcp(
  { environment, version, serverSignIns: signIns }: LoaderOptions,
  { read, directory }: { read: ReadConfig; directory: string },
): Promise<LoadedMcp> {
  const { config, mcpPlaces } = read;
  if (config.mcp.size === 0) return { plans: [], tools: () => [] };
  const [{ mcpPlan }, { mcpTools }] = await Promise.all([
    import("../../agent/mcp/server.ts"),
    import("../../agent/mcp/names.ts"),
  ]);
  return {
    plans: [...config.mcp].map(([name, server]) => ({
      ...mcpPlan(name, server, {
        environment,
        version,
        directory,
        ...(signIns === undefined ? {} : { signIns }),
      }),
      place: mcpPlaces.get(name),
    })),
    tools: (servers, own) =>
      mcpTools(
        servers,
        own.map(({ name }) => name),
      ),
  };
}

function noticesOf(config: Config, choice: Choice, { now }: LoaderOptions): readonly Notice[] {
  const { providers, chosen, catalogue } = choice;
  const { connected } = statusesOf(providers);
  return modelNotices(config, { connected, chosen, catalogue, now: now() });
}

/** Day of the last warning about each model, for all directories and generations. */
type WarnedModels = Map<string, number>;

/** Returns a function that warns when a run uses a model that will be shut down, at most once a day for each model. */
function warnOnce(
  { catalogue, warned }: Choice & { readonly warned: WarnedModels },
  { now, onWarning }: LoaderOptions,
): (model: string) => void {
  return (model) => {
    const today = Math.floor(now() / 86_400_000);
    if (warned.get(model) === today) return;
    const end = endOfModel(model, { catalogue, now: now() });
    if (end === null) return;
    warned.set(model, today);
    onWarning(end.message);
  };
}

function isProvider(resource: Resource): resource is ProviderResource {
  return "provider" in resource && "model" in resource;
}

function isMcpServer(resource: Resource): resource is McpServer {
  return "tools" in resource && "prompts" in resource;
}

/** Creates the object from which runs get a model by its id. The models are those of the given providers. */
function modelsOf(
  opened: readonly ProviderResource[],
  choice: Pick<Models, "chosen" | "small" | "disconnected"> & {
    readonly onOpen: (model: string) => void;
  },
): Models {
  const { chosen, small, disconnected, onOpen } = choice;
  const providers = opened.map(({ provider }) => provider);
  return {
    chosen,
    small,
    providers: providers.map(({ name }) => name),
    disconnected,
    open: async (id, run) => {
      const { id: found, provider, name } = findModel(providers, id ?? chosen, { disconnected });
      const resource = opened.find((candidate) => candidate.provider === provider);
      if (resource === undefined)
        throw new Error(
          `the model provider ${provider.name} is not loaded; please report this bug`,
        );
      if (run !== undefined) {
        resource.use(run.runId);
        onOpen(found);
      }
      return resource.model(name);
    },
    release: (runId) => {
      for (const resource of opened) resource.release(runId);
    },
  };
}
