import { randomUUID } from "node:crypto";
import type { Ending, Offers, RunningTarget, Setting, Target } from "../target.ts";
import { openJsonRpc, stdioOf } from "./json-rpc.ts";
import type { JsonRpc } from "./json-rpc.ts";
import { startProcess } from "./target-process.ts";
import type { TargetProcess } from "./target-process.ts";

/**
 * Any agent that speaks ACP over stdio. Its command may name `{address}`, `{model}`, `{folder}` and
 * `{directory}`, also inside of a word; OPENAI_BASE_URL and the like are set as well.
 */
export async function acpTarget(command: readonly string[]): Promise<Target> {
  const sequence = { missing: "ACP sends one prompt after the other" };
  const offers: Offers = {
    queue: sequence,
    runs: sequence,
    cancel: true,
    withdraw: sequence,
    steer: sequence,
    outcome: true,
    lookup: { missing: "ACP tells a prompt's end to who sent it, once" },
    promptIds: { missing: "in ACP prompts have no ids" },
    restart: { missing: "ACP knows nothing of prompts that were cut off" },
    processes: { missing: "an ACP agent is one client's own" },
    subscribe: { missing: "an ACP agent has one client" },
    resume: { missing: "an ACP agent has one client" },
    commands: { missing: "ACP does not say how the agent's tools are named" },
    asks: { missing: "ACP does not say how the agent's tools are named" },
    agents: { missing: "ACP does not say how the agent's tools are named" },
    config: { missing: "not a part of ACP" },
    providers: { missing: "not a part of ACP" },
    close: { missing: "not a part of ACP" },
    mcp: { missing: "ACP does not say how the agent's tools are named" },
  };
  return {
    name: `acp: ${spoken(command)}`,
    offers,
    start: (setting) => open(command, setting),
  };
}

/** A command without what `env` sets for it. */
function spoken(command: readonly string[]): string {
  const begin = command[0] === "env" ? command.findIndex((word) => !/^env$|=/.test(word)) : 0;
  return command.slice(Math.max(begin, 0)).join(" ");
}

async function open(command: readonly string[], setting: Setting): Promise<RunningTarget> {
  const { folder, directory, model } = setting;
  const places: Readonly<Record<string, string>> = {
    address: model.address,
    model: model.name,
    folder,
    directory,
  };
  const filled = command.map((word) =>
    word.replace(/\{(address|model|folder|directory)\}/g, (whole, name) => places[name] ?? whole),
  );
  const started = startProcess({
    command: filled,
    directory,
    environment: {
      HOME: folder,
      XDG_CONFIG_HOME: `${folder}/config`,
      XDG_DATA_HOME: `${folder}/data`,
      XDG_CACHE_HOME: `${folder}/cache`,
      XDG_STATE_HOME: `${folder}/state`,
      OPENAI_BASE_URL: model.address,
      OPENAI_API_KEY: "key-of-today",
      OPENAI_MODEL: model.name,
    },
  });
  const rpc = openJsonRpc<Asked>(stdioOf(started), { notified: () => {}, asked: answer });
  try {
    await rpc.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  } catch (error) {
    await started.stop();
    throw error;
  }
  return runningTarget({ started, rpc, directory });
}

function runningTarget(parts: {
  started: TargetProcess;
  rpc: JsonRpc;
  directory: string;
}): RunningTarget {
  const { started, rpc, directory } = parts;
  const ends = new Map<string, Promise<Ending>>();
  const ask = async (sessionId: string, text: string): Promise<Ending> => {
    const prompt = [{ type: "text", text }];
    const asked = rpc.request<{ stopReason: string }>("session/prompt", { sessionId, prompt });
    const { stopReason } = await asked;
    return stopReason === "cancelled" ? "cancelled" : "completed";
  };
  return {
    calls: { command: none, agent: none, mcp: none },
    createSession: async () => {
      const wanted = { cwd: directory, mcpServers: [] };
      const { sessionId } = await rpc.request<{ sessionId: string }>("session/new", wanted);
      return sessionId;
    },
    /** Nothing in ACP acknowledges a prompt: it counts as sent when it is written. */
    submit: async (sessionId, { text }) => {
      const promptId = randomUUID();
      ends.set(
        promptId,
        ask(sessionId, text).catch(() => "failed"),
      );
      return promptId;
    },
    ask,
    cancel: async (sessionId) => rpc.notify("session/cancel", { sessionId }),
    ending: ({ promptId }) => ends.get(promptId) ?? none(),
    steer: none,
    openAsks: none,
    answer: none,
    follow: none,
    watch: none,
    configure: none,
    connect: none,
    close: none,
    another: none,
    pid: started.pid,
    kill: () => started.kill(),
    restart: none,
    stop: () => started.stop(),
  };
}

function none(): never {
  throw new Error("not a part of ACP");
}

interface Asked {
  readonly options?: readonly { readonly optionId: string; readonly kind: string }[];
}

/** Nobody is there to be asked: whatever can be allowed is. */
function answer(method: string, { options = [] }: Asked): unknown {
  if (method !== "session/request_permission") throw new Error(`this client has no ${method}`);
  const allow = options.find(({ kind }) => kind.startsWith("allow"));
  if (allow === undefined) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: allow.optionId } };
}
