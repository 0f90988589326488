import { fieldsOf, RpcError, rpcCodes } from "../../base/json-rpc.ts";
import { withTimeout } from "../../base/time.ts";
import type { Usage } from "../../kernel/state.ts";
import type { Fact } from "../agent.ts";
import { choiceRequest, noChoices, readChoices, updateChoices } from "./agent-choices.ts";
import type { AgentChoices } from "./agent-choices.ts";
import { AgentGone, startAgent } from "./agent-process.ts";
import type { AgentProcess, ProcessOptions } from "./agent-process.ts";
import type { OpenDoor, TurnTasks } from "./door.ts";
import { endOf, failureOf } from "./turn-end.ts";
import { createTurnQueue } from "./turn-queue.ts";
import type { TurnQueue } from "./turn-queue.ts";
import { readCall, readUpdate } from "./updates.ts";
import type { CallUpdate, Update } from "./updates.ts";

/** A session of a hosted agent: one process with one ACP session (H5). */
export interface ForeignSession {
  readonly id: string;
  /** Name and version that the agent reports about itself. */
  readonly software: string;
  readonly features: Features;
  /** The agent's earlier updates, which it repeats when it loads a session. Null if the session is new. */
  readonly replay: readonly Update[] | null;
  /** Tasks that the agent starts through Holdfast's MCP server. */
  readonly tasks: TurnTasks;
  /** The models, modes and commands that the agent offers now. */
  choices(): AgentChoices;
  /** Sets the model or the mode of the agent's session. */
  choose(what: "model" | "mode", id: string): Promise<void>;
  isOver(): boolean;
  /**
   * True while a prompt waits for the agent's response; with `turn`, only if it is the prompt of this turn. Until the
   * response, no other prompt may be sent (H5).
   */
  isBusy(turn?: TurnQueue<TurnEvent>): boolean;
  /** Sends a prompt. The last event in the returned queue is `end`, `failed` or `gone`. */
  prompt(blocks: readonly object[]): TurnQueue<TurnEvent>;
  cancel(): void;
  /** Sends a prompt to join the active turn. Returns true if the agent has accepted it (H6). */
  steer(blocks: readonly object[]): Promise<boolean>;
  /** Returns the text that arrived outside of a turn since the last call (H7). */
  takeStray(): string;
  readonly pid: number | null;
  close(how: "gently" | "now"): Promise<void>;
}

export interface Features {
  readonly loads: boolean;
  readonly steers: boolean;
  readonly images: boolean;
  readonly embeds: boolean;
  /** True if the agent can use an MCP server over HTTP. */
  readonly http: boolean;
}

/** The answer to a permission request. `cancel`: the turn was cancelled before a person answered. */
export type Verdict = "allow" | "deny" | "cancel";

export type TurnEvent =
  | { readonly type: "update"; readonly update: Update }
  | {
      readonly type: "permission";
      readonly call: CallUpdate;
      readonly answer: (verdict: Verdict) => void;
      /** False if the agent offers no way to allow the call only once. */
      readonly canAllow: boolean;
      /** Aborts if the agent withdraws the request. */
      readonly signal: AbortSignal;
    }
  | { readonly type: "end"; readonly stopReason: string; readonly usage: Usage | null }
  | { readonly type: "failed"; readonly error: Error }
  | { readonly type: "gone"; readonly reason: string }
  /**
   * A function that Holdfast adds to the queue of the agent's messages, such as the handling of a person's answer, so
   * that messages and functions are handled in order.
   */
  | { readonly type: "note"; readonly handle: () => AsyncGenerator<Fact> | null };

/** Thrown if the agent requires a sign-in before it opens a session. */
export class SignInNeeded extends Error {
  readonly methods: readonly SignInMethod[];
  constructor(message: string, methods: readonly SignInMethod[]) {
    super(message);
    this.name = "SignInNeeded";
    this.methods = methods;
  }
}

export interface SignInMethod {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** Thrown if the agent cannot load the requested session (H3). */
export class SessionNotLoaded extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SessionNotLoaded";
  }
}

export interface OpenOptions extends Omit<ProcessOptions, "asked" | "notified"> {
  /** Id of the session to load; null: open a new one. */
  readonly load: string | null;
  readonly version: string;
  /** Sign-in method to use before the session is opened; null: none. */
  readonly signIn: string | null;
  readonly tasks: TurnTasks;
  /** The agent's access to Holdfast's MCP server; null: none. The access ends when the agent's process ends. */
  readonly door: OpenDoor | null;
  /** If it aborts before the session is open, the agent's process is terminated. */
  readonly signal: AbortSignal;
}

const handshakeTimeout = 60_000;
const signInTimeout = 600_000;

/** Starts the agent and opens a session. Ends the process if opening fails. */
export async function openForeignSession(options: OpenOptions): Promise<ForeignSession> {
  const sink = createSink();
  const { signal } = options;
  signal.throwIfAborted();
  const agent = await startAgent({ ...options, ...sink.handlers });
  void agent.ended.then(() => options.door?.close());
  sink.attach(agent);
  const stop = (): void => void agent.close("now");
  signal.addEventListener("abort", stop, { once: true });
  try {
    signal.throwIfAborted();
    const { features, software, methods } = await introduce(agent, options.version);
    if (options.signIn !== null) {
      const request = agent.peer.request("authenticate", { methodId: options.signIn });
      await inTime(request, { what: "the sign-in", milliseconds: signInTimeout });
    }
    const id = await openSession(agent, options, { features, methods, sink });
    const replay = options.load === null ? null : sink.takeReplay();
    const { tasks } = options;
    return { ...sink.session(id), id, software, features, replay, tasks, pid: agent.pid };
  } catch (error) {
    await agent.close("now");
    throw signal.aborted ? error : withStderr(error, agent);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function inTime<Value>(
  work: Promise<Value>,
  options: { what: string; milliseconds?: number },
): Promise<Value> {
  const { what, milliseconds = handshakeTimeout } = options;
  const late = (): never => {
    throw new AgentGone(`the agent did not answer ${what} within ${milliseconds / 1_000} s`);
  };
  return withTimeout(work, { milliseconds, late });
}

function withStderr(error: unknown, agent: AgentProcess): unknown {
  const printed = agent.stderr().trim().split("\n").slice(-3).join("\n");
  if (!(error instanceof AgentGone) || printed === "") return error;
  return new AgentGone(`${error.message}; its last output: ${printed.slice(-500)}`);
}

async function introduce(
  { peer }: AgentProcess,
  version: string,
): Promise<{ features: Features; software: string; methods: readonly SignInMethod[] }> {
  const fs = { readTextFile: false, writeTextFile: false };
  const answer = await inTime(
    peer.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: { fs, terminal: false },
      clientInfo: { name: "holdfast", title: "Holdfast", version },
    }),
    { what: "initialize" },
  );
  const { protocolVersion, agentCapabilities, agentInfo, authMethods, _meta } = fieldsOf(answer);
  if (protocolVersion !== 1) {
    throw new AgentGone(`the agent speaks version ${String(protocolVersion)} of ACP, not 1`);
  }
  const capabilities = fieldsOf(agentCapabilities);
  const prompts = fieldsOf(capabilities["promptCapabilities"]);
  const info = fieldsOf(agentInfo);
  const steering = [_meta, capabilities["_meta"]].map((meta) => fieldsOf(meta)["steering"]);
  const methods = Array.isArray(authMethods) ? authMethods : [];
  return {
    features: {
      loads: capabilities["loadSession"] === true,
      steers: steering.some((entry) => fieldsOf(entry)["supported"] === true),
      images: prompts["image"] === true,
      embeds: prompts["embeddedContext"] === true,
      http: fieldsOf(capabilities["mcpCapabilities"])["http"] === true,
    },
    software: [info["name"], info["version"]].filter((part) => typeof part === "string").join(" "),
    methods: methods.flatMap(signInMethod),
  };
}

function signInMethod(method: unknown): SignInMethod[] {
  const { id, name, description, type = "agent" } = fieldsOf(method);
  if (typeof id !== "string" || type !== "agent") return [];
  const title = typeof name === "string" ? name : id;
  return [{ id, name: title, description: typeof description === "string" ? description : "" }];
}

/** JSON-RPC error code of ACP: the user must sign in before the request can succeed. */
const authRequired = -32_000;

export function needsSignIn(error: unknown): error is RpcError {
  return error instanceof RpcError && error.code === authRequired;
}

async function openSession(
  { peer }: AgentProcess,
  { load, cwd, door }: OpenOptions,
  known: { features: Features; methods: readonly SignInMethod[]; sink: Sink },
): Promise<string> {
  const { features, methods, sink } = known;
  const mcpServers = features.http && door !== null ? [serverOf(door)] : [];
  try {
    if (load === null) {
      const answer = await inTime(peer.request("session/new", { cwd, mcpServers }), {
        what: "session/new",
      });
      const { sessionId } = fieldsOf(answer);
      sink.offer(answer);
      if (typeof sessionId !== "string" || sessionId === "" || sessionId.length > 1_000) {
        throw new AgentGone("the agent opened a session without an id");
      }
      return sessionId;
    }
    if (!features.loads) throw new SessionNotLoaded("the agent cannot load earlier sessions");
    sink.startReplay();
    const request = peer.request("session/load", { sessionId: load, cwd, mcpServers });
    sink.offer(await inTime(request, { what: "session/load" }));
    return load;
  } catch (error) {
    if (needsSignIn(error)) throw new SignInNeeded(error.message, methods);
    if (!(error instanceof RpcError)) throw error;
    if (load === null) throw error;
    throw new SessionNotLoaded(`the agent could not load its session: ${error.message}`);
  }
}

/** Describes Holdfast's MCP server in the format of ACP. */
function serverOf({ url, secret }: OpenDoor): object {
  const headers = [{ name: "Authorization", value: `Bearer ${secret}` }];
  return { type: "http", name: "holdfast", url, headers };
}

interface Sink {
  readonly handlers: Pick<ProcessOptions, "asked" | "notified">;
  attach(agent: AgentProcess): void;
  startReplay(): void;
  takeReplay(): readonly Update[];
  /**
   * Reads the models and modes that the agent offers from the agent's response to the request that opened the session.
   */
  offer(answer: unknown): void;
  session(
    id: string,
  ): Omit<ForeignSession, "id" | "software" | "features" | "replay" | "tasks" | "pid">;
}

const maxStray = 4_000;
const maxReplay = 100_000;

/**
 * Creates the receiver of the agent's messages. It adds each message to the active turn, to the replay of a loaded
 * session, or to the text outside of turns.
 */
function createSink(): Sink {
  let process: AgentProcess | null = null;
  let turn: TurnQueue<TurnEvent> | null = null;
  let replay: Update[] | null = null;
  let stray = "";
  let choices: AgentChoices = noChoices;
  const agent = (): AgentProcess => {
    if (process === null) throw new Error("the agent has not started");
    return process;
  };
  const update = (params: unknown): void => {
    const { update: sent } = fieldsOf(params);
    choices = updateChoices(choices, sent);
    const read = readUpdate(sent);
    if (read === null) return;
    if (turn !== null) turn.push({ type: "update", update: read });
    else if (replay !== null) {
      if (replay.length < maxReplay) replay.push(read);
    } else if (read.type === "text") stray = `${stray}${read.text}`.slice(-maxStray);
    else if (read.type === "call" && read.call.title !== undefined) {
      stray = `${stray}\n[${read.call.title}]\n`.slice(-maxStray);
    }
  };
  return {
    attach: (started) => {
      process = started;
    },
    startReplay: () => {
      replay = [];
    },
    takeReplay: () => {
      const taken = replay ?? [];
      replay = null;
      return taken;
    },
    offer: (answer) => {
      // Keep the commands, because they may have arrived before the response.
      choices = { ...readChoices(answer), commands: choices.commands };
    },
    handlers: {
      notified: (method, params) => {
        if (method === "session/update") update(params);
      },
      asked: async (method, params, signal) => {
        if (method === "session/request_permission") return requested({ turn, params, signal });
        throw new RpcError({
          code: rpcCodes.unknownMethod,
          message: `Holdfast does not offer ${method}`,
        });
      },
    },
    session: (sessionId) => ({
      isOver: () => agent().isOver(),
      choices: () => choices,
      choose: async (what, id) => {
        const [method, params] = choiceRequest(choices, { what, id });
        const request = agent().peer.request(method, { sessionId, ...params });
        const answer = await inTime(request, { what: method });
        choices = updateChoices(
          { ...choices, [what]: id },
          { sessionUpdate: "config_option_update", ...fieldsOf(answer) },
        );
      },
      isBusy: (given = turn ?? undefined) => turn !== null && turn === given,
      prompt: (blocks) => {
        const queue = createTurnQueue<TurnEvent>(() => agent().pause());
        turn = queue;
        const end = (event: TurnEvent): void => {
          if (turn !== queue) return;
          turn = null;
          queue.push(event);
        };
        agent()
          .peer.request("session/prompt", { sessionId, prompt: blocks })
          .then(
            (answer) => end(endOf(answer)),
            (error: unknown) => end(failureOf(error)),
          );
        return queue;
      },
      cancel: () => agent().peer.notify("session/cancel", { sessionId }),
      steer: async (blocks) => {
        const answer = await agent().peer.request("_session/steering", {
          sessionId,
          prompt: blocks,
          _meta: { steering: { idleBehavior: "promptRequired" } },
        });
        return fieldsOf(answer)["outcome"] === "injected";
      },
      takeStray: () => {
        const taken = stray.trim();
        stray = "";
        return taken;
      },
      close: (how) => agent().close(how),
    }),
  };
}

/** Passes a permission request to the active turn. Outside of a turn it is denied (H7). */
function requested(request: {
  turn: TurnQueue<TurnEvent> | null;
  params: unknown;
  signal: AbortSignal;
}): Promise<object> {
  const { turn, params, signal } = request;
  const { toolCall, options } = fieldsOf(params);
  const call = readCall(toolCall);
  const offered = Array.isArray(options) ? options : [];
  // Never choose the agent's own "always" options: Holdfast stores remembered answers as its own rules (H4).
  const optionOf = (kind: string): string | null => {
    const found = offered.map(fieldsOf).find((option) => option["kind"] === kind);
    return typeof found?.["optionId"] === "string" ? found["optionId"] : null;
  };
  const kinds = { allow: "allow_once", deny: "reject_once", cancel: "" } as const;
  const outcomeOf = (verdict: Verdict): object => {
    const optionId = optionOf(kinds[verdict]);
    if (optionId === null) return { outcome: { outcome: "cancelled" } };
    return { outcome: { outcome: "selected", optionId } };
  };
  if (turn === null || call === null) return Promise.resolve(outcomeOf("deny"));
  return new Promise((resolve) => {
    const answer = (verdict: Verdict): void => resolve(outcomeOf(verdict));
    const canAllow = optionOf(kinds.allow) !== null;
    turn.push({ type: "permission", call, answer, canAllow, signal });
  });
}
