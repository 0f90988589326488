import { isAbsolute } from "node:path";
import { Refused } from "@holdfast/sdk";
import type { Holdfast, SessionDetail } from "@holdfast/sdk";
import { sleep } from "../../base/time.ts";
import { folderOf, isElsewhere } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import type { ConnectionChange } from "../connection.ts";
import { AcpSession } from "./acp-session.ts";
import { createSessionChoices } from "./session-choices.ts";
import type { SessionChoices } from "./session-choices.ts";
import { createGuide } from "./guide.ts";
import type { Guide } from "./guide.ts";
import { fieldsOf, rpcCodes, RpcError } from "../../base/json-rpc.ts";
import type { Peer } from "../../base/json-rpc.ts";
import { featuresOf, introduction, serverSignIn } from "./introduction.ts";
import type { EditorFeatures } from "./introduction.ts";
import { createOfferedServers } from "./offered-servers.ts";
import type { OfferedServers } from "./offered-servers.ts";
import { promptWords } from "./prompt-blocks.ts";
import { createPromptRequests } from "./prompt-requests.ts";
import type { EditorPrompt, PromptRequests } from "./prompt-requests.ts";
import type { ConfigOption } from "./protocol.ts";

/** Answers the requests and notifications of an editor. The editor's sessions are sessions of a Holdfast server. */
export interface AcpAgent {
  asked(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  notified(method: string, params: unknown): void;
  /**
   * Call when the connection to the Holdfast server is lost or restored. Informs the editor in sessions with a waiting
   * prompt.
   */
  connection(change: ConnectionChange): void;
  /**
   * Call when the editor has disconnected. Waits up to this many milliseconds for pending requests. Sessions continue
   * on the server.
   */
  leave(milliseconds: number): Promise<void>;
}

interface AgentOptions {
  readonly place: ClientOptions;
  readonly peer: Peer;
  /** Finds the server again, or starts one if there is none. */
  readonly connect: () => Promise<Holdfast>;
  readonly onError: (error: unknown) => void;
}

/** State of the agent. Each function below answers a request of the editor with these parts. */
interface Parts extends AgentOptions {
  features: EditorFeatures;
  readonly choices: SessionChoices;
  readonly guide: Guide;
  readonly servers: OfferedServers;
  /** Sessions that the editor has open or is opening. */
  readonly sessions: Map<string, Promise<AcpSession>>;
  readonly prompts: PromptRequests;
}

export function createAcpAgent(options: AgentOptions): AcpAgent {
  const parts = createParts(options);
  const { sessions, prompts } = parts;
  return {
    asked: (method, params, signal) => answer(parts, { method, params, signal }),
    notified: (method, params) => {
      if (method === "session/cancel") prompts.cancel(String(fieldsOf(params)["sessionId"]));
    },
    connection: (change) => prompts.connection(change),
    leave: async (milliseconds) => {
      const done = new AbortController();
      // When nothing is left to wait for, `done` aborts the sleep, and its promise rejects. Ignore that error.
      const over = sleep(milliseconds, { signal: done.signal }).catch(() => {});
      await Promise.race([prompts.accepted(), over]);
      const endings = [...sessions.values()].map(async (opening) => {
        const session = await opening;
        await Promise.race([session.cancelled(), over]);
        session.close();
      });
      // A session that could not be opened has nothing to close. A session that opens too late is closed then, because an
      // open stream would keep the process alive.
      await Promise.race([Promise.allSettled(endings), over]);
      done.abort();
    },
  };
}

function createParts(options: AgentOptions): Parts {
  const { place, peer, connect, onError } = options;
  const features = { editor: "editor", hasForms: false, hasTerminals: false };
  const choices = createSessionChoices({ connect, onError });
  const guide = createGuide({ choices, onError });
  const servers = createOfferedServers({
    peer,
    connect,
    editor: () => parts.features.editor,
    isElsewhere: isElsewhere(place),
    onError,
  });
  const sessions = new Map<string, Promise<AcpSession>>();
  const opened = (sessionId: string): Promise<AcpSession> => getOrOpen(parts, sessionId);
  const built = { ...options, choices, guide, servers, sessions };
  const prompts = createPromptRequests({ ...built, opened });
  const parts: Parts = { ...built, features, prompts };
  return parts;
}

async function answer(
  parts: Parts,
  { method, params, signal }: { method: string; params: unknown; signal: AbortSignal },
): Promise<unknown> {
  switch (method) {
    case "initialize":
      parts.features = featuresOf(params);
      return introduction();
    case "authenticate":
      return signIn(parts, params);
    case "session/new":
      return create(parts, params);
    case "session/load":
      return reopen(parts, params, "reported");
    case "session/resume":
      return reopen(parts, params, "known");
    case "session/set_config_option": {
      const { configId, value } = fieldsOf(params);
      return { configOptions: await set(parts, params, { configId, value }) };
    }
    case "session/set_mode":
      await set(parts, params, { configId: "mode", value: fieldsOf(params)["modeId"] });
      return {};
    case "session/list":
      return list(parts, params);
    case "session/prompt":
      return { stopReason: await parts.prompts.prompt(readPrompt(params), signal) };
    case "session/close":
      return close(parts, params);
    case "session/delete":
      return remove(parts, params);
    case "_session/steering":
      return steer(parts, params);
    default:
      throw new RpcError({
        code: rpcCodes.unknownMethod,
        message: `the method ${method} is not supported`,
      });
  }
}

/** Checks that the server accepts this client. Editors can skip this, because opening a session also checks it. */
async function signIn({ connect }: Parts, params: unknown): Promise<object> {
  const methodId = textOf(fieldsOf(params)["methodId"], "methodId");
  if (methodId !== serverSignIn.id) {
    throw invalid(`there is no sign-in method ${methodId}; use ${serverSignIn.id}`);
  }
  const holdfast = await connect();
  await holdfast.sessions.list({ limit: 1 });
  return {};
}

async function create(parts: Parts, params: unknown): Promise<object> {
  const { place, connect, servers, guide } = parts;
  const { cwd: directory } = readPlace({ sessionId: "", ...fieldsOf(params) }, place);
  const holdfast = await connect();
  const handle = await holdfast.sessions.create({ directory });
  const { sessionId } = handle;
  const session = await open(parts, sessionId, { past: "known", find: () => handle.get() });
  servers.opened(session, params);
  return { sessionId, ...(await guide.open(holdfast, session)) };
}

/** Opens an existing session again for an editor. */
async function reopen(parts: Parts, params: unknown, past: "reported" | "known"): Promise<object> {
  const { sessionId, cwd } = readPlace(params, parts.place);
  const find = async (holdfast: Holdfast): Promise<SessionDetail> => {
    const detail = await existing(holdfast, sessionId);
    if (detail.directory === cwd) return detail;
    throw invalid(
      `this session belongs to ${detail.directory}, not to ${cwd}; open that folder in the editor`,
    );
  };
  const session = await open(parts, sessionId, { past, find });
  parts.servers.opened(session, params);
  await session.ready();
  return parts.guide.open(await parts.connect(), session);
}

/** Opens a session for the editor. If the editor has opened the session before, closes the former one first. */
function open(
  parts: Parts,
  sessionId: string,
  how: { past: "reported" | "known"; find: (holdfast: Holdfast) => Promise<SessionDetail> },
): Promise<AcpSession> {
  const { peer, connect, sessions, choices, guide, onError } = parts;
  const former = sessions.get(sessionId);
  const opening = (async () => {
    (await former?.catch(() => null))?.close();
    const holdfast = await connect();
    const detail = await how.find(holdfast);
    const session: AcpSession = new AcpSession(holdfast, {
      peer,
      detail,
      past: how.past,
      features: parts.features,
      windowOf: (model) => choices.windowOf(detail.directory, model),
      onMode: () => choices.sendMode(sessionId),
      onAgent: () => choices.sendAgent(sessionId),
      onReport: () => guide.refresh(holdfast, session),
      onError,
    });
    return session;
  })();
  sessions.set(sessionId, opening);
  opening.catch(() => {
    if (sessions.get(sessionId) === opening) sessions.delete(sessionId);
  });
  return opening;
}

function getOrOpen(parts: Parts, sessionId: string): Promise<AcpSession> {
  const find = (holdfast: Holdfast): Promise<SessionDetail> => existing(holdfast, sessionId);
  return parts.sessions.get(sessionId) ?? open(parts, sessionId, { past: "known", find });
}

async function existing(holdfast: Holdfast, sessionId: string): Promise<SessionDetail> {
  const detail = await holdfast.session(sessionId).get();
  if (detail.status !== "deleted") return detail;
  const message = `session ${sessionId} was deleted`;
  throw new RpcError({ code: rpcCodes.notFound, message, data: { reason: "deleted" } });
}

async function set(
  { choices }: Parts,
  params: unknown,
  setting: { configId: unknown; value: unknown },
): Promise<readonly ConfigOption[]> {
  const sessionId = textOf(fieldsOf(params)["sessionId"], "sessionId");
  return choices.choose(sessionId, {
    configId: textOf(setting.configId, "configId"),
    value: textOf(setting.value, "value"),
  });
}

async function list({ place, connect }: Parts, params: unknown): Promise<object> {
  const { cwd, cursor } = fieldsOf(params);
  const after = typeof cursor === "string" ? cursor : undefined;
  const directory = typeof cwd === "string" ? readFolder(cwd, place) : undefined;
  const holdfast = await connect();
  const page = await holdfast.sessions.list({ archived: false, after, directory });
  const shown = page.items.filter(({ parent }) => parent === null);
  const items = shown.map(({ sessionId, directory: folder, title, updatedAt }) => ({
    sessionId,
    cwd: folder,
    title,
    updatedAt: new Date(updatedAt).toISOString(),
  }));
  return { sessions: items, ...(page.cursor === null ? {} : { nextCursor: page.cursor }) };
}

/** Adds a message to the active run. If no run is active, the editor decides whether the message is a new prompt. */
async function steer(parts: Parts, params: unknown): Promise<object> {
  const { choices, prompts, onError } = parts;
  const { sessionId, words } = readPrompt(params);
  const { steering } = fieldsOf(fieldsOf(params)["_meta"]);
  const { idleBehavior = "startNewTurn" } = fieldsOf(steering);
  const session = await getOrOpen(parts, sessionId);
  const named = choices.named(sessionId);
  if (await session.steer({ words, named })) return { outcome: "injected" };
  if (idleBehavior === "promptRequired") {
    return { outcome: "promptRequired", reason: "noRunningTurn" };
  }
  prompts.prompt({ sessionId, words }, new AbortController().signal).catch(onError);
  return { outcome: "startedNewTurn" };
}

/** Cancels only the prompts of this editor. The session and the prompts of other clients continue. */
async function close(parts: Parts, params: unknown): Promise<object> {
  const sessionId = textOf(fieldsOf(params)["sessionId"], "sessionId");
  if (!parts.sessions.has(sessionId)) throw notOpen(sessionId);
  parts.prompts.cancel(sessionId);
  await forget(parts, sessionId);
  return {};
}

async function remove(parts: Parts, params: unknown): Promise<object> {
  const sessionId = textOf(fieldsOf(params)["sessionId"], "sessionId");
  const holdfast = await parts.connect();
  await holdfast
    .session(sessionId)
    .delete()
    .catch((error: unknown) => {
      // The protocol expects success even if the session no longer exists.
      const isGone = error instanceof Refused && goneCodes.has(error.code);
      if (!isGone) throw error;
    });
  // Ends the prompts that were not sent yet.
  parts.prompts.cancel(sessionId);
  await forget(parts, sessionId);
  return {};
}

/** Forgets a session of this editor, after its prompts have ended. */
async function forget(parts: Parts, sessionId: string): Promise<void> {
  const opening = parts.sessions.get(sessionId);
  const session = await opening?.catch(() => null);
  await parts.prompts.ended(sessionId);
  session?.close();
  // If the editor has loaded the session again during this wait, the session stays open.
  if (parts.sessions.get(sessionId) !== opening) return;
  parts.sessions.delete(sessionId);
  parts.choices.forget(sessionId);
}

const goneCodes: ReadonlySet<string> = new Set(["unknownSession", "deleted"]);

function notOpen(sessionId: string): RpcError {
  const message = `session ${sessionId} is not open in this editor; load it first`;
  return new RpcError({ code: rpcCodes.notFound, message });
}

function readPrompt(params: unknown): EditorPrompt {
  const { sessionId, prompt } = fieldsOf(params);
  return { sessionId: textOf(sessionId, "sessionId"), words: promptWords(prompt) };
}

function readPlace(params: unknown, place: ClientOptions): { sessionId: string; cwd: string } {
  const { sessionId, cwd } = fieldsOf(params);
  const folder = readFolder(textOf(cwd, "cwd"), place);
  return { sessionId: textOf(sessionId, "sessionId"), cwd: folder };
}

function readFolder(cwd: string, place: ClientOptions): string {
  if (!isAbsolute(cwd)) throw invalid(`cwd must be an absolute path, not ${cwd}`);
  return folderOf(place, cwd);
}

function textOf(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  throw invalid(`${name} is missing`);
}

function invalid(message: string): RpcError {
  return new RpcError({ code: rpcCodes.invalidParams, message });
}
