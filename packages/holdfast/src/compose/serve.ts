import { AgentFailure } from "../agent/agent.ts";
import { makeFolder } from "../base/folders.ts";
import { programVersion } from "../base/package.ts";
import { sleep } from "../base/time.ts";
import { discoveryFile, findServer } from "../server/discovery.ts";
import type { ServerLimits } from "../server/limits.ts";
import { createLog } from "../server/log.ts";
import { serverRunning, startServer } from "../server/serve.ts";
import type { RunningServer } from "../server/serve.ts";
import { StoreError } from "../store/store-error.ts";
import type { Store } from "../store/store.ts";
import { WorkspaceError } from "../workspace/loader.ts";
import { announceServer, inDataFolder, openServed, usualTtl } from "./served.ts";
import type { OpenedServed } from "./served.ts";
import { modelOf, openSetup } from "./setup.ts";
import type { Setup } from "./setup.ts";
import { openStore } from "./stores.ts";

export interface ServerSettings {
  readonly store: string;
  readonly dataFolder: string;
  readonly host: string;
  /** Null for the default one, or the next that is free. */
  readonly port: number | null;
  /** As `provider/model`; the environment's choice if it is null. */
  readonly model: string | null;
  /** How browsers reach it when a proxy stands before it. */
  readonly publicUrl: string | null;
  /** Other pages' exact origins that may call. */
  readonly allowedOrigins: readonly string[];
  /** Milliseconds that active runs get when the server stops. */
  readonly deadline: number;
  /** Milliseconds after which others take over what this process has, once it is silent: 10,000. */
  readonly leaseTtl?: number;
  /** Runs at a time, and runs at a time in one directory: 64 each. */
  readonly maxRuns?: number;
  readonly maxRunsPerDirectory?: number;
  /** Webhooks may go to private networks and to this machine. */
  readonly allowPrivateWebhooks: boolean;
  readonly limits?: Partial<ServerLimits>;
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
  /** Told once, with the number of runs that are at work. */
  readonly onStop: (stopping: { deadline: number; running: number }) => void;
}

export interface Serving {
  readonly server: RunningServer;
  readonly version: string;
  /** The name of the model that the coding agent uses, or why it has none; null for the demo agent. */
  readonly model: string | null;
  /** Why it has stopped by itself; null as long as it has not. */
  failure(): Error | null;
  /** A link that logs a browser in, once; waits until the server is ready. */
  link(): Promise<string>;
}

/** Starts a server on a store. Resolves when the server listens; `server.ready` resolves when it serves. */
export async function serve(settings: ServerSettings): Promise<Serving> {
  const { store, dataFolder, host, port, deadline, limits, environment } = settings;
  await inDataFolder(dataFolder, () => makeFolder(dataFolder, 0o700));
  await using starting = new AsyncDisposableStack();
  // At a terminal only trouble is printed; collected logs also get everything of note.
  const level = environment["HOLDFAST_LOG"] ?? (process.stderr.isTTY ? "warn" : "info");
  const log = createLog({ level, redact: (text) => setup?.redact(text) ?? text });
  starting.defer(() => log.flush());
  let setup: Setup | null = null;
  setup = await openSetup({ ...settings, watch: true, onError: (error) => log.error(error) });
  starting.adopt(setup, (opened) => opened.close());
  const file = discoveryFile({ store, dataFolder });
  const version = programVersion();
  let parts: OpenedServed | null = null;
  let failure: Error | null = null;
  const onFailure = (error: Error): void => {
    failure = error;
  };
  const server = await startServer({
    host,
    port,
    version,
    discoveryFile: file,
    announce: (discovery) => announceServer(file, discovery),
    deadline,
    ...(limits === undefined ? {} : { limits }),
    open: async (listening) => {
      // From here on the server owns the setup: it goes on after this function has returned.
      await using stack = starting.move();
      const { leaseTtl = usualTtl } = settings;
      const opened = await openOwn(file, () => openStore(store, { leaseTtl, onWarning }));
      stack.defer(() => opened.close());
      parts = await openServed({
        settings,
        listening,
        store: opened,
        setup,
        log,
        onFailure,
        stack,
      });
      return parts.served;
    },
    onStop: (within) => settings.onStop({ deadline: within, running: parts?.running() ?? 0 }),
  });
  const model = await modelName(setup).catch(async (error: unknown) => {
    // If the start has failed, report the cause of that failure instead.
    await server.ready;
    await server.stop({ deadline: 0 });
    throw error;
  });
  return {
    server,
    version,
    model,
    failure: () => failure,
    link: async () => {
      await server.ready;
      if (parts === null) throw new Error("a server that is ready has all its parts");
      return parts.link();
    },
  };
}

function onWarning(message: string): void {
  console.error(`holdfast: ${message}`);
}

/** A server starts without its model too: one may be connected later, and prompts are kept. */
async function modelName(setup: Setup): Promise<string | null> {
  try {
    return modelOf(await setup.choice(null));
  } catch (error) {
    if (!(error instanceof AgentFailure) && !(error instanceof WorkspaceError)) throw error;
    return `none: ${error.message}`;
  }
}

/** Opens the store. Another process may own it: one that is about to end is waited for, a server named. */
async function openOwn(file: string, open: () => Promise<Store>): Promise<Store> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "storeOwned") throw error;
      // It may have opened the store just now, and not written down yet where it is.
      const server = await findServer(file);
      if (server !== null) throw serverRunning(server, error);
      if (tries === 30) throw error;
      await sleep(100);
    }
  }
}
