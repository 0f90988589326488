import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { connect } from "@holdfast/sdk";
import type {
  Holdfast,
  MaintenanceAnswer,
  MaintenanceItem,
  SessionHandle,
  WireEvent,
} from "@holdfast/sdk";
import { startModelServer } from "../../../../../gauntlet/model-server/model-server.ts";
import type { ModelServer } from "../../../../../gauntlet/model-server/model-server.ts";
import { asks, says } from "../../../../../gauntlet/model-server/script.ts";
import type { ModelCall, Reply } from "../../../../../gauntlet/model-server/script.ts";
import { serve } from "../../../src/compose/serve.ts";
import type { Serving } from "../../../src/compose/serve.ts";
import { openTestServer } from "../security/test-server.ts";
import type { TestServer } from "../security/test-server.ts";

/** A server with a model and MCP servers; everything is real except the model. */
export interface WorkspaceServer {
  readonly testServer: TestServer;
  /** A client of the current server. */
  readonly holdfast: Holdfast;
  readonly model: ModelServer;
  /** Creates a project folder; returns its real path. */
  folder(name: string): string;
  /** Lets runs continue that wait for this word, now or later. */
  open(word: string): void;
  /** Writes a project's config without trusting it. */
  configure(directory: string, config: object): void;
  /** Same as above, and trusts it. */
  trust(directory: string, config: object): Promise<void>;
  /** Config of the notes server, for each mode. */
  notes(mode?: "serve" | "hang" | "break"): object;
  /** Process ids of the notes server, in order of their start. */
  pids(): readonly number[];
  session(sessionId: string, folder: string): Promise<SessionHandle>;
  /** Stops the server at once and starts another one on the same store. */
  restart(): Promise<void>;
}

const key = "sk-town-5b1f60b2c94e7a35";

export async function openWorkspaceServer(t: TestContext): Promise<WorkspaceServer> {
  const doors = new Map<string, PromiseWithResolvers<void>>();
  const door = (word: string): PromiseWithResolvers<void> => {
    const known = doors.get(word) ?? Promise.withResolvers<void>();
    doors.set(word, known);
    return known;
  };
  let testServer: TestServer | null = null;
  const place = (): string => testServer?.folder ?? "";
  const isOpen = (word: string): boolean => existsSync(join(place(), word));
  const model = await startModelServer((call) => reply(call, { door, isOpen, place }));
  t.after(() => model.close());
  const environment = {
    HOLDFAST_LOG: "silent",
    HOLDFAST_BASE_URL: model.addresses.openaiChat,
    HOLDFAST_API_KEY: key,
    HOLDFAST_MODEL: "local/test",
    PATH: process.env["PATH"] ?? "",
  };
  const later: Serving[] = [];
  t.after(() => Promise.all(later.map(({ server }) => server.stop())));
  const opened = await openTestServer(t, { environment });
  testServer = opened;
  const { folder, owner } = opened;
  let { url } = opened;
  const holdfast = connect({ url, token: owner, fetch: (request) => fetch(moved(request, url)) });
  const diary = join(folder, "diary");
  return {
    testServer,
    holdfast,
    model,
    folder: (name) => {
      const path = join(folder, name);
      mkdirSync(path, { recursive: true });
      return path;
    },
    open: (word) => {
      door(word).resolve();
      writeFileSync(join(folder, word), "");
    },
    configure,
    trust: async (directory, config) => {
      configure(directory, config);
      const { powers } = await holdfast.config.get({ directory });
      await holdfast.config.trust({ directory, digest: powers?.digest ?? null });
    },
    notes: (mode = "serve") => ({
      type: "stdio",
      command: [process.execPath, join(import.meta.dirname, "notes-server.ts"), diary, mode],
    }),
    pids: () =>
      existsSync(diary) ? readFileSync(diary, "utf8").trim().split("\n").map(Number) : [],
    restart: async () => {
      await (later.at(-1) ?? opened.serving).server.stop({ deadline: 0 });
      const next = await serve({ ...opened.settings, environment });
      later.push(next);
      await next.server.ready;
      url = next.server.url;
    },
    session: async (sessionId, directory) => {
      await holdfast.sessions.create({ sessionId, directory });
      return holdfast.session(sessionId);
    },
  };
}

/**
 * Scripted replies of the model. `think W` answers when W is open; `use W` calls a tool that waits
 * for W; `call W` calls the tool W; `ask W` needs a permission; `retry W` gets a retryable error
 * until W is open; `task W` starts a child that thinks of W; `late W` starts a child once W is
 * open; `edit W` writes the project's config.
 */
function reply(
  call: ModelCall,
  fixture: {
    door: (word: string) => PromiseWithResolvers<void>;
    isOpen: (word: string) => boolean;
    place: () => string;
  },
): Reply {
  const prompt = call.messages.findLastIndex(({ role }) => role === "user");
  const [verb = "", word = ""] = (call.messages[prompt]?.text ?? "").split(" ");
  const steps = call.messages.slice(prompt).filter(({ role }) => role === "assistant").length;
  if (steps > 0) return says(`${verb} done`);
  switch (verb) {
    case "think":
      return { parts: [{ wait: fixture.door(word).promise }, { text: `${verb} done` }] };
    case "use":
      return asks({ name: "notes_wait_for", input: { file: join(fixture.place(), word) } });
    case "call":
      return asks({ name: word, input: {} });
    case "ask":
      return asks({ name: "shell", input: { command: "sh -c 'echo permitted'" } });
    case "retry":
      return fixture.isOpen(word)
        ? says(`${verb} done`)
        : { status: 429, headers: { "retry-after": "1" } };
    case "task":
      return asks({ name: "task", input: { prompt: `think ${word}` } });
    case "late": {
      const call = { id: "call0", name: "task", input: { prompt: "hello" } };
      return { parts: [{ wait: fixture.door(word).promise }, { call }], finish: "calls" };
    }
    case "edit": {
      const content = JSON.stringify({ agents: { written: { prompt: "Be another." } } });
      return asks({ name: "write", input: { path: "holdfast.jsonc", content } });
    }
    default:
      return says(`${verb} done`);
  }
}

/** Reads a session's events until one of this type; returns it. */
export async function until<Type extends WireEvent["type"]>(
  session: SessionHandle,
  type: Type,
  matches: (event: Extract<WireEvent, { type: Type }>) => boolean = () => true,
): Promise<Extract<WireEvent, { type: Type }>> {
  const isWanted = (event: { type: string }): event is Extract<WireEvent, { type: Type }> =>
    event.type === type;
  for await (const event of session.events({ deltas: false })) {
    if (isWanted(event) && matches(event)) return event;
  }
  throw new Error(`${type} did not come`);
}

function configure(directory: string, config: object): void {
  const permissions = [{ action: "mcp", pattern: "*", effect: "allow" }];
  const text = JSON.stringify({ permissions, ...config }, null, 2);
  writeFileSync(join(directory, "holdfast.jsonc"), text);
}

/** The same request, sent to the current server. */
function moved(request: Request, url: string): Request {
  const { pathname, search } = new URL(request.url);
  return new Request(url + pathname + search, request);
}

/** The answer without its random id. */
export function withoutId({
  status,
  affectedDirectories,
  waitingFor,
  problems,
}: MaintenanceAnswer): Omit<MaintenanceAnswer, "actionId"> {
  return { status, affectedDirectories, waitingFor, problems };
}

/** Waits until a run with the prompt is active; returns its id. */
export async function begun(
  session: SessionHandle,
  { promptId }: { promptId: string },
): Promise<string> {
  const { runId } = await until(session, "run.started", (event) => event.promptId === promptId);
  await until(session, "step.opened", (event) => event.runId === runId);
  return runId;
}

/** The generations of a session's runs. */
export async function generations(session: SessionHandle): Promise<readonly (string | null)[]> {
  const found: (string | null)[] = [];
  for await (const event of session.events({ deltas: false, follow: false })) {
    if (event.type === "run.started") found.push(event.generation);
  }
  return found;
}

/** Collects maintenance messages from now on. */
export function listen(t: TestContext, holdfast: Holdfast): Promise<readonly MaintenanceItem[]> {
  const items: MaintenanceItem[] = [];
  const leaving = new AbortController();
  t.after(() => leaving.abort());
  const live = Promise.withResolvers<readonly MaintenanceItem[]>();
  void (async () => {
    const options = { after: "now", deltas: false, signal: leaving.signal };
    for await (const item of holdfast.events(options)) {
      if (item.type === "live") live.resolve(items);
      if (item.type === "maintenance") items.push(item);
    }
  })().catch((error: unknown) => live.reject(error));
  return live.promise;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
