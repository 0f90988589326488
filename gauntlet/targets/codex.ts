import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Refused } from "../target.ts";
import type { Ending, RunningTarget, Setting, Target } from "../target.ts";
import { installed } from "./installed.ts";
import type { Packaged } from "./installed.ts";
import { createCodexAsks } from "./codex-asks.ts";
import { connect } from "./codex-connection.ts";
import type { Launch, Way } from "./codex-connection.ts";
import { followThread, watchThread } from "./codex-subscriber.ts";
import { Overloaded } from "./json-rpc.ts";
import { createRest } from "./rest.ts";
import { waitUntil } from "./wait-until.ts";

const version = "0.166.0";

export function codexProgram(progress: (message: string) => void): Promise<string> {
  return installed({ name: `codex ${version}`, packages: packages(), progress });
}

/** Codex's app-server with its experimental queue. */
export async function codexTarget(
  progress: (message: string) => void,
  options: { way?: Way } = {},
): Promise<Target> {
  const { way = "webSocket" } = options;
  const joins = way === "webSocket" || { missing: "one client over stdio" };
  const program = await codexProgram(progress);
  return {
    name: `codex ${version}`,
    offers: {
      queue: true,
      runs: true,
      cancel: true,
      withdraw: true,
      steer: true,
      outcome: true,
      lookup: true,
      promptIds: {
        missing: "a client may choose an id, but repeated requests count twice",
      },
      restart: true,
      recover: { missing: "an interrupted run is reported, but not resumed" },
      processes: true,
      subscribe: joins,
      resume: joins,
      commands: true,
      asks: true,
      agents: { missing: "a sub-agent continues regardless of the run" },
      background: { missing: "no cancel covers the sub-agents of a thread" },
      budget: { missing: "a turn has no token limit" },
      config: { missing: "instructions are fixed when a thread starts" },
      providers: true,
      close: { missing: "projects are not opened or closed" },
      mcp: true,
    },
    start: async (setting) => {
      const launch = { program, setting, way };
      writeConfig(setting, {});
      const target = await open(launch);
      await target.connect("key-of-today");
      return target;
    },
  };
}

function packages(): Packaged[] {
  const machine = `${process.platform}-${process.arch}`;
  const triple = triples[machine];
  if (triple === undefined) return [];
  const program = `@openai/codex/vendor/${triple}/bin/codex`;
  return [{ package: `@openai/codex@${version}-${machine}`, program }];
}

const triples: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
};

function writeConfig(
  { folder, model, asks }: Setting,
  mcp: Readonly<Record<string, readonly string[]>>,
): void {
  const servers = Object.entries(mcp).map(([name, [command, ...words]]) =>
    [
      `[mcp_servers.${name}]`,
      `command = ${JSON.stringify(command)}`,
      `args = ${JSON.stringify(words)}`,
    ].join("\n"),
  );
  const config = `
model = "${model.name}"
model_provider = "local"
approval_policy = "${asks ? "on-request" : "never"}"
sandbox_mode = "${asks ? "read-only" : "danger-full-access"}"
check_for_update_on_startup = false
cli_auth_credentials_store = "file"
[analytics]
enabled = false
[model_providers.local]
name = "Local"
base_url = "${model.address}"
wire_api = "responses"
requires_openai_auth = true
supports_websockets = false
${servers.join("\n")}
`;
  writeFileSync(join(folder, "config.toml"), config);
}

async function open(launch: Launch): Promise<RunningTarget> {
  const { setting } = launch;
  const threads = new Set<string>();
  /** Active run of each thread. */
  const active = new Map<string, string>();
  /** Results of runs. A run may end before its start has been processed. */
  const results = new Map<string, PromiseWithResolvers<TurnStatus>>();
  const resultOf = (turnId: string): PromiseWithResolvers<TurnStatus> => {
    const result = results.get(turnId) ?? Promise.withResolvers<TurnStatus>();
    results.set(turnId, result);
    return result;
  };
  /** Id of the run (turn) of each prompt, as far as known. */
  const turns = new Map<string, string>();
  const ended = new Map<string, Ending>();
  /** Prompts of each thread (a session in Codex) that have not ended, as far as known. */
  const unsettled = new Map<string, Set<string>>();
  const waitingIn = (threadId: string): Set<string> => {
    const known = unsettled.get(threadId) ?? new Set();
    unsettled.set(threadId, known);
    return known;
  };
  const settle = (threadId: string, promptId: string, ending: Ending): void => {
    ended.set(promptId, ending);
    waitingIn(threadId).delete(promptId);
  };
  /** Codex threads (sessions) whose queue is stopped, for example by an interrupt. */
  const halted = new Set<string>();
  const notified = (method: string, params: Notification): void => {
    const { threadId, turnId = "", item, turn } = params;
    if (method === "item/started" && typeof item?.clientId === "string") {
      turns.set(item.clientId, turnId);
    }
    if (turn === undefined) return;
    if (method === "turn/started") active.set(threadId, turn.id);
    if (method !== "turn/completed") return;
    active.delete(threadId);
    resultOf(turn.id).resolve(turn.status);
    const ending = endings[turn.status] ?? "failed";
    for (const promptId of waitingIn(threadId)) {
      if (turns.get(promptId) === turn.id) settle(threadId, promptId, ending);
    }
  };
  const asks = createCodexAsks(() => connection.address);
  const handlers = { notified, asked: asks.asked };
  let connection = await connect(launch, handlers);
  const request = async <T>(method: string, params: object): Promise<T> => {
    for (;;) {
      try {
        return await connection.rpc.request(method, params);
      } catch (error) {
        if (!(error instanceof Overloaded)) throw error;
        await delay(20);
      }
    }
  };
  /** Opens a thread that another client or process created. */
  const opened = async (threadId: string): Promise<void> => {
    if (threads.has(threadId)) return;
    await request("thread/resume", { threadId, excludeTurns: true });
    threads.add(threadId);
  };
  const newest = async (threadId: string): Promise<Turn[]> => {
    const wanted = { threadId, itemsView: "full", sortDirection: "desc", limit: 50 };
    try {
      return (await request<{ data: Turn[] }>("thread/turns/list", wanted)).data;
    } catch (error) {
      // Codex cannot list runs before the first one is on disk. Return none, unless the process has ended.
      if (connection.process.isOver) throw error;
      return [];
    }
  };
  /**
   * Waits until the cancelled run of a Codex thread (a conversation) has ended, then restarts the thread's queue of
   * prompts.
   */
  const goOn = async (threadId: string): Promise<void> => {
    await waitUntil("the end of the cancelled run", () => !active.has(threadId));
    halted.delete(threadId);
    // The queue may have restarted by itself.
    await request("thread/queue/start", { threadId }).catch(() => {});
  };
  const queued = async (threadId: string): Promise<Queued[]> =>
    (await request<{ data: Queued[] }>("thread/queue/list", { threadId })).data;
  /** Returns whether the thread still has pending work, from the view of this client. */
  const isWaiting = async (threadId: string, promptId: string): Promise<boolean> => {
    if (active.has(threadId)) return true;
    const waiting = await queued(threadId).catch((error: unknown) => {
      if (error instanceof Refused) return [];
      throw error;
    });
    return waiting.some(({ clientUserMessageId }) => clientUserMessageId === promptId);
  };
  return {
    calls: {
      command: (line) => ({
        name: "exec_command",
        input: { cmd: line, yield_time_ms: 30_000, ...(setting.asks ? outOfSandbox : {}) },
      }),
      agent: notOffered,
      background: notOffered,
      mcp: (name, tool) => ({ name: tool, namespace: `mcp__${name}`, input: {} }),
    },
    createSession: async () => {
      const cwd = setting.directory;
      const { thread } = await request<{ thread: { id: string } }>("thread/start", { cwd });
      threads.add(thread.id);
      return thread.id;
    },
    submit: async (threadId, { text }) => {
      await opened(threadId);
      const clientUserMessageId = randomUUID();
      await request("thread/queue/add", { threadId, clientUserMessageId, input: input(text) });
      waitingIn(threadId).add(clientUserMessageId);
      // If the queue does not restart, the scenario reports that the prompt has no answer.
      if (halted.has(threadId)) goOn(threadId).catch(() => {});
      return clientUserMessageId;
    },
    steer: async (threadId, text) => {
      const expectedTurnId = active.get(threadId) ?? "";
      const clientUserMessageId = randomUUID();
      const wanted = { threadId, clientUserMessageId, input: input(text), expectedTurnId };
      await request("turn/steer", wanted);
      waitingIn(threadId).add(clientUserMessageId);
      return clientUserMessageId;
    },
    openAsks: asks.openIn,
    answer: asks.answer,
    ask: async (threadId, text) => {
      const wanted = { threadId, input: input(text) };
      const { turn } = await request<{ turn: Turn }>("turn/start", wanted);
      const status = await resultOf(turn.id).promise;
      results.delete(turn.id);
      return endings[status] ?? "failed";
    },
    cancelTree: notOffered,
    cancel: async (threadId) => {
      for (const { id, clientUserMessageId } of await queued(threadId)) {
        await request("thread/queue/delete", { threadId, queuedSubmissionId: id });
        settle(threadId, clientUserMessageId, "cancelled");
      }
      // Only a run with a known id can be interrupted, so wait for the id of a run that is about to start.
      await waitUntil(
        "the start of the run",
        () => active.has(threadId) || waitingIn(threadId).size === 0,
      );
      const turnId = active.get(threadId);
      if (turnId === undefined) return;
      const cancelled = [...waitingIn(threadId)];
      halted.add(threadId);
      await request("turn/interrupt", { threadId, turnId });
      await waitUntil("the end of the interrupted run", () => active.get(threadId) !== turnId);
      // If a run is interrupted before it takes its prompt, its end event does not name the prompt.
      for (const promptId of cancelled) {
        if (!ended.has(promptId)) settle(threadId, promptId, "cancelled");
      }
    },
    ending: async ({ sessionId: threadId, promptId }, signal) => {
      const rested = createRest();
      for (let doubts = 0; ;) {
        const known = waitingIn(threadId).has(promptId);
        const listed = known ? [] : await newest(threadId);
        const turn = listed.find(({ items }) =>
          items.some(({ clientId }) => clientId === promptId),
        );
        const told = ended.get(promptId);
        if (told !== undefined) return told;
        const ending = turn === undefined ? null : endings[turn.status];
        // Codex lists an active run of another process as interrupted, so accept this status only if it lasts.
        if (ending === "cancelled") doubts += 1;
        if (ending !== null && (ending !== "cancelled" || doubts > 40)) return ending;
        if (rested(!known && turn === undefined && !(await isWaiting(threadId, promptId)))) {
          return "unanswered";
        }
        await delay(40, undefined, { signal });
      }
    },
    follow: (wanted) => followThread(connection.address, wanted),
    watch: (threadId, signal) => watchThread(connection.address, { threadId, signal }),
    configure: async ({ mcp = {} }) => {
      writeConfig(setting, mcp);
      await request("config/mcpServer/reload", {});
      return { ended: null };
    },
    connect: async (key) => {
      await request("account/login/start", { type: "apiKey", apiKey: key });
      return { ended: null };
    },
    close: notOffered,
    reconnect: () => request("config/mcpServer/reload", {}),
    another: () => open(launch),
    get pid() {
      return connection.process.pid;
    },
    kill: () => connection.process.kill(),
    restart: async () => {
      connection = await connect(launch, handlers);
      active.clear();
      unsettled.clear();
      asks.forget();
      const known = [...threads];
      threads.clear();
      // Ignore a thread that cannot be opened here: the lookup of its prompts will report the error.
      for (const threadId of known) await opened(threadId).catch(() => {});
    },
    stop: () => connection.process.stop(),
  };
}

function notOffered(): never {
  throw new Error("this target does not offer this feature");
}

function input(text: string): object[] {
  return [{ type: "text", text, text_elements: [] }];
}

interface Notification {
  readonly threadId: string;
  readonly turnId?: string;
  readonly turn?: Turn;
  readonly item?: { readonly clientId?: string | null };
}

type TurnStatus = "completed" | "interrupted" | "failed" | "inProgress";

interface Turn {
  readonly id: string;
  readonly status: TurnStatus;
  readonly items: readonly { readonly clientId?: string | null }[];
}

interface Queued {
  readonly id: string;
  readonly clientUserMessageId: string;
}

/** Arguments for a command outside the sandbox. */
const outOfSandbox = { sandbox_permissions: "require_escalated", justification: "as asked" };

const endings: Readonly<Record<TurnStatus, Ending | null>> = {
  completed: "completed",
  interrupted: "cancelled",
  failed: "failed",
  inProgress: null,
};
