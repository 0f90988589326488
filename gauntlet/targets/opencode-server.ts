import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { accepted } from "../target.ts";
import type { Setting } from "../target.ts";
import { eventFrames, fieldOf } from "./event-frames.ts";
import { installed } from "./installed.ts";
import type { Packaged } from "./installed.ts";
import { saidBy, startProcess } from "./target-process.ts";
import type { TargetProcess } from "./target-process.ts";

export const opencodeVersion = "1.18.33";
export const provider = "local";

/** `opencode serve` with all network features turned off. */
export interface OpencodeServer {
  readonly process: TargetProcess;
  readonly call: (path: string, request?: RequestInit) => Promise<Response>;
  readonly json: <T>(path: string, request?: RequestInit) => Promise<T>;
  readonly send: <T>(method: string, path: string, body: object) => Promise<T>;
  /** Restarts the server on its data. */
  restart(): Promise<void>;
}

export function opencodeProgram(progress: (message: string) => void): Promise<string> {
  const name = `opencode ${opencodeVersion}`;
  return installed({ name, packages: packages(), progress });
}

export async function startOpencode(program: string, setting: Setting): Promise<OpencodeServer> {
  let server = await start(program, setting);
  const call = (path: string, request: RequestInit = {}): Promise<Response> => {
    const { directory } = setting;
    const headers = { "content-type": "application/json", "x-opencode-directory": directory };
    return fetch(`${server.url}${path}`, { ...request, headers });
  };
  const json = async <T>(path: string, request?: RequestInit): Promise<T> =>
    JSON.parse((await accepted(path, await call(path, request))) || "null");
  return {
    get process() {
      return server.process;
    },
    call,
    json,
    send: (method, path, body) => json(path, { method, body: JSON.stringify(body) }),
    restart: async () => {
      server = await start(program, setting);
    },
  };
}

/** Parses all events of a stream. */
export async function* eventsIn<Event>(body: ReadableStream<Uint8Array>): AsyncGenerator<Event> {
  for await (const lines of eventFrames(body)) {
    const data = fieldOf(lines, "data");
    if (data !== null) yield JSON.parse(data);
  }
}

let lastTime = 0;
let sameTime = 0;

/** Ids in opencode's format, which sort by time. */
export function messageId(): string {
  const now = Date.now();
  sameTime = now === lastTime ? sameTime + 1 : 1;
  lastTime = now;
  const time = BigInt.asUintN(48, BigInt(now) * 0x1000n + BigInt(sameTime));
  return `msg_${time.toString(16).padStart(12, "0")}${randomBytes(7).toString("hex")}`;
}

/**
 * Lists the npm packages with an OpenCode program for this platform, in the order in which to try them. For each C
 * library, the package for new processors comes first, then `baseline`, which also runs on old processors.
 */
function packages(): Packaged[] {
  const machine = `${process.platform}-${process.arch}`;
  const kinds = ["", "-baseline", "-musl", "-baseline-musl"].map((kind) => `${machine}${kind}`);
  return kinds
    .filter((kind) => built.has(kind))
    .map((kind) => `opencode-${kind}`)
    .map((name) => ({ package: `${name}@${opencodeVersion}`, program: `${name}/bin/opencode` }));
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

/** Writes opencode's user config, for both opencode targets (the current API and the next one). */
export function writeConfig(
  { folder, model, asks }: Setting,
  options: { apiKey?: string } = {},
): void {
  const place = join(folder, "config/opencode");
  mkdirSync(place, { recursive: true });
  const config = {
    autoupdate: false,
    share: "disabled",
    model: `${provider}/${model.name}`,
    small_model: `${provider}/${model.name}`,
    enabled_providers: [provider],
    permission: asks ? { "*": "allow", bash: "ask" } : "allow",
    provider: {
      [provider]: {
        npm: "@ai-sdk/openai-compatible",
        name: "Local",
        options: { baseURL: model.address, ...options },
        models: { [model.name]: { name: model.name } },
      },
    },
  };
  writeFileSync(join(place, "opencode.json"), JSON.stringify(config));
}

async function start(
  program: string,
  setting: Setting,
): Promise<{ url: string; process: TargetProcess }> {
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
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    },
  });
  const url = `http://127.0.0.1:${port}`;
  // Send requests only now: a request during the start may never be answered.
  await saidBy(started, { on: "stdout", pattern: /listening on/ });
  const answer = await fetch(`${url}/global/health`);
  if (!answer.ok) throw new Error(`the server did not start: ${await answer.text()}`);
  await answer.body?.cancel();
  return { url, process: started };
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
  if (typeof address !== "object" || address === null) throw new Error("no free port was found");
  return address.port;
}
