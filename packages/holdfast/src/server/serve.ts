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
  /** Null: the default port, or the next free one after it. */
  readonly port: number | null;
  readonly version: string;
  /** Path of the file in which programs of the same user look for this server. */
  readonly discoveryFile: string;
  /**
   * Returns the command that stops the server at a URL. If the store already has a server, the error message shows this
   * command.
   */
  readonly stopCommand: (url: string) => string;
  /** Writes the discovery file. If this fails, the server stops, because no program could find it. */
  readonly announce: (discovery: Discovery) => Promise<void>;
  /** True if clients may start a new server after this one has crashed. */
  readonly isBackground: boolean;
  /** Milliseconds that active runs may still take when the server stops (M9). */
  readonly deadline: number;
  readonly limits?: Partial<ServerLimits>;
  /** Milliseconds that a request waits for the start of the server. After that it is refused with Retry-After. */
  readonly patience?: number;
  /** Opens the runtime and the app. Called once, when the server is already listening. */
  readonly open: (listening: Listening) => Promise<Served>;
  readonly onStop?: (deadline: number) => void;
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  readonly lifecycle: Lifecycle;
  readonly limits: ServerLimits;
}

/** The runtime and app of a server, as `open` returns them. */
export interface Served {
  readonly fetch: Fetch;
  /** Starts no new runs, lets active runs continue until the deadline, and then hands them over (M9). */
  drain(options: { deadline: number }): Promise<void>;
  close(): Promise<void>;
}

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Resolves when the server is ready. Rejects if it could not start; the server is then closed. */
  readonly ready: Promise<void>;
  /** Resolves when everything is closed: after the drain, or after a failed start. */
  readonly closed: Promise<void>;
  state(): ServerState;
  connections(): number;
  /** Returns the monotonic time at which the last client disconnected; `Infinity` while a client is connected. */
  lastUse(): number;
  /** Deletes the discovery file. Call this if the process exits without a drain. */
  withdraw(): void;
  /**
   * Drains and closes the server; a second call waits for the first. `isIdle`: the server stops because no client uses
   * it. Its discovery file is then kept, so that a client can start a new server.
   */
  stop(options?: { deadline?: number; isIdle?: boolean }): Promise<void>;
}

/** Builds the error for starting a server on a store that already has one. */
export function serverRunning(
  { url, pid }: { url: string; pid: number },
  { stopCommand, cause }: { stopCommand: (url: string) => string; cause?: unknown },
): SetupError {
  const advice = `use it, or stop it first with \`${stopCommand(url)}\``;
  const message = `a server at ${url} (process ${pid}) is using this store; ${advice}`;
  return new SetupError("serverRunning", message, cause);
}

/** Starts a server. It listens at once and answers requests while the app is still opening. */
export async function startServer(options: ServeOptions): Promise<RunningServer> {
  const { host, version, discoveryFile, deadline, stopCommand } = options;
  const running = await findServer(discoveryFile);
  if (running !== null) throw serverRunning(running, { stopCommand });

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
  const port = await listen(http, { host, port: options.port }).catch((error: unknown) => {
    connections.close();
    throw error;
  });
  const url = localUrl(host, port);

  const closeHttp = async (): Promise<void> => {
    const closed = closeServer(http);
    connections.close();
    await closed;
  };
  const begin = async (): Promise<Served> => {
    const served = await options.open({ url, port, lifecycle, limits });
    try {
      const { isBackground } = options;
      const startedAt = Date.now();
      await options.announce({ url, pid: process.pid, startedAt, isBackground, secret });
    } catch (error) {
      // This process may already own runs of an earlier process. Release these runs, so that the next start resumes
      // them.
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
  let isResting = false;
  const end = async (): Promise<void> => {
    // A caller that awaits `ready` gets the error of a failed start. Such a server has nothing to end.
    const served = await opening.catch(() => null);
    if (served === null) return;
    const within = await stopped.promise;
    await using stack = new AsyncDisposableStack();
    stack.defer(() => served.close());
    stack.defer(closeHttp);
    // Disposed before `closeHttp` frees the port. Otherwise clients could mistake the next process on the port for this
    // server.
    stack.defer(() => {
      if (!isResting) withdraw(discoveryFile, process.pid);
    });
    stack.defer(() => lifecycle.close());
    // Keep listening during the drain, so that clients get a refusal instead of a connection error.
    await served.drain({ deadline: within });
  };
  const closed = end();
  const ready = opening.then(() => undefined);
  // Handle the rejection here, because `ready` may reject before a caller awaits it. The caller still gets the error.
  ready.catch(() => {});
  return {
    url,
    port,
    ready,
    closed,
    state: () => lifecycle.state(),
    connections: () => connections.count(),
    lastUse: () => connections.lastUse(),
    withdraw: () => withdraw(discoveryFile, process.pid),
    stop: async ({ deadline: wanted, isIdle = false } = {}) => {
      isResting ||= isIdle && lifecycle.state() !== "draining";
      lifecycle.stop(wanted ?? null);
      await closed;
    },
  };
}

type ServerState = ReturnType<Lifecycle["state"]>;

/** Controls the state of a server from start to close. */
interface LifecycleControl extends Lifecycle {
  becomeReady(): void;
  /** Ends open streams and waiting requests. Call this when all runs have ended or were handed over. */
  close(): void;
}

function createLifecycle(options: {
  /** Milliseconds that active runs may still take if a stop names no deadline. */
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
