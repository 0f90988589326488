import { fieldsOf, RpcError } from "../../base/json-rpc.ts";
import type { Clock } from "../../base/time.ts";
import type { Usage } from "../../kernel/state.ts";
import type { Fact } from "../agent.ts";
import type { AgentChoices } from "./agent-choices.ts";
import { AgentGone, startAgent } from "./agent-process.ts";
import type { AgentProcess, ProcessOptions } from "./agent-process.ts";
import type { OpenDoor, TurnTasks } from "./door.ts";
import { inTime } from "./in-time.ts";
import { createSink } from "./message-sink.ts";
import type { Sink } from "./message-sink.ts";
import type { TurnQueue } from "./turn-queue.ts";
import type { CallUpdate, Update } from "./updates.ts";

/** A session of a hosted agent: one process with one ACP session (H5). */
export interface ForeignSession {
  readonly id: string;
  /** Name and version that the agent reports about itself. */
  readonly software: string;
  readonly features: Features;
  /** Tasks that the agent starts through Holdfast's MCP server. */
  readonly tasks: TurnTasks;
  /** The models, modes and commands that the agent offers now. */
  choices(): AgentChoices;
  /**
   * Sets the model or the mode of the agent's session. Ends the process if the agent does not answer in time or the
   * signal aborts, because it is then unknown what the agent uses.
   */
  choose(what: "model" | "mode", id: string, signal: AbortSignal): Promise<void>;
  /**
   * The agent's earlier updates, which it repeats when it loads a session. Null if the session is new or has
   * received a prompt from this process.
   */
  replay(): readonly Update[] | null;
  /** Id of the last turn that this process has received; null: none. */
  lastTurn(): string | null;
  isOver(): boolean;
  /**
   * True while a prompt waits for the agent's response; with `turn`, only if it is the prompt of this turn. Until the
   * response, no other prompt may be sent (H5).
   */
  isBusy(turn?: TurnQueue<TurnEvent>): boolean;
  /** Sends the prompt of a turn. The last event in the returned queue is `end`, `failed` or `gone`. */
  prompt(turnId: string, blocks: readonly object[]): TurnQueue<TurnEvent>;
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
  /** False if a second attempt cannot succeed, because the agent never loads sessions. */
  readonly mayRetry: boolean;
  constructor(message: string, { mayRetry = true } = {}) {
    super(message);
    this.name = "SessionNotLoaded";
    this.mayRetry = mayRetry;
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
  readonly clock: Clock;
  /** Called when the agent has ended a turn. */
  readonly onIdle: () => void;
}

const signInTimeout = 600_000;

/** Starts the agent and opens a session. Ends the process if opening fails. */
export async function openForeignSession(options: OpenOptions): Promise<ForeignSession> {
  const sink = createSink(options);
  const { signal, clock } = options;
  signal.throwIfAborted();
  const agent = await startAgent({ ...options, ...sink.handlers });
  void agent.ended.then(() => options.door?.close());
  sink.attach(agent);
  const stop = (): void => void agent.close("now");
  signal.addEventListener("abort", stop, { once: true });
  try {
    signal.throwIfAborted();
    const { features, software, methods } = await introduce(agent, options);
    if (options.signIn !== null) {
      const request = agent.peer.request("authenticate", { methodId: options.signIn });
      await inTime(request, { what: "the sign-in", milliseconds: signInTimeout, clock });
    }
    const id = await openSession(agent, options, { features, methods, sink });
    if (options.load !== null) await sink.untilQuiet(signal);
    const { tasks } = options;
    return { ...sink.session(id), id, software, features, tasks, pid: agent.pid };
  } catch (error) {
    await agent.close("now");
    throw signal.aborted ? error : withStderr(error, agent);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function withStderr(error: unknown, agent: AgentProcess): unknown {
  const printed = agent.stderr().trim().split("\n").slice(-3).join("\n");
  if (printed === "") return error;
  const output = `its last output: ${printed.slice(-500)}`;
  if (error instanceof SessionNotLoaded) {
    return new SessionNotLoaded(`${error.message}; ${output}`, error);
  }
  if (error instanceof AgentGone) return new AgentGone(`${error.message}; ${output}`, error);
  return error;
}

async function introduce(
  { peer }: AgentProcess,
  { version, clock }: OpenOptions,
): Promise<{ features: Features; software: string; methods: readonly SignInMethod[] }> {
  const fs = { readTextFile: false, writeTextFile: false };
  const answer = await inTime(
    peer.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: { fs, terminal: false },
      clientInfo: { name: "holdfast", title: "Holdfast", version },
    }),
    { what: "initialize", clock },
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
  { load, cwd, door, clock, signal }: OpenOptions,
  known: { features: Features; methods: readonly SignInMethod[]; sink: Sink },
): Promise<string> {
  const { features, methods, sink } = known;
  const mcpServers = features.http && door !== null ? [serverOf(door)] : [];
  try {
    if (load === null) {
      const request = peer.request("session/new", { cwd, mcpServers });
      const answer = await inTime(request, { what: "session/new", clock });
      const { sessionId } = fieldsOf(answer);
      sink.offer(answer);
      if (typeof sessionId !== "string" || sessionId === "" || sessionId.length > 1_000) {
        throw new AgentGone("the agent opened a session without an id");
      }
      sink.bind(sessionId);
      return sessionId;
    }
    if (!features.loads) {
      throw new SessionNotLoaded("the agent cannot load earlier sessions", { mayRetry: false });
    }
    sink.bind(load);
    sink.startReplay();
    const request = peer.request("session/load", { sessionId: load, cwd, mcpServers });
    sink.offer(await inTime(request, { what: "session/load", clock }));
    return load;
  } catch (error) {
    if (needsSignIn(error)) throw new SignInNeeded(error.message, methods);
    // A crash or a hang during the load counts as a failed load, so that it does not block the session for ever.
    const isLoadError = error instanceof RpcError || error instanceof AgentGone;
    if (load === null || !isLoadError || signal.aborted) throw error;
    throw new SessionNotLoaded(`the agent could not load its session: ${error.message}`);
  }
}

/** Describes Holdfast's MCP server in the format of ACP. */
function serverOf({ url, secret }: OpenDoor): object {
  const headers = [{ name: "Authorization", value: `Bearer ${secret}` }];
  return { type: "http", name: "holdfast", url, headers };
}
