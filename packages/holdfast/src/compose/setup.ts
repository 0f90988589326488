import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import type { Agent } from "../agent/agent.ts";
import { createBuiltInAgent } from "../agent/built-in.ts";
import { faultsVariable } from "../agent/demo/faults.ts";
import type { AgentDoors } from "../agent/hosted/door.ts";
import { findModel } from "../agent/model/find-model.ts";
import { secretsOf } from "../agent/model/known-providers.ts";
import type { RememberedRules } from "../agent/permissions/remembered.ts";
import { createLearningRedactor } from "../agent/redact.ts";
import { redactedAgent } from "../agent/redacted-agent.ts";
import type { MaintenanceCause } from "../kernel/maintenance.ts";
import { programVersion } from "../base/package.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { readStoreKey } from "../store/store-key.ts";
import type { Store } from "../store/store.ts";
import { updateRecord } from "../store/update-record.ts";
import { createConfigs } from "../workspace/config/configs.ts";
import type { Configs } from "../workspace/config/configs.ts";
import { createTrust } from "../workspace/config/trust.ts";
import { watchConfig } from "../workspace/config/watch.ts";
import { createEditorServers } from "../workspace/editor-servers.ts";
import type { EditorServers } from "../workspace/editor-servers.ts";
import { createWorkspaceHost } from "../workspace/host.ts";
import type { WorkspaceHost } from "../workspace/host.ts";
import { WorkspaceError } from "../workspace/loader.ts";
import { createConfigWatches } from "../workspace/load/config-watches.ts";
import { createLoader, statusesOf } from "../workspace/load/loader.ts";
import type { Choice } from "../workspace/load/loader.ts";
import { createMcpLogins, learningSignIns } from "../workspace/mcp-logins.ts";
import type { McpLogins } from "../workspace/mcp-logins.ts";
import { createCredentials } from "../workspace/providers/credentials.ts";
import { sharedCredentials } from "../workspace/providers/shared-credentials.ts";
import type { Disconnections } from "../workspace/providers/shared-credentials.ts";
import { createProviders } from "../workspace/providers/providers.ts";
import type { Providers } from "../workspace/providers/providers.ts";
import { createSessionProviders } from "../workspace/providers/session-providers.ts";
import type { SessionProviders } from "../workspace/providers/session-providers.ts";
import { systemClock } from "../base/time.ts";
import { hookedStore } from "./hooked-store.ts";
import type { HookedStore } from "./hooked-store.ts";
import { configFolder, dataFolder } from "./stores.ts";

export interface SetupOptions {
  /** In the form `provider/model`; null: chosen by the environment or a config. */
  readonly model: string | null;
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
  /** Folder with the stored keys and the list of trusted configs. Default: the user's data folder. */
  readonly dataFolder?: string;
  readonly store?: string;
  /** True: when a config file is edited, the directory is reloaded. */
  readonly watch: boolean;
  readonly onError: (error: unknown) => void;
  /**
   * Called when a run starts with a model that will be shut down soon. If missing, only the notices of the directory
   * report this.
   */
  readonly onWarning?: (message: string) => void;
  /** Current time. Default: the system's clock. */
  readonly now?: () => number;
}

/**
 * Folders and files that no session or tool may use: the data folder, the config folder, and the files of the store.
 */
export function ownFolders(
  options: Pick<SetupOptions, "dataFolder" | "store" | "environment" | "home">,
): readonly string[] {
  const { environment, home, store = "" } = options;
  const usual = dataFolder(environment, home);
  const isFile = store !== "" && !store.includes("://");
  const files = isFile ? ["", "-wal", "-shm", "-journal"].map((end) => resolve(store) + end) : [];
  return [options.dataFolder ?? usual, usual, configFolder(environment, home), ...files];
}

/** Everything that the runs in this process use: the agent and the setups of directories. */
export interface Setup {
  readonly agent: Agent;
  readonly host: WorkspaceHost;
  readonly configs: Configs;
  readonly providers: Providers & Pick<SessionProviders, "offer">;
  readonly logins: McpLogins;
  readonly editorServers: EditorServers;
  /** Opens the permission rules that people's answers have stored. */
  readonly remembered: () => Promise<RememberedRules>;
  readonly redact: (text: string) => string;
  /** Returns the secrets that `redact` removes from texts. */
  readonly secrets: () => readonly string[];
  /** Returns the models that can be chosen in a directory. Null: use only the user's config. */
  choice(directory: string | null): Promise<Choice>;
  /**
   * Connects the store. Call this before the first run, because the store records which providers the user has
   * disconnected. Returns the same store with the user's prompt hooks. Close the hooks after the runtime and before the
   * store.
   */
  bind(store: Store): Promise<HookedStore>;
  /** Sets the runtime that reloads a directory when its config has changed. */
  attach(runtime: Runtime): void;
  /** Gives external (hosted) agents access to the MCP server of this process. */
  openDoors(doors: AgentDoors): void;
  /** Closes the loaded directories. Call it after the runtime has closed. */
  close(): Promise<void>;
}

export async function openSetup(options: SetupOptions): Promise<Setup> {
  const { environment, home, onError, onWarning = () => {}, now = Date.now } = options;
  const own = options.dataFolder ?? dataFolder(environment, home);
  const redactor = createLearningRedactor();
  const redact = (text: string): string => redactor.redact(text);
  let disconnections: Disconnections | null = null;
  /** Secret key for the digests of config versions. Random until a store with its own key is connected. */
  let digestKey: Uint8Array = randomBytes(32);
  const credentials = sharedCredentials(
    createCredentials(join(own, "credentials.json")),
    () => disconnections,
  );
  const signIns = learningSignIns(credentials.serverSignIns, (secrets) => redactor.learn(secrets));
  const editorServers = createEditorServers(join(own, "editor-servers.json"));
  const configs = createConfigs({
    userFolder: configFolder(environment, home),
    environment,
    trust: createTrust(join(own, "trust.json")),
    editorServers,
  });
  let runtime: Runtime | null = null;
  let doors: AgentDoors | null = null;
  const refresh = (directory: string, cause: MaintenanceCause): void => {
    const id = runtime?.nodeId() ?? null;
    if (runtime === null || id === null) return;
    const actor = { kind: "node", id } as const;
    runtime.maintenance
      .request({ kind: "refresh", directories: [directory], cause, actor })
      .catch(onError);
  };
  await using stack = new AsyncDisposableStack();
  const watches = options.watch
    ? createConfigWatches({
        watch: (onChange) => watchConfig({ clock: systemClock, onChange }),
        onChange: (directory) => refresh(directory, "config"),
        onError,
      })
    : null;
  stack.defer(() => watches?.close());
  const loader = createLoader({
    environment,
    model: options.model,
    credentials,
    readConfig: (directory) => configs.read(directory),
    learn: (secrets) => redactor.learn(secrets),
    watches,
    guarded: {
      hidden: ownFolders(options),
      readOnly: [],
    },
    version: programVersion(),
    agentsFolder: join(dataFolder(environment, home), "agents"),
    doors: () => doors,
    serverSignIns: signIns,
    onError,
    onWarning,
    now,
  });
  // Register the keys in the environment and the user's config before any text is written. Ignore a broken config here:
  // runs report it.
  redactor.learn(secretsOf(environment));
  await loader.choice(null).catch((error: unknown) => {
    if (!(error instanceof WorkspaceError)) throw error;
  });
  let bound: Store | null = null;
  const offers = createSessionProviders({
    choice: (directory) => loader.choice(directory),
    parentOf: async (sessionId) => (await bound?.lane(sessionId))?.parent?.sessionId ?? null,
    learn: (secrets) => redactor.learn(secrets),
  });
  const host = createWorkspaceHost({
    loader,
    revokeOffers: (names) => offers.revoke(names),
    digestKey: () => digestKey,
    onError,
    onRefreshWanted: refresh,
  });
  stack.defer(() => host.close());
  const providers = createProviders({
    credentials,
    environment,
    choice: (directory) => loader.choice(directory),
    isInUse: (name) =>
      offers.has(name) ||
      host
        .list()
        .some(({ current }) => current?.workspace.setup?.models.providers.includes(name) === true),
    learn: (secrets) => redactor.learn(secrets),
    now,
  });
  const logins = createMcpLogins({
    signIns,
    servers: async (directory) => (await configs.read(directory)).config.mcp,
  });
  stack.defer(() => logins.close());
  const remembered = openRemembered(options, redact);
  const owned = stack.move();
  return {
    agent: redactedAgent(offers.wrap(builtInAgent(options, remembered)), redactor),
    host,
    configs,
    providers: { ...providers, offer: (target, offered) => offers.offer(target, offered) },
    logins,
    editorServers,
    remembered,
    redact,
    secrets: () => redactor.secrets(),
    choice: (directory) => loader.choice(directory),
    bind: async (store) => {
      digestKey = await readStoreKey(store);
      disconnections = storeDisconnections(store);
      bound = store;
      // Caches the hooks of directories that are not loaded, so that not every prompt reads the config.
      const read = rememberFor(1_000, (directory: string) => loader.hooks(directory));
      return hookedStore(store, {
        hooks: async (directory) =>
          host.get(directory)?.current?.workspace.setup?.hooks ?? read(directory),
        onError,
      });
    },
    attach: (attached) => {
      runtime = attached;
    },
    openDoors: (opened) => {
      doors = opened;
    },
    close: () => owned.disposeAsync(),
  };
}

/** Returns the model that runs use; null for the demo agent. Throws AgentFailure if no model is connected. */
export function modelOf({ providers, chosen }: Choice): string | null {
  if (providers.length === 0 && chosen === null) return null;
  const { connected, disconnected } = statusesOf(providers);
  return findModel(connected, chosen, { disconnected }).id;
}

/**
 * Opens the remembered rules when they are first needed. All callers share one instance, so that writes do not overlap.
 */
function openRemembered(
  { environment, home }: SetupOptions,
  redact: (text: string) => string,
): () => Promise<RememberedRules> {
  // Permissions for a project belong to the user, independent of the session's store.
  const folder = join(dataFolder(environment, home), "permissions");
  let opened: Promise<RememberedRules> | null = null;
  return () =>
    (opened ??= import("../agent/permissions/remembered.ts").then(({ createRememberedRules }) =>
      createRememberedRules(folder, { redact }),
    ));
}

function builtInAgent(
  { environment }: SetupOptions,
  remembered: () => Promise<RememberedRules>,
): Agent {
  return createBuiltInAgent({
    demo: { faults: environment[faultsVariable] === "1" },
    coding: async () => {
      return {
        remembered: await remembered(),
        stallAfter: 120_000,
        endAfter: 30 * 60_000,
        maxTries: 8,
        random: Math.random,
      };
    },
  });
}

/** Caches results. The first result starts a timer that clears the whole cache after some milliseconds. */
function rememberFor<Key, Value>(
  milliseconds: number,
  answer: (key: Key) => Promise<Value>,
): (key: Key) => Promise<Value> {
  const known = new Map<Key, Promise<Value>>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size === 0) setTimeout(() => known.clear(), milliseconds).unref();
    const asked = answer(key);
    known.set(key, asked);
    return asked;
  };
}

const kind = "providerDisconnected";
/** Maximum number of records to read: more than the providers that a person connects. */
const most = 1_000;

/** Stores disconnected providers in the store, one record each. */
function storeDisconnections(store: Store): Disconnections {
  return {
    read: async () => {
      const records = await store.records(kind, { after: null, limit: most });
      return new Map(records.map(({ id, value }) => [id, timeOf(value)]));
    },
    put: async (name, at) => {
      if (at === null) await store.removeRecord({ kind, id: name });
      else await updateRecord(store, { kind, id: name }, () => ({ at }));
    },
  };
}

/**
 * Returns the time at which the provider was disconnected. An unreadable record counts as later than every connect, so
 * that the provider stays disconnected.
 */
function timeOf(value: unknown): number {
  const known = typeof value === "object" && value !== null && "at" in value ? value.at : null;
  return typeof known === "number" ? known : Infinity;
}
