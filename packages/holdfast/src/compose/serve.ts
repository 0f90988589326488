import { AgentFailure } from "../agent/agent.ts";
import { makeFolder } from "../base/folders.ts";
import { programVersion } from "../base/package.ts";
import { sleep } from "../base/time.ts";
import { discoveryFile, findServer } from "../server/discovery.ts";
import type { ServerLimits } from "../server/limits.ts";
import { createLog } from "../server/log.ts";
import { serverRunning, startServer } from "../server/serve.ts";
import type { RunningServer } from "../server/serve.ts";
import { SetupError } from "../server/setup-error.ts";
import { StoreError } from "../store/store-error.ts";
import type { Store } from "../store/store.ts";
import { WorkspaceError } from "../workspace/loader.ts";
import { hungServerProblem } from "./hung-server.ts";
import { announceServer, inDataFolder, openServed, usualTtl } from "./served.ts";
import type { OpenedServed } from "./served.ts";
import { modelOf, openSetup } from "./setup.ts";
import type { Setup } from "./setup.ts";
import { hasFreedStore } from "./stopping-server.ts";
import { openStore, commandForServer } from "./stores.ts";

export interface ServerSettings {
  readonly store: string;
  readonly dataFolder: string;
  readonly host: string;
  /** Null: the default port, or the next free one. */
  readonly port: number | null;
  /** In the form `provider/model`; null: chosen by the environment or a config. */
  readonly model: string | null;
  /** URL for browsers if a proxy is in front of the server. */
  readonly publicUrl: string | null;
  /** Exact origins of other pages that may call the server. */
  readonly allowedOrigins: readonly string[];
  /** Milliseconds that active runs get to finish when the server stops. */
  readonly deadline: number;
  /** Milliseconds without work and clients after which the server stops; null: never. */
  readonly stopWhenIdle?: number | null;
  /** Milliseconds after which other nodes take over the work of a silent node. Default: 10,000. */
  readonly leaseTtl?: number;
  /** Maximum number of concurrent runs. Default: 64. */
  readonly maxRuns?: number;
  /** Maximum number of concurrent runs in one directory. Default: `maxRuns`. */
  readonly maxRunsPerDirectory?: number;
  /** True: webhooks may call private networks and this machine. */
  readonly allowPrivateWebhooks: boolean;
  /** Milliseconds between an event and its push message. Default: 3,000. */
  readonly pushGrace?: number;
  readonly limits?: Partial<ServerLimits>;
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
  /**
   * Called once when the server begins to stop, with the time that active runs get in milliseconds and their number.
   */
  readonly onStop: (stopping: { deadline: number; running: number }) => void;
}

export interface Serving {
  readonly server: RunningServer;
  readonly version: string;
  /** Name of the coding agent's model, or why there is none; null for the demo agent. */
  readonly model: string | null;
  /** Why the server has stopped by itself; null if it has not. */
  failure(): Error | null;
  /** True if work is running or waiting. Always true before the server is ready. */
  hasWork(): Promise<boolean>;
  /** Monotonic time of the last event or webhook delivery. */
  lastEvent(): number;
  /** Waits until the server is ready, then creates a one-time sign-in link for a browser. */
  link(): Promise<string>;
}

/**
 * Starts a server on a store. Resolves when the server accepts connections; `server.ready` resolves when the store is
 * open and the server can handle requests.
 */
export async function serve(settings: ServerSettings): Promise<Serving> {
  const { store, dataFolder, host, port, deadline, limits, environment } = settings;
  await inDataFolder(dataFolder, () => makeFolder(dataFolder, 0o700));
  const file = discoveryFile({ store, dataFolder });
  const stopCommand = (url: string): string =>
    commandForServer("holdfast server stop", { ...settings, url });
  await hasServerEnded(file, { stopCommand });
  await using starting = new AsyncDisposableStack();
  // At a terminal, log only warnings and errors. Otherwise the log is probably stored in a file, so log more.
  const level = environment["HOLDFAST_LOG"] ?? (process.stderr.isTTY ? "warn" : "info");
  const log = createLog({ level, redact: (text) => setup?.redact(text) ?? text });
  starting.defer(() => log.flush());
  let setup: Setup | null = null;
  setup = await openSetup({
    ...settings,
    watch: true,
    onError: (error) => log.error(error),
    onWarning: (message) => log.logger.warn(message),
  });
  starting.adopt(setup, (opened) => opened.close());
  const version = programVersion();
  let opened: OpenedServed | null = null;
  let failure: Error | null = null;
  const onFailure = (error: Error): void => {
    failure = error;
  };
  const server = await startServer({
    host,
    port,
    version,
    discoveryFile: file,
    stopCommand,
    announce: async (discovery) => {
      await announceServer(file, discovery);
      log.logger.info({ version, url: discovery.url }, "the server is ready");
    },
    isBackground: (settings.stopWhenIdle ?? null) !== null,
    deadline,
    ...(limits === undefined ? {} : { limits }),
    open: async (listening) => {
      // Move the resources that were opened so far, such as `setup`, from `starting` to `stack`. They are closed
      // together with the server.
      await using stack = starting.move();
      const { leaseTtl = usualTtl } = settings;
      const own = await openOwn(() => openStore(store, { leaseTtl, onWarning }), {
        file,
        stopCommand,
      });
      stack.defer(() => own.close());
      opened = await openServed({
        settings,
        listening,
        store: own,
        setup,
        log,
        onFailure,
        stack,
      });
      return opened.served;
    },
    onStop: (within) => settings.onStop({ deadline: within, running: opened?.running() ?? 0 }),
  });
  const model = await modelName(setup).catch(async (error: unknown) => {
    // If the server itself failed to start, `ready` rejects here, and the caller gets that error instead of the model's
    // error.
    await server.ready;
    await server.stop({ deadline: 0 });
    throw error;
  });
  return {
    server,
    version,
    model,
    failure: () => failure,
    hasWork: async () => opened?.hasWork() ?? true,
    lastEvent: () => opened?.lastEvent() ?? Infinity,
    link: async () => {
      await server.ready;
      if (opened === null)
        throw new Error(
          "no link can be created, because the server has no open store; please report this bug",
        );
      return opened.link();
    },
  };
}

function onWarning(message: string): void {
  console.error(`holdfast: ${message}`);
}

/**
 * Returns the model's name, or why there is none. The server starts even without a model: a model may be connected
 * later, and prompts are kept.
 */
async function modelName(setup: Setup): Promise<string | null> {
  try {
    return modelOf(await setup.choice(null));
  } catch (error) {
    if (!(error instanceof AgentFailure) && !(error instanceof WorkspaceError)) throw error;
    return `none: ${error.message}`;
  }
}

/** Milliseconds to wait for the end of another process that owns the store. */
const ownerPatience = 3_000;

/**
 * Opens the store. If a server owns it, throws an error that names the server. If another process owns it, waits some
 * seconds for that process to end.
 */
async function openOwn(
  open: () => Promise<Store>,
  { file, stopCommand }: { file: string; stopCommand: (url: string) => string },
): Promise<Store> {
  for (let since = performance.now(); ;) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "storeOwned") throw error;
      // Look for the server in each round: the owner of the store may be a server that has not announced itself yet.
      const hasEnded = await hasServerEnded(file, { stopCommand, cause: error });
      if (hasEnded) since = performance.now();
      else if (performance.now() - since > ownerPatience) {
        const problem = await hungServerProblem(file);
        throw problem === null ? error : new SetupError("serverRunning", problem, error);
      }
      await sleep(100);
    }
  }
}

/**
 * Throws if a server uses the store. Waits for the end of a server that is stopping; returns true if there was one, and
 * false if no server answers.
 */
async function hasServerEnded(
  file: string,
  running: { stopCommand: (url: string) => string; cause?: unknown },
): Promise<boolean> {
  const server = await findServer(file);
  if (server === null) return false;
  if (await hasFreedStore(server, { note: onWarning })) return true;
  throw serverRunning(server, running);
}
