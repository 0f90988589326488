import { randomUUID } from "node:crypto";
import { NotOffered, NotStarted } from "../target.ts";
import type { Ending, Offers, ProjectConfig, RunningTarget, Setting, Target } from "../target.ts";
import { foundCommand, foundMcp } from "./acp-tools.ts";
import { openJsonRpc, stdioOf } from "./json-rpc.ts";
import type { JsonRpc } from "./json-rpc.ts";
import { endLeftBehind, watchHome } from "./left-behind.ts";
import { startProcess } from "./target-process.ts";
import type { TargetProcess } from "./target-process.ts";

/**
 * Any agent that speaks ACP over stdio. Its command may contain `{address}`, `{origin}`, `{model}`,
 * `{folder}`, `{directory}` and `{key}`. OPENAI_BASE_URL and similar variables are also set.
 */
export async function acpTarget(command: readonly string[]): Promise<Target> {
  const sequence = { missing: "ACP sends prompts one at a time" };
  const oneClient = { missing: "an ACP agent has one client" };
  const offers: Offers = {
    queue: sequence,
    runs: sequence,
    cancel: true,
    withdraw: sequence,
    steer: sequence,
    outcome: true,
    lookup: { missing: "ACP reports a prompt's end only once, to its sender" },
    promptIds: { missing: "prompts have no ids in ACP" },
    restart: true,
    recover: { missing: "ACP does not cover interrupted prompts" },
    processes: oneClient,
    subscribe: oneClient,
    resume: oneClient,
    commands: true,
    asks: { missing: "asks depend on the agent's own config" },
    agents: { missing: "ACP does not define sub-agents" },
    background: { missing: "ACP does not define sub-agents" },
    budget: { missing: "a prompt has no token limit in ACP" },
    config: { missing: "ACP does not offer this" },
    providers: { missing: "ACP does not offer this" },
    close: { missing: "ACP does not offer this" },
    mcp: true,
  };
  return {
    name: `acp: ${spoken(command)}`,
    offers,
    start: (setting) => open(command, setting),
  };
}

/** Returns the command without environment variables and directories, for display. */
export function spoken(command: readonly string[]): string {
  const begin = command[0] === "env" ? command.findIndex((word) => !/^env$|=/.test(word)) : 0;
  const words = command.slice(Math.max(begin, 0)).map((word) => word.replace(/^\/.*\//, ""));
  return words.join(" ");
}

interface Agent {
  readonly process: TargetProcess;
  readonly rpc: JsonRpc;
  /** Whether the agent can load an earlier session. */
  readonly loads: boolean;
}

interface Introduced {
  readonly agentCapabilities?: { readonly loadSession?: boolean };
}

/** Replaces the placeholders in the agent's command. */
export function filledCommand(
  command: readonly string[],
  { folder, directory, model, key }: Setting & { readonly key: string },
): string[] {
  const places: Readonly<Record<string, string>> = {
    address: model.address,
    origin: new URL(model.address).origin,
    model: model.name,
    folder,
    directory,
    key,
  };
  return command.map((word) =>
    word.replace(
      /\{(address|origin|model|folder|directory|key)\}/g,
      (whole, name) => places[name] ?? whole,
    ),
  );
}

/** Environment of the agent: its folders, and the model server for agents that speak OpenAI's protocol. */
export function agentEnvironment({
  folder,
  model,
  key,
}: Setting & { readonly key: string }): Record<string, string> {
  return {
    XDG_CONFIG_HOME: `${folder}/config`,
    XDG_DATA_HOME: `${folder}/data`,
    XDG_CACHE_HOME: `${folder}/cache`,
    XDG_STATE_HOME: `${folder}/state`,
    OPENAI_BASE_URL: model.address,
    OPENAI_API_KEY: key,
    OPENAI_MODEL: model.name,
  };
}

async function start(command: readonly string[], setting: Setting): Promise<Agent> {
  const { folder, directory } = setting;
  const known = { ...setting, key: "key-of-today" };
  watchHome(folder);
  const started = startProcess({
    command: filledCommand(command, known),
    directory,
    environment: { HOME: folder, ...agentEnvironment(known) },
  });
  const rpc = openJsonRpc<Asked>(stdioOf(started), { notified: () => {}, asked: answer });
  try {
    const wanted = { protocolVersion: 1, clientCapabilities: {} };
    const { agentCapabilities } = await rpc.request<Introduced>("initialize", wanted);
    return { process: started, rpc, loads: agentCapabilities?.loadSession === true };
  } catch (error) {
    await started.stop();
    endLeftBehind(folder);
    throw error;
  }
}

async function open(command: readonly string[], setting: Setting): Promise<RunningTarget> {
  let agent = await start(command, setting);
  let mcpServers: readonly object[] = [];
  const sessions = new Set<string>();
  const ends = new Map<string, Promise<Ending>>();
  const ask = async (sessionId: string, text: string): Promise<Ending> => {
    const wanted = { sessionId, prompt: [{ type: "text", text }] };
    const asked = agent.rpc.request<{ stopReason: string }>("session/prompt", wanted);
    const { stopReason } = await asked;
    return stopReason === "cancelled" ? "cancelled" : "completed";
  };
  return {
    calls: { command: foundCommand, agent: none, background: none, mcp: foundMcp },
    createSession: async () => {
      const wanted = { cwd: setting.directory, mcpServers };
      const created = agent.rpc.request<{ sessionId: string }>("session/new", wanted);
      const { sessionId } = await created.catch(expectNoSignIn);
      sessions.add(sessionId);
      return sessionId;
    },
    /** ACP does not acknowledge prompts: a prompt counts as sent when it is written. */
    submit: async (sessionId, { text }) => {
      const promptId = randomUUID();
      const end = ask(sessionId, text).catch((error: unknown): Ending => {
        setting.note?.(`answers the prompt with an error: ${String(error)}`);
        return "failed";
      });
      ends.set(promptId, end);
      return promptId;
    },
    ask,
    cancel: async (sessionId) => agent.rpc.notify("session/cancel", { sessionId }),
    cancelTree: none,
    ending: ({ promptId }) => ends.get(promptId) ?? none(),
    steer: none,
    openAsks: none,
    answer: none,
    follow: none,
    watch: none,
    /** Applies the config to sessions that are created from now on. */
    configure: async ({ mcp = {} }) => {
      mcpServers = serversOf(mcp);
      return { ended: null };
    },
    connect: none,
    close: none,
    another: none,
    get pid() {
      return agent.process.pid;
    },
    /** Kills the agent and its background processes. */
    kill: async () => {
      await agent.process.kill();
      endLeftBehind(setting.folder);
    },
    restart: async () => {
      agent = await start(command, setting);
      if (!agent.loads) {
        throw new NotOffered({ offer: "restart", why: "it does not load sessions" });
      }
      for (const sessionId of sessions) {
        await agent.rpc.request("session/load", {
          sessionId,
          cwd: setting.directory,
          mcpServers,
        });
      }
    },
    stop: async () => {
      await agent.process.stop();
      endLeftBehind(setting.folder);
    },
  };
}

/** An agent that needs a sign-in cannot be tested, because its home is a scratch folder without credentials. */
function expectNoSignIn(error: unknown): never {
  if (!(error instanceof Error && /\bauth|\bsign[ -]?in\b|\blog[ -]?in\b/i.test(error.message)))
    throw error;
  throw new NotStarted(
    `the agent wants a sign-in: ${error.message}. Give it any key in its command, for example: -- env MY_KEY=any my-agent`,
    { cause: error },
  );
}

function serversOf(mcp: NonNullable<ProjectConfig["mcp"]>): object[] {
  return Object.entries(mcp).map(([name, [command, ...args]]) => ({
    name,
    command,
    args,
    env: [],
  }));
}

function none(): never {
  throw new Error("ACP does not offer this");
}

interface Asked {
  readonly options?: readonly { readonly optionId: string; readonly kind: string }[];
}

/** Allows every permission request. */
function answer(method: string, { options = [] }: Asked): unknown {
  if (method !== "session/request_permission")
    throw new Error(`this client does not support ${method}`);
  const allow = options.find(({ kind }) => kind.startsWith("allow"));
  if (allow === undefined) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: allow.optionId } };
}
