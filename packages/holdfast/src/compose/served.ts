import { isPrivateHost, publicLookup } from "../agent/tools/address.ts";
import { isGuarded } from "../agent/tools/paths.ts";
import { folderProblem, isFolder } from "../base/folders.ts";
import { programVersion } from "../base/package.ts";
import type { WireEvent } from "../contract/event.ts";
import type { LaneEvent } from "../kernel/event.ts";
import { createRuntime } from "../runtime/runtime.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { createApp } from "../server/app.ts";
import type { App } from "../server/app.ts";
import { isLocalHost } from "../server/listen.ts";
import type { ServerLog } from "../server/log.ts";
import { createMetrics } from "../server/metrics.ts";
import type { Principal, Security } from "../server/ports.ts";
import { keepOwnerToken } from "../server/security/owner-token.ts";
import { createSecurity } from "../server/security/security.ts";
import type { SecurityServices } from "../server/security/security.ts";
import type { SourcePolicy } from "../server/security/source.ts";
import type { Listening, Served } from "../server/serve.ts";
import { createEventStreams } from "../server/stream/event-streams.ts";
import { startFollower } from "../server/stream/follower.ts";
import { createStreams } from "../server/stream/streams.ts";
import { createTracing } from "../server/tracing/tracing.ts";
import { webFiles } from "../server/web-files.ts";
import { createAttentions } from "../server/notifications/attention.ts";
import { createNotifications } from "../server/notifications/notifications.ts";
import { createWebhooks } from "../server/webhooks/webhooks.ts";
import { wireEvent } from "../server/wire/event.ts";
import type { Store } from "../store/store.ts";
import { realFolders } from "../workspace/load/guarded-folders.ts";
import { serveDoors } from "./agent-doors.ts";
import type { ServedDoors } from "./agent-doors.ts";
import { quotaLimits, readCaps } from "./caps.ts";
import { hasUnsettledSession } from "./idle-stop.ts";
import { createRunFacts } from "./run-facts.ts";
import { sandboxStatus } from "./sandbox-status.ts";
import type { ServerSettings } from "./serve.ts";
import { settingsPorts } from "./settings-ports.ts";
import { ownFolders } from "./setup.ts";
import type { Setup } from "./setup.ts";
import { announce } from "../server/discovery.ts";
import type { Discovery } from "../server/discovery.ts";
import { SetupError } from "../server/setup-error.ts";
import { startIndexing } from "./indexing.ts";
import { startRetention } from "./tidy.ts";
import { webFolder } from "./web-folder.ts";

/** Milliseconds after which other processes take over the work of a process that no longer renews its lease. */
export const usualTtl = 10_000;

export interface OpenedServed {
  readonly served: Served;
  /** Creates a one-time sign-in link for a browser. */
  link(): Promise<string>;
  /** Number of active runs. */
  running(): number;
  /** True if work is running or waiting, or a webhook is not delivered. */
  hasWork(): Promise<boolean>;
  /** Monotonic time of the last event or webhook delivery. */
  lastEvent(): number;
}

interface ServedOptions {
  readonly settings: ServerSettings;
  readonly listening: Listening;
  readonly store: Store;
  readonly setup: Setup;
  readonly log: ServerLog;
  readonly onFailure: (error: Error) => void;
  /** Collects everything that is opened. The caller disposes it if opening fails. */
  readonly stack: AsyncDisposableStack;
}

/**
 * Opens everything that the HTTP server uses: runtime, app and background services. Disposal of `stack` closes the
 * parts in reverse order, so each part is opened after the parts that it uses. Three calls connect the setup:
 * 1. `setup.bind`, before the runtime opens: the runtime may continue runs of an earlier process at once.
 * 2. `setup.attach`, when the runtime is open: from then on, directories are reloaded when their config changes.
 * 3. `setup.openDoors`, right after that: a hosted agent that starts earlier cannot use the MCP server of this process.
 */
export async function openServed(options: ServedOptions): Promise<OpenedServed> {
  const { settings, listening, setup, log, stack } = options;
  const { dataFolder } = settings;
  const onError = (error: unknown): void => log.error(error);
  const hooked = await setup.bind(options.store);
  stack.defer(() => hooked.close());
  const { store } = hooked;
  const ownerSecret = await inDataFolder(dataFolder, () =>
    keepOwnerToken(store, { dataFolder, now: Date.now }),
  );
  const runtime = await openRuntime(options, store);
  const guard = openGuard(options, store);
  stack.defer(() => guard.close());
  const doors = serveDoors(guard.agents, listening.url);
  setup.openDoors(doors);
  const followers = await openLogFollowers(options, { store, runtime });
  const app = openApp(options, { ...followers, runtime, guard, doors });
  await runtime.ready;
  const retention = startRetention({ runtime, configs: setup.configs, onError });
  stack.defer(() => retention.stop());
  const indexing = startIndexing({ runtime, onError });
  stack.defer(() => indexing.stop());
  const owned = stack.move();
  const { streams, webhooks, notifications, lastEvent } = followers;
  const { security, links } = guard;
  return {
    served: {
      fetch: (request, bindings) => app.fetch(request, bindings),
      drain: async ({ deadline }) => {
        streams.announceDraining(listening.lifecycle.drainingUntil() ?? Date.now() + deadline);
        await runtime.drain({ deadline });
        await streams.drain();
      },
      close: () => owned.disposeAsync(),
    },
    link: async () => (await links.create(await ownerOf(security, ownerSecret))).url,
    running: () => runtime.running().length,
    lastEvent,
    hasWork: async () =>
      runtime.running().length > 0 ||
      webhooks.isDelivering() ||
      notifications.isDelivering() ||
      hasUnsettledSession(store),
  };
}

async function openRuntime(options: ServedOptions, store: Store): Promise<Runtime> {
  const { settings, listening, setup, log, stack } = options;
  const { maxRuns, maxRunsPerDirectory } = settings;
  const onError = (error: unknown): void => log.error(error);
  const caps = await readCaps(setup.configs);
  const runtime = await createRuntime({
    agent: setup.agent,
    store,
    workspaces: setup.host,
    redact: setup.redact,
    secrets: setup.secrets,
    spoolFolder: settings.dataFolder,
    caps: caps.now,
    onError,
    ...pacesOf(options.store, settings),
    ...(maxRuns === undefined ? {} : { maxRuns }),
    ...(maxRunsPerDirectory === undefined ? {} : { maxRunsPerDirectory }),
    // A newer version of Holdfast has migrated the database, so this process must stop.
    onOutdated: (error) => {
      options.onFailure(error);
      listening.lifecycle.stop(0);
    },
    // With several nodes, a directory may exist only on some of them. Otherwise a missing directory
    // is an error.
    ...(isForOneProcess(store) ? {} : { isPresent: isFolder }),
  });
  stack.defer(() => runtime.close());
  setup.attach(runtime);
  stack.defer(caps.follow(runtime, onError));
  return runtime;
}

/** True if only one process can use the store. Such a store has no messages to other processes. */
function isForOneProcess({ messages }: Store): boolean {
  return messages === null;
}

interface Paces {
  readonly leaseTtl: number;
  readonly renewEvery: number;
  readonly pollEvery: number;
}

/**
 * Returns the intervals for renewing the lease and for polling. A store for one process loses no signals, and no
 * other process waits for the lease, so longer intervals save work on an idle server.
 */
function pacesOf(store: Store, { leaseTtl = usualTtl }: ServerSettings): Paces {
  if (isForOneProcess(store)) {
    return { leaseTtl: 60_000, renewEvery: 15_000, pollEvery: restingPoll };
  }
  return { leaseTtl, renewEvery: Math.min(1_000, leaseTtl / 5), pollEvery: 1_000 };
}

const restingPoll = 5_000;

function openGuard(
  { settings, listening, setup, log }: ServedOptions,
  store: Store,
): SecurityServices {
  const publicUrl = settings.publicUrl ?? listening.url;
  return createSecurity({
    records: store,
    // With a store for one process, only this process revokes tokens, and it does so at once.
    tokensFreshFor: isForOneProcess(store) ? restingPoll : 1_000,
    source: sourcePolicy(settings),
    limits: listening.limits,
    quotas: () => quotaLimits(setup.configs),
    publicUrl,
    port: settings.publicUrl === null ? listening.port : Number(new URL(publicUrl).port),
    isGuarded: async (directory) => {
      const { hidden } = await realFolders({ hidden: ownFolders(settings), readOnly: [] });
      return isGuarded(directory, hidden);
    },
    now: Date.now,
    onError: (error) => log.error(error),
  });
}

function sourcePolicy(settings: ServerSettings): SourcePolicy {
  const { host, publicUrl, allowedOrigins } = settings;
  const names = publicUrl === null ? [] : [new URL(publicUrl).hostname];
  return { loopbackOnly: isLocalHost(host), names, origins: allowedOrigins };
}

type LogFollowers = Awaited<ReturnType<typeof openLogFollowers>>;

/**
 * Opens everything that follows the log: event streams, tracing, metrics, webhooks and notifications. `follower` reads
 * the log once for all of them.
 */
async function openLogFollowers(
  { settings, listening, setup, log, stack }: ServedOptions,
  { store, runtime }: { store: Store; runtime: Runtime },
) {
  const onError = (error: unknown): void => log.error(error);
  // Created before `follower`, and so disposed after it: everything that follows the log gets the last events.
  const closedLater = stack.use(new AsyncDisposableStack());
  const poll = isForOneProcess(store) ? restingPoll : undefined;
  const follower = await startFollower({ runtime, poll, onError });
  stack.defer(() => follower.close());
  let lastEvent = performance.now();
  const noteEvent = (): void => {
    lastEvent = performance.now();
  };
  closedLater.defer(follower.listen(noteEvent));
  const encode = (event: LaneEvent): Promise<WireEvent> => wireEvent(store, event);
  const streams = createStreams({ runtime, follower, encode, onError });
  const facts = createRunFacts(runtime, setup.agent);
  const { environment } = settings;
  const tracing = await createTracing({ environment, version: programVersion(), facts, onError });
  closedLater.defer(() => tracing?.close());
  const metrics = createMetrics({
    runtime,
    follower,
    subscribers: () => streams.count(),
    now: Date.now,
    process: true,
    onError,
  });
  closedLater.defer(() => metrics.close());
  const webhooks = createWebhooks({
    store,
    encode,
    follower,
    addresses: { isPrivateHost, publicLookup },
    allowPrivate: settings.allowPrivateWebhooks,
    onAttempt: (delivery) => {
      noteEvent();
      metrics.delivered(delivery);
    },
    onError,
  });
  closedLater.defer(() => webhooks.close());
  const publicUrl = settings.publicUrl ?? listening.url;
  const notifications = createNotifications({
    store,
    attentions: createAttentions({ records: store, now: Date.now }),
    push: {
      follower,
      addresses: { isPrivateHost, publicLookup },
      allowPrivate: settings.allowPrivateWebhooks,
      contact: publicUrl.startsWith("https:") ? publicUrl : "mailto:holdfast@example.org",
      grace: settings.pushGrace,
      onAttempt: noteEvent,
      onError,
    },
  });
  closedLater.defer(() => notifications.close());
  const isOwn = (owner: string): boolean => runtime.isOwn(owner);
  for (const observer of [log, tracing])
    closedLater.defer(observer?.follow(follower, isOwn) ?? idle);
  return { streams, tracing, metrics, webhooks, notifications, lastEvent: () => lastEvent };
}

function idle(): void {}

function openApp(
  options: ServedOptions,
  parts: LogFollowers & { runtime: Runtime; guard: SecurityServices; doors: ServedDoors },
): App {
  const { runtime, guard, doors, streams, tracing, metrics, webhooks, notifications } = parts;
  const { security, tokens, links } = guard;
  const version = programVersion();
  return createApp({
    runtime,
    version,
    security,
    lifecycle: options.listening.lifecycle,
    streams: createEventStreams(streams),
    tokens: {
      ...tokens,
      revoke: async (tokenId) => {
        const revoked = await tokens.revoke(tokenId);
        await notifications.sweep();
        return revoked;
      },
    },
    links: {
      ...links,
      signOut: async (principal) => {
        const cookie = await links.signOut(principal);
        await notifications.sweep();
        return cookie;
      },
    },
    webhooks,
    notifications,
    metrics,
    ...settingsPorts(options.setup),
    places: [process.cwd(), options.settings.home],
    mcp: {
      // Load this module with the first MCP request, because most servers get no MCP requests.
      answer: async (call) => {
        const { answerMcp } = await import("../mcp-server/endpoint.ts");
        return answerMcp({ ...call, tasks: doors.tasksOf(call.tokenId) }, version);
      },
    },
    web: webFiles(webFolder()),
    sandbox: sandboxStatus,
    redact: options.setup.redact,
    observer: {
      admitted: (request) => tracing?.admitted(request),
      sent: (request, prompt) => tracing?.sent(request, prompt),
      answered: (request) => {
        for (const observer of [options.log, metrics, tracing]) observer?.answered(request);
      },
    },
  });
}

function ownerOf(security: Security, secret: string): Promise<Principal> {
  const headers = { authorization: `Bearer ${secret}` };
  return security.authenticate(new Request("http://localhost", { headers }), { address: null });
}

/** Runs work that uses the data folder. If the folder cannot be used, throws a setup error. */
export function inDataFolder<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  const advice = "name another folder with --data";
  return orUnusable({ problem: `the folder ${folder} cannot be used`, advice }, work);
}

/** Writes the discovery file of a server. */
export function announceServer(file: string, discovery: Discovery): Promise<void> {
  const advice = "name another folder with --data";
  const problem = `${file}, with which commands find this server, cannot be written`;
  return orUnusable({ problem, advice }, async () => announce(file, discovery));
}

async function orUnusable<Result>(
  text: { problem: string; advice: string },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    const message = `${text.problem}: ${folderProblem(error)}; ${text.advice}`;
    throw new SetupError("unusableFolder", message, error);
  }
}
