import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { accepted } from "../target.ts";
import type { Change, Ending, ProjectConfig, RunningTarget, Setting, Target } from "../target.ts";
import { eventFrames, fieldOf } from "./event-frames.ts";
import { installed } from "./installed.ts";
import type { Packaged } from "./installed.ts";
import { startProcess } from "./target-process.ts";
import type { TargetProcess } from "./target-process.ts";

const version = "1.18.33";
const provider = "local";

/** opencode over HTTP: `opencode serve`, with everything that would go out to the network turned off. */
export async function opencodeTarget(progress: (message: string) => void): Promise<Target> {
  const program = await installed({ name: `opencode ${version}`, packages: packages(), progress });
  return {
    name: `opencode ${version}`,
    offers: {
      queue: true,
      runs: { missing: "a prompt to a busy session joins the run at work" },
      cancel: true,
      outcome: true,
      lookup: true,
      promptIds: {
        missing: "a client may choose a message's id, but nothing says that twice is once",
      },
      restart: true,
      processes: true,
      subscribe: true,
      resume: { missing: "its event stream begins with the moment" },
      commands: true,
      config: true,
      providers: true,
      close: true,
      mcp: true,
    },
    start: async (setting) => {
      const configFile = join(setting.folder, "config.json");
      writeFileSync(configFile, JSON.stringify(config(setting)));
      return open({ program, setting, configFile });
    },
  };
}

/** Those with the newest instructions of a processor first; on Linux for both of its C libraries. */
function packages(): Packaged[] {
  const machine = `${process.platform}-${process.arch}`;
  const kinds = ["", "-baseline", "-musl", "-baseline-musl"].map((kind) => `${machine}${kind}`);
  return kinds
    .filter((kind) => built.has(kind))
    .map((kind) => `opencode-${kind}`)
    .map((name) => ({ package: `${name}@${version}`, program: `${name}/bin/opencode` }));
}

const built: ReadonlySet<string> = new Set([
  "linux-x64",
  "linux-x64-baseline",
  "linux-x64-musl",
  "linux-x64-baseline-musl",
  "linux-arm64",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-x64-baseline",
  "darwin-arm64",
]);

interface Launch {
  readonly program: string;
  readonly setting: Setting;
  readonly configFile: string;
}

function config({ model }: Setting): object {
  return {
    autoupdate: false,
    share: "disabled",
    model: `${provider}/${model.name}`,
    small_model: `${provider}/${model.name}`,
    enabled_providers: [provider],
    permission: "allow",
    provider: {
      [provider]: {
        npm: "@ai-sdk/openai-compatible",
        name: "Local",
        options: { baseURL: model.address },
        models: { [model.name]: { name: model.name } },
      },
    },
  };
}

async function open(launch: Launch): Promise<RunningTarget> {
  let server = await start(launch);
  const call = (path: string, request: RequestInit = {}): Promise<Response> => {
    const { directory } = launch.setting;
    const headers = { "content-type": "application/json", "x-opencode-directory": directory };
    return fetch(`${server.url}${path}`, { ...request, headers });
  };
  const json = async <T>(path: string, request?: RequestInit): Promise<T> =>
    JSON.parse((await accepted(path, await call(path, request))) || "null");
  const send = <T>(method: string, path: string, body: object): Promise<T> =>
    json(path, { method, body: JSON.stringify(body) });
  const messages = (sessionId: string, signal: AbortSignal): Promise<Message[]> =>
    json(`/session/${sessionId}/message`, { signal });
  /** When each session was last cancelled: prompts before that which nobody answers have ended by it. */
  const cancels = new Map<string, string>();
  await send("PUT", `/auth/${provider}`, { type: "api", key: "key-of-today" });
  return {
    calls: {
      command: (line) => ({ name: "bash", input: { command: line, description: "as asked" } }),
      mcp: (name, tool) => ({ name: `${name}_${tool}`, input: {} }),
    },
    createSession: async () => (await send<{ id: string }>("POST", "/session", {})).id,
    submit: async (sessionId, { text }) => {
      const messageID = messageId();
      const body = { messageID, parts: [{ type: "text", text }] };
      await send("POST", `/session/${sessionId}/prompt_async`, body);
      return messageID;
    },
    ask: async (sessionId, text) => {
      const body = { parts: [{ type: "text", text }] };
      const { info } = await send<Message>("POST", `/session/${sessionId}/message`, body);
      return endingOf(info) ?? "failed";
    },
    cancel: async (sessionId) => {
      await send("POST", `/session/${sessionId}/abort`, {});
      cancels.set(sessionId, messageId());
    },
    ending: async ({ sessionId, promptId }, signal) => {
      for (let idle = 0; ;) {
        const all = (await messages(sessionId, signal)).map(({ info }) => info);
        const ending = endingIn(all, promptId);
        if (ending !== null) return ending;
        // It says nothing of a prompt that a cancel found waiting: one that stays unanswered was cancelled.
        const busy = await json<Record<string, unknown>>("/session/status", { signal });
        const wasCancelled = promptId < (cancels.get(sessionId) ?? "");
        idle = wasCancelled && busy[sessionId] === undefined ? idle + 1 : 0;
        if (idle > 50) return "cancelled";
        await delay(40, undefined, { signal });
      }
    },
    follow: async function* follow({ sessionId, signal }) {
      try {
        const response = await call("/event", { signal });
        if (response.body === null) throw new Error("an event stream without a body");
        for await (const event of eventsOf(response.body)) {
          if (event.properties?.sessionID === sessionId)
            yield { id: event.id ?? "", type: event.type };
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    watch: async (_sessionId, signal) => {
      const { body } = await call("/event", { signal });
      if (body === null) throw new Error("an event stream without a body");
      return { body, end: '"type":"session.idle"' };
    },
    configure: (changed) =>
      disposing(call, async () => void (await send("PATCH", "/global/config", changes(changed)))),
    connect: (key) =>
      disposing(call, async () => {
        await send("PUT", `/auth/${provider}`, { type: "api", key });
        // A key is read when a project is opened.
        await send("POST", "/global/dispose", {});
      }),
    close: () => disposing(call, async () => void (await send("POST", "/global/dispose", {}))),
    another: () => open(launch),
    get pid() {
      return server.process.pid;
    },
    kill: () => server.process.kill(),
    restart: async () => {
      server = await start(launch);
    },
    stop: () => server.process.stop(),
  };
}

interface Message {
  readonly info: MessageInfo;
}

interface MessageInfo {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly parentID?: string;
  readonly time: { readonly completed?: number };
  readonly finish?: string;
  readonly error?: { readonly name: string };
}

/** How a prompt ended: by its own answer, or by that to a later prompt which was shown together with it. */
function endingIn(all: readonly MessageInfo[], promptId: string): Ending | null {
  const place = all.findIndex(({ id }) => id === promptId);
  if (place < 0) return null;
  const own = all.filter(({ parentID }) => parentID === promptId);
  const last = own.at(-1);
  if (last !== undefined) return endingOf(last);
  const later = new Set(
    all.slice(place + 1).flatMap(({ id, role }) => (role === "user" ? [id] : [])),
  );
  const joint = all.find(({ parentID }) => parentID !== undefined && later.has(parentID));
  return joint === undefined ? null : endingOf(joint);
}

function endingOf({ error, time, finish }: MessageInfo): Ending | null {
  if (error !== undefined) return error.name === "MessageAbortedError" ? "cancelled" : "failed";
  const isOver = time.completed !== undefined && finish !== undefined && finish !== "tool-calls";
  return isOver ? "completed" : null;
}

/** Ids as its own clients make them: they sort by time. */
let lastTime = 0;
let sameTime = 0;
function messageId(): string {
  const now = Date.now();
  sameTime = now === lastTime ? sameTime + 1 : 1;
  lastTime = now;
  const time = BigInt.asUintN(48, BigInt(now) * 0x1000n + BigInt(sameTime));
  return `msg_${time.toString(16).padStart(12, "0")}${randomBytes(7).toString("hex")}`;
}

function changes({ words, mcp = {} }: ProjectConfig): object {
  const servers = Object.entries(mcp).map(([name, command]) => [
    name,
    { type: "local", command, enabled: true },
  ]);
  return {
    mcp: Object.fromEntries(servers),
    ...(words === undefined ? {} : { agent: { build: { prompt: words } } }),
  };
}

/** A change after which all that is open is thrown away, which it tells by an event. */
async function disposing(
  call: (path: string, request: RequestInit) => Promise<Response>,
  change: () => Promise<void>,
): Promise<Change> {
  const leave = new AbortController();
  const { body } = await call("/global/event", { signal: leave.signal });
  if (body === null) throw new Error("an event stream without a body");
  const disposed = async (): Promise<void> => {
    for await (const event of eventsOf(body)) {
      const { type } = event.payload ?? event;
      if (type === "global.disposed" || type === "server.instance.disposed") break;
    }
    leave.abort();
  };
  const ended = disposed();
  ended.catch(() => {});
  await change();
  return { ended };
}

interface WireEvent {
  readonly id?: string;
  readonly type: string;
  readonly properties?: { readonly sessionID?: string };
  readonly payload?: { readonly type: string };
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<WireEvent> {
  for await (const lines of eventFrames(body)) {
    const data = fieldOf(lines, "data");
    if (data !== null) yield JSON.parse(data);
  }
}

async function start(launch: Launch): Promise<{ url: string; process: TargetProcess }> {
  const { program, setting, configFile } = launch;
  const { folder, directory } = setting;
  const port = await freePort();
  const place = (name: string): string => {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const started = startProcess({
    command: [program, "serve", "--hostname", "127.0.0.1", "--port", String(port)],
    directory,
    environment: {
      HOME: place("home"),
      XDG_CONFIG_HOME: place("config"),
      XDG_DATA_HOME: place("data"),
      XDG_CACHE_HOME: place("cache"),
      XDG_STATE_HOME: place("state"),
      OPENCODE_CONFIG: configFile,
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    },
  });
  const url = `http://127.0.0.1:${port}`;
  // Only then it is asked: what comes while it starts may never be answered.
  await listening(started);
  const answer = await fetch(`${url}/global/health`);
  if (!answer.ok) throw new Error(`it did not start: ${await answer.text()}`);
  await answer.body?.cancel();
  return { url, process: started };
}

function listening(started: TargetProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    started.child.stdout.on("data", (data: Buffer) => {
      said = (said + data.toString()).slice(-1_000);
      if (said.includes("listening on")) resolve();
    });
    const giveUp = async (): Promise<void> => {
      await started.ended;
      reject(new Error(`it did not start: ${started.lastWords()}`));
    };
    void giveUp();
  });
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => {
    probe.listen(0, "127.0.0.1", resolve);
  });
  const address = probe.address();
  await new Promise((resolve) => {
    probe.close(resolve);
  });
  if (typeof address !== "object" || address === null) throw new Error("there is no free port");
  return address.port;
}
