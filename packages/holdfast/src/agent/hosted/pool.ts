import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { RpcError } from "../../base/json-rpc.ts";
import { createKeyedMutex } from "../../base/serial.ts";
import { serverEnvironment } from "../mcp/environment.ts";
import type { AgentChoices } from "./agent-choices.ts";
import { readKnownChoices, storeKnownChoices } from "./known-choices.ts";
import { sandboxedAgent } from "./agent-sandbox.ts";
import { createTurnTasks } from "./door.ts";
import type { AgentDoors } from "./door.ts";
import { openForeignSession } from "./foreign-session.ts";
import type { ForeignSession } from "./foreign-session.ts";
import type { HostedConfig } from "./hosted-config.ts";

/**
 * The processes of one hosted agent in a directory: at most one for each session, started when a run needs it (H5, H7).
 * The pool belongs to a config version. The next config version keeps the pool if the agent's config is unchanged.
 */
export interface HostedPool {
  readonly name: string;
  readonly config: HostedConfig;
  /**
   * Returns the agent's session. Starts the agent's process if none is running. If the session is still busy with
   * another prompt, first ends its process and starts a new one.
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

/**
 * All agent processes of this Holdfast process, by agent and session. After a config change, the agent process of the
 * old config version is terminated before the new config version opens the same session of the agent.
 */
const running = new Map<string, { readonly session: ForeignSession; readonly pool: HostedPool }>();
const opening = createKeyedMutex();

function createPool(options: {
  readonly name: string;
  readonly config: HostedConfig;
  readonly ports: PoolPorts;
  /** Choices that the agent offered before this process of Holdfast started. */
  readonly known: AgentChoices;
  readonly file: string;
}): HostedPool {
  const { name, config, ports, known, file } = options;
  let last: ForeignSession | null = null;
  let stored = known;
  const timers = new Map<string, NodeJS.Timeout>();
  /** Sessions for which `acquire` is in progress, as `agent name/session id`. */
  const pending = new Set<string>();
  const closing = new AbortController();
  const end = async (key: string, how: "gently" | "now"): Promise<void> => {
    const entry = running.get(key);
    clearTimeout(timers.get(key));
    timers.delete(key);
    if (entry === undefined) return;
    await entry.session.close(how);
    if (running.get(key) === entry) running.delete(key);
  };
  const startTimer = (key: string): void => {
    clearTimeout(timers.get(key));
    const timer = setTimeout(() => {
      if (running.get(key)?.session.isBusy() === true) startTimer(key);
      else void end(key, "gently");
    }, idleTime);
    timers.set(key, timer.unref());
  };
  const acquire = async (request: HostedRequest, key: string): Promise<ForeignSession> => {
    const entry = running.get(key);
    const isUsable =
      entry !== undefined &&
      entry.pool === pool &&
      request.foreign === entry.session.id &&
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
      });
      opened.catch(() => door?.close());
      return opened;
    };
    const session = await open().catch((error: unknown) => {
      // Two processes that create the agent's data folder concurrently can disturb each other. Try once more.
      if (request.foreign !== null || !(error instanceof RpcError)) throw error;
      return open();
    });
    running.set(key, { session, pool });
    last = session;
    return session;
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
    pids: () =>
      own(pool).flatMap(([, { session }]) => (session.isOver() ? [] : (session.pid ?? []))),
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
      const keys = new Set([...pending, ...own(pool).map(([key]) => key)]);
      const endOwn = async (key: string): Promise<void> => {
        // End only sessions of this pool. Another pool may have opened the session while this pool waited for the lock.
        if (running.get(key)?.pool === pool) await end(key, "gently");
      };
      await Promise.all([...keys].map((key) => opening.run(key, () => endOwn(key))));
    },
  };
  return pool;
}

function own(pool: HostedPool) {
  return [...running].filter(([, entry]) => entry.pool === pool);
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
