import assert from "node:assert/strict";
import { createInterface } from "node:readline";
import { openJsonRpc } from "../../../../../gauntlet/targets/json-rpc.ts";
import { program } from "../../support/program.ts";
import { startCommand } from "../test-cli.ts";
import type { Running } from "../test-cli.ts";
import { createSchemaCheck } from "./schema-check.ts";

/** Notes that a session shows while the server is away, and when it is back. */
export const away = "\n\n*The server is unreachable; waiting up to 60 s.*\n\n";
export const back = "\n\n*The server is back.*\n\n";

/** An editor at the other end of `holdfast acp`. */
export interface Editor {
  readonly running: Running;
  request<Result = unknown>(method: string, params: object): Promise<Result>;
  notify(method: string, params: object): void;
  /** Sends a request under an id of the caller's choice. The answer is one of the next lines. */
  send(id: string, method: string, params: object): void;
  /** Writes a raw line, which need not follow the protocol. */
  write(line: string): void;
  /** Resolves with the first line written from now on. */
  nextLine(): Promise<string>;
  newSession(cwd: string, mcpServers?: readonly object[]): Promise<string>;
  prompt(sessionId: string, text: string): Promise<{ stopReason: string }>;
  /** All updates of a session in order, except the list of commands. */
  updatesOf(sessionId: string): readonly Update[];
  /** Names of the commands that the editor got last for a session; null: none yet. */
  commandsOf(sessionId: string): readonly string[] | null;
  /** The updates of a session as short texts: see `wordsOf`. */
  words(sessionId: string): string[];
  /** Resolves with the first update, past or future, that matches. */
  until(sessionId: string, isIt: (update: Update) => boolean): Promise<Update>;
  /** The next permission request. Answer it with the id of an option, or not at all. */
  asked(): Promise<Asked>;
  /** Ids of requests that the agent has cancelled. */
  readonly takenBack: readonly unknown[];
  /** Closes stdin and waits for the end. */
  leave(): ReturnType<Closing>;
}

type Closing = () => Running["ended"];

export interface Update {
  readonly sessionUpdate: string;
  readonly content?: { readonly text?: string } & Partial<Record<string, unknown>>;
  readonly toolCallId?: string;
  readonly title?: string;
  readonly kind?: string;
  readonly status?: string;
  readonly size?: number;
  readonly configOptions?: readonly { readonly id: string; readonly currentValue: string }[];
  readonly currentModeId?: string;
  readonly availableCommands?: readonly { readonly name: string }[];
}

export interface Asked {
  readonly method: string;
  readonly params: AskedParams;
  answer(result: object): void;
  choose(optionId: string): void;
}

interface AskedParams {
  readonly sessionId?: string;
  readonly toolCall?: Update;
  readonly options?: readonly { readonly optionId: string; readonly kind: string }[];
  readonly message?: string;
}

interface Params extends AskedParams {
  readonly update?: Update;
  readonly requestId?: unknown;
}

/** Starts `holdfast acp`. The test fails if a message does not follow the protocol's schema, in either direction. */
export async function openEditor(
  test: { after(work: () => void): void },
  options: {
    folder: string;
    environment?: Record<string, string>;
    words?: readonly string[];
    capabilities?: object;
  },
): Promise<Editor> {
  const { words = [], capabilities: clientCapabilities = {} } = options;
  const running = startCommand([program, "acp", ...words], options);
  const check = createSchemaCheck();
  test.after(() => {
    running.process.kill("SIGKILL");
    assert.deepEqual(check.violations, []);
  });
  const { stdin, stdout } = running.process;
  if (stdin === null || stdout === null) throw new Error("it has no pipes");
  const updates = new Map<string, Update[]>();
  const commands = new Map<string, readonly string[]>();
  const listeners = new Set<() => void>();
  const questions: Asked[] = [];
  const askers: ((asked: Asked) => void)[] = [];
  const takenBack: unknown[] = [];
  const lines = createInterface({ input: stdout });
  const updatesOf = (sessionId: string): readonly Update[] => updates.get(sessionId) ?? [];
  const notified = (method: string, params: Params): void => {
    if (method === "$/cancel_request") takenBack.push(params.requestId);
    const { sessionId = "", update } = params;
    if (update === undefined) return;
    if (update.availableCommands !== undefined) {
      const names = update.availableCommands.map(({ name }) => name);
      commands.set(sessionId, names);
      return;
    }
    updates.set(sessionId, [...updatesOf(sessionId), update]);
    for (const listener of listeners) listener();
  };
  const asked = (method: string, params: Params): Promise<object> =>
    new Promise((resolve) => {
      const choose = (optionId: string): void =>
        resolve({ outcome: { outcome: "selected", optionId } });
      const question = { method, params, answer: resolve, choose };
      const asker = askers.shift();
      if (asker === undefined) questions.push(question);
      else asker(question);
    });
  const write = (text: string): void => void stdin.write(`${text}\n`);
  const channel = {
    send: (text: string): void => {
      check.fromEditor(text);
      write(text);
    },
    onMessage: (take: (text: string) => void): void =>
      void lines.on("line", (line) => {
        check.fromAgent(line);
        take(line);
      }),
    closed: running.ended.then(({ err }) => `it has ended: ${err}`),
  };
  const rpc = openJsonRpc<Params>(channel, { notified, asked });
  await rpc.request("initialize", { protocolVersion: 1, clientCapabilities });
  return {
    running,
    request: (method, params) => rpc.request(method, params),
    notify: (method, params) => rpc.notify(method, params),
    send: (id, method, params) =>
      channel.send(JSON.stringify({ jsonrpc: "2.0", id, method, params })),
    write,
    nextLine: () => new Promise((resolve) => lines.once("line", resolve)),
    newSession: async (cwd, mcpServers = []) => {
      const wanted = { cwd, mcpServers };
      return (await rpc.request<{ sessionId: string }>("session/new", wanted)).sessionId;
    },
    prompt: (sessionId, text) =>
      rpc.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] }),
    updatesOf,
    commandsOf: (sessionId) => commands.get(sessionId) ?? null,
    words: (sessionId) => wordsOf(updatesOf(sessionId)),
    until: (sessionId, isIt) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = updatesOf(sessionId).find(isIt);
          if (found === undefined) return;
          listeners.delete(look);
          resolve(found);
        };
        listeners.add(look);
        look();
        running.ended.then(
          ({ err }) => reject(new Error(`it ended without it: ${err}`)),
          () => {},
        );
      }),
    asked: () =>
      new Promise((resolve) => {
        const question = questions.shift();
        if (question === undefined) askers.push(resolve);
        else resolve(question);
      }),
    takenBack,
    leave: () => {
      stdin.end();
      return running.ended;
    },
  };
}

/**
 * Joins the chunks of each message; calls appear with title and status. Session titles are left
 * out.
 */
function wordsOf(updates: readonly Update[]): string[] {
  const words: string[] = [];
  const titles = new Map<string, string>();
  let growing = "";
  for (const { sessionUpdate, content, toolCallId = "", title, status = "" } of updates) {
    const speaker = speakers.get(sessionUpdate) ?? "";
    if (speaker !== "") {
      const text = content?.text ?? "";
      if (growing === speaker) words.push((words.pop() ?? "") + text);
      else words.push(`${speaker}: ${text}`);
    }
    growing = speaker;
    if (!sessionUpdate.startsWith("tool_call")) continue;
    if (title !== undefined) titles.set(toolCallId, title);
    words.push(`${titles.get(toolCallId)}: ${status}`);
  }
  return words;
}

const speakers: ReadonlyMap<string, string> = new Map([
  ["user_message_chunk", "user"],
  ["agent_message_chunk", "agent"],
  ["agent_thought_chunk", "thought"],
]);
