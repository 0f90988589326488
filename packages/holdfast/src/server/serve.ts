import { randomBytes } from "node:crypto";
import { createConnections } from "./connections.ts";
import { findServer, prove, withdraw } from "./discovery.ts";
import type { Discovery } from "./discovery.ts";
import { createFront } from "./front.ts";
import type { Fetch } from "./front.ts";
import { closeServer, createHttpServer } from "./http-server.ts";
import { defaultServerLimits } from "./limits.ts";
import type { ServerLimits } from "./limits.ts";
import { listen, localUrl } from "./listen.ts";
import type { Lifecycle } from "./ports.ts";
import { SetupError } from "./setup-error.ts";
import { setMaxListeners } from "node:events";

export interface ServeOptions {
  readonly host: string;
  /** Null for the default one, or the next that is free. */
  readonly port: number | null;
  readonly version: string;
  /** Where programs of the same person look for this server. */
  readonly discoveryFile: string;
  /** Writes that file. Where it can't be, nothing is served: nobody would find the server. */
  readonly announce: (discovery: Discovery) => Promise<void>;
  /** Milliseconds that active runs get when the server is told to stop (M9). */
  readonly deadline: number;
  readonly limits?: Partial<ServerLimits>;
  /** How long a request waits for the start to be over before it is told to come again. */
  readonly patience?: number;
  /** Opens what is served. Called once, when the server listens already. */
  readonly open: (listening: Listening) => Promise<Served>;
  readonly onStop?: (deadline: number) => void;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  readonly lifecycle: Lifecycle;
  readonly limits: ServerLimits;
}

/** What a server serves, from when its recovery is decided to when it is drained and closed. */
export interface Served {
  readonly fetch: Fetch;
  /** Takes no new runs, gives active ones so long, hands the rest over (M9). */
  drain(options: { deadline: number }): Promise<void>;
  close(): Promise<void>;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Resolves when it serves; fails when it could not be opened, and is closed then. */
  readonly ready: Promise<void>;
  /** Resolves when everything is closed: after the drain, or after a start that failed. */
  readonly closed: Promise<void>;
  state(): ServerState;
  connections(): number;
  /** Drains and closes; a second call waits for the first. */
  stop(options?: { deadline?: number }): Promise<void>;
}

/** There is a server on this store already. */
export function serverRunning(where: { url: string; pid: number }, cause?: unknown): SetupError {
  const advice = "use that one, or stop it first with `holdfast stop`";
  const message = `a server works on this store at ${where.url} (process ${where.pid}); ${advice}`;
  return new SetupError("serverRunning", message, cause);
}

/** Listens at once and answers from then on; what is served opens meanwhile. */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const { host, version, discoveryFile, deadline } = options;
  const running = await findServer(discoveryFile);
  if (running !== null) throw serverRunning(running);

  const limits = { ...defaultServerLimits, ...options.limits };
  const secret = randomBytes(32).toString("base64url");
  const stopped = Promise.withResolvers<number>();
  const lifecycle = createLifecycle({
    deadline,
    secret,
    now: Date.now,
    onStop: (within) => {
      options.onStop?.(within);
      stopped.resolve(within);
    },
  });
  const front = createFront({ lifecycle, version, patience: options.patience ?? 1_000 });
  const connections = createConnections(limits);
  const http = createHttpServer(front.fetch, {
    limits,
    isRefused: (socket) => connections.isRefused(socket),
  });
  connections.watch(http);
  const port = await listen(http, { host, port: options.port });
  const url = localUrl(host, port);

  const closeHttp = async (): Promise<void> => {
    const closed = closeServer(http);
    connections.close();
    await closed;
  };
  const begin = async (): Promise<Served> => {
    const served = await options.open({ url, port, lifecycle, limits });
    try {
      await options.announce({ url, pid: process.pid, startedAt: Date.now(), secret });
    } catch (error) {
      // A recovered run may be at work already: the next start goes on with it.
      try {
        await served.drain({ deadline: 0 });
      } finally {
        await served.close();
      }
      throw error;
    }
    front.open(served.fetch);
    lifecycle.becomeReady();
    return served;
  };
  const opening = begin().catch(async (error: unknown) => {
    await closeHttp();
    throw error;
  });
  const end = async (): Promise<void> => {
    const served = await opening.catch(() => null);
    if (served === null) return;
    const within = await stopped.promise;
    try {
      // Listening to the end: who asks meanwhile is told that this server is stopping.
      await served.drain({ deadline: within });
    } finally {
      lifecycle.close();
      // Before the port is free: who reads the file must not take the next one there for this server.
      withdraw(discoveryFile, process.pid);
      await closeHttp();
      await served.close();
    }
  };
  const closed = end();
  const ready = opening.then(() => undefined);
  // It may fail before a caller waits for it. The caller gets the failure then.
  ready.catch(() => {});
  return {
    url,
    port,
    ready,
    closed,
    state: () => lifecycle.state(),
    connections: () => connections.count(),
    stop: async ({ deadline: wanted } = {}) => {
      lifecycle.stop(wanted ?? null);
      await closed;
    },
  };
}

type ServerState = ReturnType<Lifecycle["state"]>;

/** Where a server is between its start and its end. */
interface LifecycleControl extends Lifecycle {
  becomeReady(): void;
  /** When runs have ended or were handed over: whoever still follows something ends now. */
  close(): void;
}

function createLifecycle(options: {
  /** Milliseconds that active runs get when nobody says otherwise. */
  deadline: number;
  secret: string | null;
  now: () => number;
  /** Called once, by the first stop. */
  onStop: (deadline: number) => void;
}): LifecycleControl {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  let state: ServerState = "starting";
  let { deadline } = options;
  let until: number | null = null;
  return {
    state: () => state,
    stop: (wanted) => {
      if (state !== "draining") {
        state = "draining";
        deadline = wanted ?? deadline;
        until = options.now() + deadline;
        options.onStop(deadline);
      }
      return deadline;
    },
    drainingUntil: () => until,
    closing: controller.signal,
    retryAfter: () => (state === "draining" ? 5 : 1),
    prove: (nonce) => (options.secret === null ? null : prove(options.secret, nonce)),
    becomeReady: () => {
      if (state === "starting") state = "ready";
    },
    close: () => controller.abort(),
  };
}
