import { setTimeout as delay } from "node:timers/promises";
import type { Ending, RunningTarget, Setting, Target } from "../target.ts";
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
import { createRest } from "./rest.ts";

/** opencode through its next interface (v2, routes below /api), which accepts prompts durably. */
export async function opencodeNextTarget(progress: (message: string) => void): Promise<Target> {
  const program = await opencodeProgram(progress);
  return {
    name: `opencode ${opencodeVersion} /api`,
    offers: {
      queue: true,
      runs: true,
      cancel: true,
      withdraw: { missing: "queued prompts cannot be withdrawn" },
      steer: true,
      outcome: true,
      lookup: true,
      promptIds: true,
      restart: true,
      recover: { missing: "an interrupted run is not resumed" },
      processes: true,
      subscribe: true,
      resume: true,
      commands: true,
      asks: true,
      agents: { missing: "the model has no tool for sub-agents" },
      background: { missing: "the model has no tool for sub-agents" },
      budget: { missing: "a prompt has no token limit" },
      config: { missing: "a new config needs a restart" },
      providers: { missing: "the key of a provider in a config cannot be changed" },
      close: { missing: "projects are not opened or closed" },
      mcp: { missing: "the model has no tools of MCP servers" },
    },
    start: async (setting) => {
      writeConfig(setting, { apiKey: "key-of-today" });
      return open(program, setting);
    },
  };
}

async function open(program: string, setting: Setting): Promise<RunningTarget> {
  const { directory, model } = setting;
  const server = await startOpencode(program, setting);
  const { call, json, send } = server;
  const prompts = new Map<string, string>();
  const interrupted = new Set<string>();
  /** opencode requires ids in its own format. */
  const idOf = (promptId: string): string => {
    const known = prompts.get(promptId) ?? (promptId.startsWith("msg_") ? promptId : messageId());
    prompts.set(promptId, known);
    return known;
  };
  const ready = async (): Promise<void> => {
    // Wait until the models are loaded: a prompt that is sent earlier is accepted but never answered.
    for (;;) {
      const { data } = await json<{ data: { providerID: string }[] }>("/api/model");
      if (data.some(({ providerID }) => providerID === provider)) return;
      await delay(20);
    }
  };
  const history = async (sessionId: string, signal: AbortSignal): Promise<WireEvent[]> => {
    const all: WireEvent[] = [];
    for (;;) {
      const after = all.at(-1)?.durable.seq;
      const path = `/api/session/${sessionId}/history?limit=100`;
      const more = after === undefined ? path : `${path}&after=${after}`;
      const { data, hasMore } = await json<Page>(more, { signal });
      all.push(...data);
      if (!hasMore) return all;
    }
  };
  const admit = async (
    sessionId: string,
    prompt: { text: string; promptId?: string; delivery: "queue" | "steer" },
  ): Promise<string> => {
    const { text, promptId = messageId(), delivery } = prompt;
    const body = { id: idOf(promptId), prompt: { text }, delivery };
    await send("POST", `/api/session/${sessionId}/prompt`, body);
    return promptId;
  };
  const ending: RunningTarget["ending"] = async ({ sessionId, promptId }, signal) => {
    const rested = createRest();
    for (let idle = 0; ;) {
      const events = await history(sessionId, signal);
      const found = endingIn(events, idOf(promptId));
      if (found !== null) return found;
      // A denied command ends the run, but OpenCode sends no event for the end of the run. So detect a session that
      // stays idle.
      const isStill = [stepEnded, "session.next.tool.failed"].includes(events.at(-1)?.type ?? "");
      const { data } = await json<{ data: Record<string, unknown> }>("/api/session/active", {
        signal,
      });
      const isIdle = data[sessionId] === undefined;
      idle = isStill && isIdle ? idle + 1 : 0;
      if (idle > 10) return "failed";
      if (rested(isIdle)) return "unanswered";
      if (interrupted.has(idOf(promptId))) return "cancelled";
      await delay(40, undefined, { signal });
    }
  };
  const eventsOf = async (
    sessionId: string,
    options: { after: string | null; signal: AbortSignal },
  ): Promise<ReadableStream<Uint8Array>> => {
    const { after, signal } = options;
    const place = after === null ? "" : `?after=${after}`;
    return bodyOf(await call(`/api/session/${sessionId}/event${place}`, { signal }));
  };
  await ready();
  return {
    calls: {
      command: (line) => ({ name: "bash", input: { command: line, description: "as asked" } }),
      agent: none,
      background: none,
      mcp: none,
    },
    createSession: async () => {
      const wanted = {
        model: { id: model.name, providerID: provider },
        location: { directory },
      };
      return (await send<{ data: { id: string } }>("POST", "/api/session", wanted)).data.id;
    },
    submit: (sessionId, prompt) => admit(sessionId, { ...prompt, delivery: "queue" }),
    steer: (sessionId, text) => admit(sessionId, { text, delivery: "steer" }),
    openAsks: async (sessionId) => {
      const path = `/api/session/${sessionId}/permission`;
      return (await json<{ data: { id: string }[] }>(path)).data.map(({ id }) => id);
    },
    answer: async ({ sessionId, askId, verdict }) => {
      const reply = verdict === "allow" ? "once" : "reject";
      await send("POST", `/api/session/${sessionId}/permission/${askId}/reply`, { reply });
    },
    ask: async (sessionId, text) => {
      const promptId = await admit(sessionId, { text, delivery: "queue" });
      return ending({ sessionId, promptId }, new AbortController().signal);
    },
    cancelTree: none,
    cancel: async (sessionId) => {
      await send("POST", `/api/session/${sessionId}/interrupt`, {});
      // The interrupt request returns after the run has ended, but the log may have no event for this end. So record
      // here which prompts were interrupted.
      const events = await history(sessionId, new AbortController().signal);
      for (const { type, data } of events) {
        const { messageID = "" } = data;
        if (type === prompted && endingIn(events, messageID) === null) interrupted.add(messageID);
      }
    },
    ending,
    follow: async function* follow({ sessionId, after, signal }) {
      try {
        const body = await eventsOf(sessionId, { after, signal });
        for await (const { durable, type } of eventsIn<Partial<WireEvent>>(body)) {
          if (durable !== undefined) yield { id: String(durable.seq), type: type ?? "" };
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    watch: async (sessionId, signal) => {
      const body = await eventsOf(sessionId, { after: null, signal });
      return { body, end: '"type":"session.next.step.ended"' };
    },
    configure: none,
    connect: none,
    close: none,
    another: () => open(program, setting),
    get pid() {
      return server.process.pid;
    },
    kill: () => server.process.kill(),
    restart: async () => {
      await server.restart();
      await ready();
    },
    stop: () => server.process.stop(),
  };
}

function none(): never {
  throw new Error("this target does not offer this feature");
}

interface WireEvent {
  readonly type: string;
  readonly durable: { readonly seq: number };
  readonly data: {
    readonly messageID?: string;
    readonly finish?: string;
    readonly error?: { readonly message: string };
  };
}

interface Page {
  readonly data: readonly WireEvent[];
  readonly hasMore: boolean;
}

const prompted = "session.next.prompted";
const stepEnded = "session.next.step.ended";

/**
 * Returns how a prompt ended. The last step after this prompt and before the next prompt decides. Null: it has not
 * ended.
 */
function endingIn(events: readonly WireEvent[], messageId: string): Ending | null {
  const isPrompt = ({ type }: WireEvent): boolean => type === prompted;
  const begin = events.findIndex((event) => isPrompt(event) && event.data.messageID === messageId);
  if (begin < 0) return null;
  const rest = events.slice(begin + 1);
  const next = rest.findIndex(isPrompt);
  const steps = (next < 0 ? rest : rest.slice(0, next)).filter(({ type }) =>
    /^session\.next\.step\.(started|ended|failed)$/.test(type),
  );
  const last = steps.at(-1);
  if (last === undefined) return null;
  if (last.type === "session.next.step.failed") {
    return last.data.error?.message.includes("interrupted") === true ? "cancelled" : "failed";
  }
  const isOver = last.type === stepEnded && last.data.finish !== "tool-calls";
  return isOver ? "completed" : null;
}
