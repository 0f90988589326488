import { setTimeout as delay } from "node:timers/promises";
import type { Change, Ending, ProjectConfig, RunningTarget, Setting, Target } from "../target.ts";
import { bodyOf } from "./event-frames.ts";
import {
  eventsIn,
  messageId,
  opencodeProgram,
  opencodeVersion,
  provider,
  startOpencode,
  writeConfig,
} from "./opencode-server.ts";
import type { OpencodeServer } from "./opencode-server.ts";
import { createRest } from "./rest.ts";

/** opencode over HTTP, through the routes that its own clients use. */
export async function opencodeTarget(progress: (message: string) => void): Promise<Target> {
  const program = await opencodeProgram(progress);
  return {
    name: `opencode ${opencodeVersion}`,
    offers: {
      queue: true,
      runs: { missing: "a prompt to a busy session joins the active run" },
      cancel: true,
      withdraw: true,
      steer: true,
      outcome: true,
      lookup: true,
      promptIds: {
        missing: "a client may choose a message's id, but repeated requests may count twice",
      },
      restart: true,
      recover: { missing: "an interrupted run is not resumed" },
      processes: true,
      subscribe: true,
      resume: { missing: "its event stream contains only new events" },
      commands: true,
      asks: true,
      agents: true,
      background: { missing: "a run always waits for its sub-agents" },
      budget: { missing: "a prompt has no token limit" },
      config: true,
      providers: true,
      close: { missing: "closing also ends the active runs" },
      mcp: true,
    },
    start: async (setting) => {
      writeConfig(setting);
      return open(program, setting);
    },
  };
}

async function open(program: string, setting: Setting): Promise<RunningTarget> {
  const server = await startOpencode(program, setting);
  const { call, json, send } = server;
  const messages = (sessionId: string, signal?: AbortSignal): Promise<Message[]> =>
    json(`/session/${sessionId}/message`, signal === undefined ? {} : { signal });
  const submit = async (sessionId: string, text: string): Promise<string> => {
    const messageID = messageId();
    const body = { messageID, parts: [{ type: "text", text }] };
    await send("POST", `/session/${sessionId}/prompt_async`, body);
    return messageID;
  };
  /** Prompts that a cancel withdrew. */
  const withdrawn = new Set<string>();
  await send("PUT", `/auth/${provider}`, { type: "api", key: "key-of-today" });
  return {
    calls: {
      command: (line) => ({ name: "bash", input: { command: line, description: "as asked" } }),
      agent: (text) => ({
        name: "task",
        input: { description: "as asked", prompt: text, subagent_type: "general" },
      }),
      background: none,
      mcp: (name, tool) => ({ name: `${name}_${tool}`, input: {} }),
    },
    createSession: async () => (await send<{ id: string }>("POST", "/session", {})).id,
    submit: (sessionId, { text }) => submit(sessionId, text),
    // A prompt to a busy session is included in the next model call.
    steer: submit,
    openAsks: async (sessionId) => {
      const open = await json<{ id: string; sessionID: string }[]>("/permission");
      return open.filter(({ sessionID }) => sessionID === sessionId).map(({ id }) => id);
    },
    answer: async ({ askId, verdict }) => {
      const reply = verdict === "allow" ? "once" : "reject";
      await send("POST", `/permission/${askId}/reply`, { reply });
    },
    ask: async (sessionId, text) => {
      const body = { parts: [{ type: "text", text }] };
      const { info } = await send<Message>("POST", `/session/${sessionId}/message`, body);
      return endingOf(info) ?? "failed";
    },
    cancelTree: none,
    cancel: async (sessionId) => {
      const before = messageId();
      await send("POST", `/session/${sessionId}/abort`, {});
      // Delete queued prompts: they are part of the conversation and would be answered with the next prompt.
      const all = (await messages(sessionId)).map(({ info }) => info);
      const waiting = all.filter(({ role, id }) => role === "user" && endingIn(all, id) === null);
      for (const { id } of waiting.filter((message) => message.id < before)) {
        const { ok } = await call(`/session/${sessionId}/message/${id}`, { method: "DELETE" });
        // opencode refuses to delete the message if the session is busy again.
        if (ok) withdrawn.add(id);
      }
    },
    ending: async ({ sessionId, promptId }, signal) => {
      const rested = createRest();
      for (let idle = 0; ;) {
        const all = (await messages(sessionId, signal)).map(({ info }) => info);
        const ending = endingIn(all, promptId);
        if (ending !== null) return ending;
        // A denied command ends the run, but OpenCode sends no event for the end of the run. So detect a session that
        // stays idle.
        const isStill = all.findLast(({ parentID }) => parentID === promptId)?.time.completed;
        const busy = await json<Record<string, unknown>>("/session/status", { signal });
        const isIdle = busy[sessionId] === undefined;
        idle = isStill !== undefined && isIdle ? idle + 1 : 0;
        if (idle > 10) return "failed";
        if (rested(isIdle)) return "unanswered";
        const isGone = !all.some(({ id, parentID }) => id === promptId || parentID === promptId);
        if (isGone && withdrawn.has(promptId)) return "cancelled";
        await delay(40, undefined, { signal });
      }
    },
    follow: async function* follow({ sessionId, signal }) {
      try {
        const body = bodyOf(await call("/event", { signal }));
        for await (const event of eventsIn<WireEvent>(body)) {
          if (event.properties?.sessionID === sessionId)
            yield { id: event.id ?? "", type: event.type };
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    watch: async (_sessionId, signal) => {
      return { body: bodyOf(await call("/event", { signal })), end: '"type":"session.idle"' };
    },
    configure: (changed) =>
      disposing(call, async () => void (await send("PATCH", "/global/config", changes(changed)))),
    connect: (key) =>
      disposing(call, async () => {
        await send("PUT", `/auth/${provider}`, { type: "api", key });
        // Close all projects, because opencode reads a key only when it opens a project.
        await send("POST", "/global/dispose", {});
      }),
    close: () => disposing(call, async () => void (await send("POST", "/global/dispose", {}))),
    reconnect: (name) => send("POST", `/mcp/${name}/connect`, {}),
    another: () => open(program, setting),
    get pid() {
      return server.process.pid;
    },
    kill: () => server.process.kill(),
    restart: () => server.restart(),
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

/**
 * Returns how a prompt ended, from its own answer. OpenCode may answer several waiting prompts with one answer to the
 * last of them; in that case, uses that answer. Null: the prompt has not ended.
 */
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

/**
 * Runs `change`. In the result, `ended` resolves when opencode reports that it has disposed of everything that was
 * open.
 */
async function disposing(
  call: OpencodeServer["call"],
  change: () => Promise<void>,
): Promise<Change> {
  const leave = new AbortController();
  const body = bodyOf(await call("/global/event", { signal: leave.signal }));
  const disposed = async (): Promise<void> => {
    for await (const event of eventsIn<WireEvent>(body)) {
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

function none(): never {
  throw new Error("this target does not offer this feature");
}
