import { existsSync } from "node:fs";
import { join } from "node:path";
import { sleep } from "../base/time.ts";
import type { WireEvent } from "../contract/event.ts";
import type { LaneEvent } from "../kernel/event.ts";
import { AgentFailure } from "../agent/agent.ts";
import { isFolder, makeFolder } from "../base/folders.ts";
import { isPrivateHost, publicLookup } from "../agent/tools/address.ts";
import { isGuarded } from "../agent/tools/paths.ts";
import { packageFolder, programVersion } from "../base/package.ts";
import { createRuntime } from "../runtime/runtime.ts";
import { createApp } from "../server/app.ts";
import { discoveryFile, findServer } from "../server/discovery.ts";
import type { ServerLimits } from "../server/limits.ts";
import { isLocalHost } from "../server/listen.ts";
import { createLog } from "../server/log.ts";
import type { ServerLog } from "../server/log.ts";
import { createMetrics } from "../server/metrics.ts";
import type { Principal, Security } from "../server/ports.ts";
import { keepOwnerToken } from "../server/security/owner-token.ts";
import { createSecurity } from "../server/security/security.ts";
import type { SourcePolicy } from "../server/security/source.ts";
import { serverRunning, startServer } from "../server/serve.ts";
import type { Listening, RunningServer, Served } from "../server/serve.ts";
import { createEventStreams } from "../server/stream/event-streams.ts";
import { startFollower } from "../server/stream/follower.ts";
import { createStreams } from "../server/stream/streams.ts";
import { createTracing } from "../server/tracing.ts";
import { webFiles } from "../server/web-files.ts";
import { createWebhooks } from "../server/webhooks/webhooks.ts";
import { wireEvent } from "../server/wire/event.ts";
import { StoreError } from "../store/store-error.ts";
import type { Store } from "../store/store.ts";
import { realFolders } from "../workspace/load/guarded-folders.ts";
import { WorkspaceError } from "../workspace/loader.ts";
import { announceServer, inDataFolder } from "./data-folder.ts";
import { modelOf, openSetup, ownFolders } from "./setup.ts";
import type { Setup } from "./setup.ts";
import { sandboxStatus } from "./sandbox-status.ts";
import { readCaps } from "./caps.ts";
import { quotaLimits } from "./quota-limits.ts";
import { startRetention } from "./retention.ts";
import { settingsPorts } from "./settings-ports.ts";
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

/** A server on a store: resolves when it listens; its `ready` says when it serves. */
export async function serve(settings: ServerSettings): Promise<Serving> {
  const { store, dataFolder, host, port, deadline, limits, environment } = settings;
  const onError = (error: unknown): void => log.error(error);
  await inDataFolder(dataFolder, () => makeFolder(dataFolder, 0o700));
  const setup = await openSetup({ ...settings, watch: true, onError });
  // A person at a terminal wants to hear of trouble; whoever collects lines, of everything of note.
  const level = environment["HOLDFAST_LOG"] ?? (process.stderr.isTTY ? "warn" : "info");
  const log = createLog({ level, redact: setup.redact });
  const file = discoveryFile({ store, dataFolder });
  const version = programVersion();
  let parts: OpenedServed | null = null;
  let failure: Error | null = null;
  const server = await startServer({
    host,
    port,
    version,
    discoveryFile: file,
    announce: (discovery) => announceServer(file, discovery),
    deadline,
    ...(limits === undefined ? {} : { limits }),
    open: async (listening) => {
      const { leaseTtl = usualTtl } = settings;
      const opened = await openOwn(file, () => openStore(store, { leaseTtl, onWarning }));
      try {
        const onFailure = (error: Error): void => {
          failure = error;
        };
        parts = await openServed({ settings, listening, store: opened, setup, log, onFailure });
        return parts.served;
      } catch (error) {
        await opened.close();
        throw error;
      }
    },
    onStop: (within) => settings.onStop({ deadline: within, running: parts?.running() ?? 0 }),
  });
  const model = await modelName(setup).catch(async (error: unknown) => {
    // A start that failed has closed the store, and why it failed is what counts.
    await server.ready;
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

interface OpenedServed {
  readonly served: Served;
  readonly link: Serving["link"];
  readonly running: () => number;
}

/** Everything behind the socket, on a store that stays the caller's until this has succeeded. */
async function openServed(parts: {
  settings: ServerSettings;
  listening: Listening;
  store: Store;
  setup: Setup;
  log: ServerLog;
  onFailure: (error: Error) => void;
}): Promise<OpenedServed> {
  const { settings, listening, setup, log } = parts;
  const store = await setup.bind(parts.store);
  const { lifecycle, limits, port } = listening;
  const { agent, host: workspaces, redact } = setup;
  const version = programVersion();
  const onError = (error: unknown): void => log.error(error);
  const now = Date.now;
  const { dataFolder } = settings;
  const ownerSecret = await inDataFolder(dataFolder, () =>
    keepOwnerToken(store, { dataFolder, now }),
  );
  const { leaseTtl = usualTtl, maxRuns, maxRunsPerDirectory } = settings;
  const caps = await readCaps(setup.configs);
  const runtime = await createRuntime({
    agent,
    store,
    workspaces,
    redact,
    secrets: setup.secrets,
    spoolFolder: dataFolder,
    caps: caps.now,
    onError,
    leaseTtl,
    renewEvery: Math.min(1_000, leaseTtl / 5),
    ...(maxRuns === undefined ? {} : { maxRuns }),
    ...(maxRunsPerDirectory === undefined ? {} : { maxRunsPerDirectory }),
    // Nobody here can be served any more, but others may be: whoever starts programs starts a newer one.
    onOutdated: (error) => {
      parts.onFailure(error);
      lifecycle.stop(0);
    },
    // Where there can be no other node, a folder that is gone is a failure to be told of.
    ...(store.messages === null ? {} : { isPresent: isFolder }),
  });
  setup.attach(runtime);
  const unfollowCaps = caps.follow(runtime, onError);
  const publicUrl = settings.publicUrl ?? listening.url;
  const guard = createSecurity({
    records: store,
    source: sourcePolicy(settings),
    limits,
    quotas: () => quotaLimits(setup.configs),
    publicUrl,
    port: settings.publicUrl === null ? port : Number(new URL(publicUrl).port),
    isGuarded: async (directory) => {
      const { hidden } = await realFolders({ hidden: ownFolders(settings), readOnly: [] });
      return isGuarded(directory, hidden);
    },
    now,
    onError,
  });
  const { security, tokens, links } = guard;
  const follower = await startFollower({ runtime, onError });
  const encode = (event: LaneEvent): Promise<WireEvent> => wireEvent(store, event);
  const streams = createStreams({ runtime, follower, encode, onError });
  const metrics = createMetrics({
    runtime,
    follower,
    subscribers: () => streams.count(),
    now,
    process: true,
    onError,
  });
  const webhooks = createWebhooks({
    store,
    encode,
    follower,
    addresses: { isPrivateHost, publicLookup },
    allowPrivate: settings.allowPrivateWebhooks,
    onAttempt: (delivery) => metrics.delivered(delivery),
    onError,
  });
  const tracing = await createTracing({ environment: settings.environment, version });
  const isOwn = (owner: string): boolean => runtime.isOwn(owner);
  const stops = [log.follow(follower, isOwn), tracing?.follow(follower, isOwn)];
  const app = createApp({
    runtime,
    version,
    security,
    lifecycle,
    streams: createEventStreams(streams),
    tokens,
    links,
    webhooks,
    metrics,
    ...settingsPorts(setup),
    web: webFiles(webFolder()),
    sandbox: sandboxStatus,
    redact,
    observer: {
      answered: (request) => {
        log.answered(request);
        metrics.answered(request);
        tracing?.answered(request);
      },
    },
  });
  await runtime.ready;
  const retention = startRetention({ runtime, configs: setup.configs, onError });
  return {
    served: {
      fetch: (request, bindings) => app.fetch(request, bindings),
      drain: async ({ deadline }) => {
        streams.tellDraining(lifecycle.drainingUntil() ?? now() + deadline);
        await runtime.drain({ deadline });
        await streams.drain();
      },
      close: async () => {
        await guard.close();
        // First: those who listen hear of all that has happened.
        await follower.close();
        for (const stop of stops) stop?.();
        unfollowCaps();
        metrics.close();
        await retention.stop();
        await webhooks.close();
        await tracing?.close();
        await runtime.close();
        await setup.close();
        await store.close();
        await log.flush();
      },
    },
    link: async () => (await links.create(await ownerOf(security, ownerSecret))).url,
    running: () => runtime.running().length,
  };
}

const usualTtl = 10_000;

function onWarning(message: string): void {
  console.error(`holdfast: ${message}`);
}

/** The built web page: a package brings it along, in a clone it is made beside. */
function webFolder(): string {
  const own = join(packageFolder(), "web");
  return existsSync(own) ? own : join(packageFolder(), "../web/dist");
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

function sourcePolicy(settings: ServerSettings): SourcePolicy {
  const { host, publicUrl, allowedOrigins } = settings;
  const names = publicUrl === null ? [] : [new URL(publicUrl).hostname];
  return { loopbackOnly: isLocalHost(host), names, origins: allowedOrigins };
}

function ownerOf(security: Security, secret: string): Promise<Principal> {
  const headers = { authorization: `Bearer ${secret}` };
  return security.authenticate(new Request("http://localhost", { headers }), { address: null });
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
