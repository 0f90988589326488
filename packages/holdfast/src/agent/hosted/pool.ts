import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { RpcError } from "../../base/json-rpc.ts";
import { systemClock } from "../../base/time.ts";
import type { Clock, Timer } from "../../base/time.ts";
import { serverEnvironment } from "../mcp/environment.ts";
import type { AgentChoices } from "./agent-choices.ts";
import { readKnownChoices, storeKnownChoices } from "./known-choices.ts";
import { AgentGone } from "./agent-process.ts";
import { sandboxedAgent } from "./agent-sandbox.ts";
import { createTurnTasks } from "./door.ts";
import type { AgentDoors } from "./door.ts";
import { openForeignSession, SessionNotLoaded } from "./foreign-session.ts";
import type { ForeignSession } from "./foreign-session.ts";
import type { HostedConfig } from "./hosted-config.ts";
import type { RunningAgent, RunningAgents } from "./running-agents.ts";

/**
 * The processes of one hosted agent in a directory: at most one for each session, started when a run needs it (H5, H7).
 * The pool belongs to a config version. The next config version keeps the pool if the agent's config is unchanged.
 */
export interface HostedPool {
  readonly name: string;
  readonly config: HostedConfig;
  /**
   * Returns the agent's session. Starts the agent's process if none is running. If the running process is still busy
   * with another prompt, or has not handled the last turn of the session, first ends it and starts a new one.
   */
  acquire(request: HostedRequest): Promise<ForeignSession>;
  /** Process ids of the running agents, for display and for tests. */
  pids(): readonly number[];
  /** Models, modes and commands that the agent offered most recently, in any session. */
  choices(): AgentChoices;
  /** Writes the models, modes and commands that the agent offers to disk, if they have changed. */
  keepChoices(): Promise<void>;
  version(): string;
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

export interface HostedRequest {
  /** Id of Holdfast's session. */
  readonly sessionId: string;
  readonly directory: string;
  /** Id of the agent's own session to continue; null: open a new one. */
  readonly foreign: string | null;
  /**
   * Id of the agent's last turn in the session's log; null: none. Another node may have run this turn, so a process
   * that has not handled it does not know the whole conversation (H1).
   */
  readonly lastTurn: string | null;
  readonly signIn: string | null;
  /** Aborts when the run stops. A process that has not opened its session by then is terminated. */
  readonly signal: AbortSignal;
}

export interface PoolPorts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Version of Holdfast, sent to the agent. */
  readonly version: string;
  /**
   * Folder in which agents are installed. It also stores the models, modes and commands that each agent offers, so that
   * people can see them after a restart of Holdfast.
   */
  readonly folder: string;
  /** Returns the access to Holdfast's MCP server. Missing or null: this process is not a Holdfast server. */
  readonly doors?: () => AgentDoors | null;
  /** The agent processes of this runtime. */
  readonly running: RunningAgents;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/** Describes a pool of agent processes and how to open it. Plans with the same `key` describe the same pool. */
export interface HostedPlan {
  readonly key: string;
  readonly title: string;
  open(): Promise<HostedPool>;
}

export function hostedPlan(name: string, config: HostedConfig, ports: PoolPorts): HostedPlan {
  const hash = createHash("sha256").update(JSON.stringify(config)).digest("hex").slice(0, 16);
  return {
    key: `agent:${name}:${hash}`,
    title: `agent ${name}`,
    open: async () => {
      const file = join(ports.folder, `${name}-${hash}.choices.json`);
      const known = await readKnownChoices(file);
      return createPool({ name, config, ports, known, file });
    },
  };
}

/** Milliseconds after which an idle process is terminated. The next run starts a new one and loads the session. */
const idleTime = 15 * 60_000;

function createPool(options: {
  readonly name: string;
  readonly config: HostedConfig;
  readonly ports: PoolPorts;
  /** Choices that the agent offered before this process of Holdfast started. */
  readonly known: AgentChoices;
  readonly file: string;
}): HostedPool {
  const { name, config, ports, known, file } = options;
  const { clock = systemClock } = ports;
  const { sessions: running, opening } = ports.running;
  let last: ForeignSession | null = null;
  let stored = known;
  const timers = new Map<string, Timer>();
  /** Sessions for which `acquire` is in progress, as `agent name/session id`. */
  const pending = new Set<string>();
  const closing = new AbortController();
  const end = async (key: string, how: "gently" | "now"): Promise<void> => {
    const entry = running.get(key);
    timers.get(key)?.cancel();
    timers.delete(key);
    if (entry === undefined) return;
    await entry.session.close(how);
    if (running.get(key) === entry) running.delete(key);
  };
  const startTimer = (key: string): void => {
    timers.get(key)?.cancel();
    const timer = clock.after(idleTime, () => {
      if (running.get(key)?.session.isBusy() === true) startTimer(key);
      else void end(key, "gently");
    });
    timers.set(key, timer.unref());
  };
  const acquire = async (request: HostedRequest, key: string): Promise<ForeignSession> => {
    const entry = running.get(key);
    const isUsable =
      entry !== undefined &&
      entry.pool === pool &&
      request.foreign === entry.session.id &&
      request.lastTurn === entry.session.lastTurn() &&
      !entry.session.isOver() &&
      !entry.session.isBusy();
    if (isUsable) return entry.session;
    await end(key, "now");
    if (closing.signal.aborted) throw new Error(`the agent ${name} was closed`);
    const environment = environmentOf(config, ports.environment);
    const { directory } = request;
    const home = environment["HOME"] ?? homedir();
    const data = dirname(ports.folder);
    const started = await sandboxedAgent(config, { directory, home, data });
    const open = async (): Promise<ForeignSession> => {
      const tasks = createTurnTasks();
      const door = ports.doors?.()?.open({ agent: name, directory, tasks }) ?? null;
      const opened = openForeignSession({
        ...started,
        cwd: directory,
        environment,
        load: request.foreign,
        version: ports.version,
        signIn: request.signIn,
        signal: AbortSignal.any([request.signal, closing.signal]),
        tasks,
        door,
        clock,
        // The idle time begins when the turn ends, not when the process was acquired.
        onIdle: () => {
          if (timers.has(key)) startTimer(key);
        },
      });
      opened.catch(() => door?.close());
      return opened;
    };
    const session = await open().catch((error: unknown) => {
      // Something may have killed the process, or two processes that use the agent's data folder concurrently may have
      // disturbed each other. Try once more.
      const mayRetry =
        error instanceof SessionNotLoaded || error instanceof AgentGone
          ? error.mayRetry
          : error instanceof RpcError;
      if (!mayRetry || request.signal.aborted) throw error;
      return open();
    });
    running.set(key, { session, pool });
    last = session;
    return session;
  };
  const own = (): readonly (readonly [string, RunningAgent])[] =>
    [...running].filter(([, entry]) => entry.pool === pool);
  /** Ends a session if it still belongs to this pool. Another pool may have opened it during the wait for the lock. */
  const endOwn = async (key: string): Promise<void> => {
    if (running.get(key)?.pool === pool) await end(key, "gently");
  };
  const pool: HostedPool = {
    name,
    config,
    acquire: (request) => {
      const key = `${name}/${request.sessionId}`;
      return opening.run(key, async () => {
        pending.add(key);
        try {
          const session = await acquire(request, key);
          startTimer(key);
          return session;
        } finally {
          pending.delete(key);
        }
      });
    },
    pids: () => own().flatMap(([, { session }]) => (session.isOver() ? [] : (session.pid ?? []))),
    choices: () => last?.choices() ?? stored,
    keepChoices: async () => {
      const now = pool.choices();
      if (now === stored) return;
      stored = now;
      await storeKnownChoices(file, now);
    },
    version: () => "",
    onChange: () => () => {},
    close: async () => {
      closing.abort(new Error(`the agent ${name} was closed`));
      const keys = new Set([...pending, ...own().map(([key]) => key)]);
      await Promise.all([...keys].map((key) => opening.run(key, () => endOwn(key))));
    },
  };
  return pool;
}

function environmentOf(
  { env, variables }: HostedConfig,
  environment: PoolPorts["environment"],
): Record<string, string> {
  const passed = variables.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return serverEnvironment(environment, { ...Object.fromEntries(passed), ...env });
}
