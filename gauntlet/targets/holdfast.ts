import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { accepted, Refused } from "../target.ts";
import { bodyOf, eventFrames, fieldOf } from "./event-frames.ts";
import { endLeftBehind } from "./left-behind.ts";
import { endsWithUs } from "./target-process.ts";
import type {
  Change,
  Ending,
  Offers,
  ProjectConfig,
  RunningTarget,
  Setting,
  Target,
  ReceivedEvent,
} from "../target.ts";

const sources = join(import.meta.dirname, "../../packages/holdfast/bin/holdfast.js");

/** Holdfast over HTTP as a separate server process. None of its code is imported here. */
export function holdfastTarget(options: {
  store: string;
  openStore?: () => Promise<string>;
  /** The file that Node starts; default: `bin/holdfast.js` in this repository. */
  program?: string;
  /** Another agent that answers the prompts; default: Holdfast's own. */
  hosted?: HostedAgent;
}): Target {
  const { program = sources, hosted = null } = options;
  return {
    name: `${hosted === null ? "" : `${hosted.name} hosted by `}holdfast on ${options.store}`,
    ...(hosted === null ? {} : { mostSessions: hosted.mostSessions, isForeign: true }),
    offers: {
      queue: true,
      runs: true,
      cancel: true,
      withdraw: true,
      steer: true,
      outcome: true,
      lookup: true,
      promptIds: true,
      restart: true,
      recover: true,
      processes: true,
      subscribe: true,
      resume: true,
      commands: true,
      asks: true,
      agents: true,
      background: true,
      budget: true,
      config: true,
      providers: true,
      close: true,
      mcp: true,
      ...hosted?.offers,
    },
    start: async (setting) => {
      writeConfig({ setting, hosted }, {});
      const store = (await options.openStore?.()) ?? null;
      return open({ program, setting, store, hosted });
    },
  };
}

/** An agent of another vendor that Holdfast runs. */
export interface HostedAgent {
  readonly name: string;
  /** Features of the hosted agent that differ from those of Holdfast's own agent. */
  readonly offers: Partial<Offers>;
  readonly mostSessions: number;
  readonly calls: RunningTarget["calls"];
  /** Returns the config that selects the agent and gives it the key of its model. */
  config(setting: Setting, key: string): object;
}

interface Opening {
  readonly hosted: HostedAgent | null;
  readonly program: string;
  readonly setting: Setting;
  readonly store: string | null;
}

async function open(opening: Opening): Promise<RunningTarget> {
  const server = createServer(opening);
  await server.start();
  return runningTarget({ server, ...opening, another: () => open(opening) });
}

/** A server process that can be restarted on the same data. */
interface Server {
  readonly pid: number;
  start(): Promise<void>;
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
  call(path: string, request?: Call): Promise<Response>;
}

interface Call {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

function createServer({ program, setting, store }: Opening): Server {
  const { folder, directory, model } = setting;
  const words = ["serve", "--port", "0", ...(store === null ? [] : ["--store", store])];
  const environment = {
    PATH: process.env["PATH"],
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: join(folder, "config"),
    HOLDFAST_BASE_URL: model.address,
    HOLDFAST_MODEL: `local/${model.name}`,
  };
  let child: ChildProcess | null = null;
  let place = { url: "", token: "" };
  const errors: string[] = [];
  return {
    get pid() {
      return child?.pid ?? 0;
    },
    start: async () => {
      child = spawn(process.execPath, [program, ...words], {
        env: environment,
        cwd: directory,
        stdio: ["ignore", "ignore", "pipe"],
      });
      const started = child;
      if (started.pid !== undefined) started.once("exit", endsWithUs(started.pid));
      started.stderr?.on("data", (data: Buffer) => errors.push(data.toString()));
      for (;;) {
        const found = whereabouts(join(folder, "holdfast"), started.pid ?? 0);
        if (found !== null && (await isReady(found.url))) {
          place = found;
          return;
        }
        const message = errors.join("");
        if (started.exitCode !== null && message.includes("serverRunning")) {
          throw new Refused(message.trim());
        }
        if (started.exitCode !== null) throw new Error(`the server did not start: ${message}`);
        await delay(5);
      }
    },
    end: async (signal) => {
      if (child === null || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill(signal);
      await ended;
    },
    call: async (path, { headers: more = {}, ...request } = {}) => {
      const headers = {
        authorization: `Bearer ${place.token}`,
        "content-type": "application/json",
      };
      return fetch(`${place.url}${path}`, { ...request, headers: { ...headers, ...more } });
    },
  };
}

/** Reads the server's address and token from the data directory. Null if they belong to another process. */
function whereabouts(folder: string, pid: number): { url: string; token: string } | null {
  try {
    for (const name of readdirSync(folder)) {
      if (!name.endsWith(".server.json")) continue;
      const found: { url: string; pid: number } = JSON.parse(
        readFileSync(join(folder, name), "utf8"),
      );
      if (found.pid !== pid) continue;
      return { url: found.url, token: readFileSync(join(folder, "token"), "utf8").trim() };
    }
  } catch {
    // The file is still being written.
  }
  return null;
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok;
  } catch {
    return false;
  }
}

/** Permission rules: allow everything, unless the scenario needs asks. */
function permissions({ asks }: Setting): object[] {
  const actions = asks ? ["mcp", "send"] : ["run", "mcp", "send"];
  return actions.map((action) => ({ action, pattern: "*", effect: "allow" }));
}

/** Writes the user config. A project config would take effect only after a person trusts it. */
function writeConfig(
  { setting, hosted }: Pick<Opening, "setting" | "hosted">,
  { words, mcp = {}, key = "key-of-today" }: ProjectConfig & { readonly key?: string },
): void {
  const file = join(setting.folder, "config/holdfast/config.jsonc");
  const servers = Object.entries(mcp).map(([name, command]) => [name, { type: "stdio", command }]);
  const config = {
    permissions: permissions(setting),
    mcp: Object.fromEntries(servers),
    ...(words === undefined ? {} : { agents: { default: { prompt: words } } }),
    ...hosted?.config(setting, key),
  };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(config));
}

function runningTarget(parts: {
  server: Server;
  setting: Setting;
  hosted: HostedAgent | null;
  another: () => Promise<RunningTarget>;
}): RunningTarget {
  const { server, setting, hosted, another } = parts;
  const { directory, model } = setting;
  const json = async <T>(path: string, request?: Call): Promise<T> =>
    JSON.parse(await accepted(path, await server.call(path, request)));
  const post = <T>(path: string, body: object): Promise<T> =>
    json(path, { method: "POST", body: JSON.stringify(body) });
  /** Sends a change. The responses to all kinds of changes have the same form. */
  const changed = async (path: string, body: object): Promise<Change> => {
    const { status, actionId, problems } = await post<Answer>(path, body);
    if (status === "failed") throw new Error(`${path} failed: ${JSON.stringify(problems)}`);
    return { ended: endOf(actionId) };
  };
  const endOf = async (actionId: string): Promise<void> => {
    for (;;) {
      const { status } = await json<{ status: string }>(`/v1/maintenance/${actionId}?wait=20`);
      if (status === "completed") return;
      if (status === "failed") throw new Error(`${actionId} failed`);
    }
  };
  const configure = (config: ProjectConfig & { key?: string }): Promise<Change> => {
    writeConfig({ setting, hosted }, config);
    return changed("/v1/maintenance", { kind: "refresh", directories: null });
  };
  /**
   * Resumes a session that was paused because its external agent was interrupted. The error message tells people to do
   * this.
   */
  const release = async (sessionId: string): Promise<void> => {
    const { holds } = await json<{ holds: { holdId: string }[] }>(`/v1/sessions/${sessionId}`);
    for (const { holdId } of holds) {
      setting.note?.("pauses the session, and the client releases it");
      await json(`/v1/sessions/${sessionId}/holds/${holdId}`, { method: "DELETE" });
    }
  };
  return {
    calls: hosted?.calls ?? ownCalls,
    configure,
    connect: (key) => {
      // An external agent does not use Holdfast's keys. It gets its key through its config.
      if (hosted !== null) return configure({ key });
      return changed("/v1/providers/local/connect", { key, baseUrl: model.address });
    },
    close: () => changed("/v1/maintenance", { kind: "close", directories: null }),
    createSession: async () => {
      const { sessionId } = await post<{ sessionId: string }>("/v1/sessions", { directory });
      return sessionId;
    },
    submit: async (sessionId, { tokens, ...prompt }) => {
      const path = `/v1/sessions/${sessionId}/prompts`;
      const limit = tokens === undefined ? {} : { budget: { tokens } };
      const { promptId } = await post<{ promptId: string }>(path, { ...prompt, ...limit });
      return promptId;
    },
    steer: async (sessionId, text) => {
      const path = `/v1/sessions/${sessionId}/prompts`;
      return (await post<{ promptId: string }>(path, { text, delivery: "steer" })).promptId;
    },
    openAsks: async (sessionId) => {
      const path = `/v1/sessions/${sessionId}/asks?open=true`;
      return (await json<{ items: { askId: string }[] }>(path)).items.map(({ askId }) => askId);
    },
    answer: async ({ sessionId, askId, verdict }) => {
      await post(`/v1/sessions/${sessionId}/asks/${askId}/answer`, { verdict });
    },
    ask: async (sessionId, text) => {
      const path = `/v1/sessions/${sessionId}/prompts`;
      const { outcome } = await post<Entry>(`${path}?wait=60`, { text });
      if (outcome === null) throw new Error("the prompt had no outcome after a minute");
      return outcome.status;
    },
    cancel: async (sessionId) => {
      await post(`/v1/sessions/${sessionId}/cancel`, {});
    },
    cancelTree: async (sessionId) => {
      await post(`/v1/sessions/${sessionId}/cancel`, { tree: true });
    },
    ending: async ({ sessionId, promptId }, signal) => {
      const wait = hosted === null ? 20 : 2;
      for (;;) {
        const path = `/v1/sessions/${sessionId}/prompts/${encodeURIComponent(promptId)}?wait=${wait}`;
        const { outcome } = await json<Entry>(path, { signal });
        if (outcome !== null) return outcome.status;
        if (hosted !== null) await release(sessionId);
      }
    },
    follow: async function* follow({ sessionId, after, signal }) {
      const headers: Record<string, string> = after === null ? {} : { "last-event-id": after };
      const path = `/v1/sessions/${sessionId}/events`;
      try {
        const response = await server.call(path, { headers, signal });
        yield* eventsOf(bodyOf(response));
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    another,
    get pid() {
      return server.pid;
    },
    watch: async (sessionId, signal) => {
      const response = await server.call(`/v1/sessions/${sessionId}/events`, { signal });
      return { body: bodyOf(response), end: "event: prompt.settled" };
    },
    kill: () => server.end("SIGKILL"),
    restart: () => server.start(),
    stop: async () => {
      await server.end("SIGTERM");
      if (hosted !== null) endLeftBehind(setting.folder);
    },
  };
}

/** The tools of Holdfast's own agent. */
const ownCalls: RunningTarget["calls"] = {
  command: (line) => ({ name: "shell", input: { command: line } }),
  agent: (text) => ({ name: "task", input: { prompt: text } }),
  background: (text) => ({ name: "task", input: { prompt: text, background: true } }),
  mcp: (name, tool) => ({ name: `${name}_${tool}`, input: {} }),
};

interface Entry {
  readonly outcome: { readonly status: Ending } | null;
}

interface Answer {
  readonly status: "completed" | "deferred" | "failed";
  readonly actionId: string;
  readonly problems: readonly object[];
}

/** Yields the events of a stream that have an id. Other items, such as deltas, have none. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ReceivedEvent> {
  for await (const lines of eventFrames(body)) {
    const id = fieldOf(lines, "id");
    if (id !== null) yield { id, type: fieldOf(lines, "event") ?? "message" };
  }
}
