import { isAbsolute } from "node:path";
import { Refused } from "@holdfast/sdk";
import type { Holdfast, SessionDetail } from "@holdfast/sdk";
import { sleep } from "../../base/time.ts";
import { folderOf, isElsewhere } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import type { ConnectionChange } from "../connection.ts";
import { createAbsence } from "./absence.ts";
import { openAcpSession } from "./acp-session.ts";
import type { AcpSession } from "./acp-session.ts";
import { createSessionChoices } from "./session-choices.ts";
import { createGuide } from "./guide.ts";
import { fieldsOf, rpcCodes, RpcError } from "../../base/json-rpc.ts";
import { featuresOf, introduction, serverSignIn } from "./introduction.ts";
import type { EditorFeatures } from "./introduction.ts";
import type { Peer } from "../../base/json-rpc.ts";
import { createOfferedServers } from "./offered-servers.ts";
import { promptWords } from "./prompt-blocks.ts";
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

export function createAcpAgent(options: {
  place: ClientOptions;
  peer: Peer;
  /** Finds the server again, or starts one if there is none. */
  connect: () => Promise<Holdfast>;
  onError: (error: unknown) => void;
}): AcpAgent {
  const { place, peer, connect, onError } = options;
  const sessions = new Map<string, Promise<AcpSession>>();
  const choices = createSessionChoices({ connect, onError });
  const guide = createGuide({ choices, onError });
  /** Prompts in progress, by session. A prompt is added as soon as it arrives, so that a cancel always finds it. */
  const prompting = new Map<string, Set<Prompting>>();
  const absence = createAbsence();
  let features: EditorFeatures = { editor: "editor", hasForms: false, hasTerminals: false };
  const servers = createOfferedServers({
    peer,
    connect,
    editor: () => features.editor,
    isElsewhere: isElsewhere(place),
    onError,
  });

  /**
   * Sends the agents, models and commands to the editor again, because the config may have changed during a run, or a
   * hosted agent has reported others. If sending fails, the editor keeps the old ones.
   */
  const refresh = (holdfast: Holdfast, session: AcpSession): void =>
    void guide.refresh(holdfast, session).catch(() => {});
  const open = (
    sessionId: string,
    how: { past: "reported" | "known"; find: (holdfast: Holdfast) => Promise<SessionDetail> },
  ): Promise<AcpSession> => {
    const former = sessions.get(sessionId);
    const onMode = (): void => choices.sendMode(sessionId);
    const onAgent = (): void => choices.sendAgent(sessionId);
    const opening = (async () => {
      (await former?.catch(() => null))?.close();
      const holdfast = await connect();
      const detail = await how.find(holdfast);
      const windowOf = (model: string): number | null => choices.windowOf(detail.directory, model);
      const { past } = how;
      const onReport = (): void => refresh(holdfast, session);
      const calls = { windowOf, onMode, onAgent, onReport, onError };
      const session = openAcpSession(holdfast, { peer, detail, past, features, ...calls });
      return session;
    })();
    sessions.set(sessionId, opening);
    opening.catch(() => {
      if (sessions.get(sessionId) === opening) sessions.delete(sessionId);
    });
    return opening;
  };
  const opened = (sessionId: string): Promise<AcpSession> => {
    const find = (holdfast: Holdfast): Promise<SessionDetail> => existing(holdfast, sessionId);
    return sessions.get(sessionId) ?? open(sessionId, { past: "known", find });
  };
  /** Opens an existing session again for an editor. */
  const reopen = async (params: unknown, past: "reported" | "known"): Promise<object> => {
    const { sessionId, cwd } = readPlace(params, place);
    const find = async (holdfast: Holdfast): Promise<SessionDetail> => {
      const detail = await existing(holdfast, sessionId);
      if (detail.directory === cwd) return detail;
      throw invalid(
        `this session belongs to ${detail.directory}, not to ${cwd}; open that folder in the editor`,
      );
    };
    const session = await open(sessionId, { past, find });
    servers.opened(session, params);
    await session.ready();
    return guide.open(await connect(), session);
  };
  const create = async (params: unknown): Promise<object> => {
    const { cwd: directory } = readPlace({ sessionId: "", ...fieldsOf(params) }, place);
    const holdfast = await connect();
    const handle = await holdfast.sessions.create({ directory });
    const { sessionId } = handle;
    const session = await open(sessionId, { past: "known", find: () => handle.get() });
    servers.opened(session, params);
    return { sessionId, ...(await guide.open(holdfast, session)) };
  };
  const prompt = async (params: unknown, signal: AbortSignal): Promise<object> => {
    const { sessionId, prompt: blocks } = fieldsOf(params);
    const id = textOf(sessionId, "sessionId");
    const words = promptWords(blocks);
    const named = choices.named(id);
    const cancel = new AbortController();
    const accepted = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const onAccepted = accepted.resolve;
    const prompts = prompting.get(id) ?? new Set();
    const promises = { accepted: accepted.promise, ended: ended.promise };
    const entry: Prompting = { cancel, ...promises, isWaiting: false };
    prompting.set(id, prompts.add(entry));
    try {
      const session = await opened(id);
      const holdfast = await connect();
      // Ignore the error here: the prompt below reports why the session could not be opened.
      await session.ready().catch(() => {});
      // Checks whether a server that was just started is reachable. If not, the loop below tries
      // again.
      if (absence.isNow()) await holdfast.health({ patience: 0 }).catch(() => {});
      entry.isWaiting = true;
      absence.notify(session);
      const cancelled = AbortSignal.any([cancel.signal, signal]);
      await servers.ready(session, cancelled);
      // A server that is stopping accepts no prompt. Once it has ended, `connect` starts another.
      const again = setInterval(() => {
        // If this fails, the interval tries again after `retryTime`.
        if (absence.isNow()) connect().catch(() => {});
      }, retryTime);
      void accepted.promise.then(() => clearInterval(again));
      const answer = session.prompt({ words, named, signal: cancelled, onAccepted });
      const onEnd = (): void => refresh(holdfast, session);
      answer.then(onEnd, onEnd);
      return { stopReason: await answer };
    } finally {
      onAccepted();
      ended.resolve();
      prompts.delete(entry);
      if (prompts.size === 0) prompting.delete(id);
    }
  };
  /** Adds a message to the active run. If no run is active, the editor decides whether the message is a new prompt. */
  const steer = async (params: unknown): Promise<object> => {
    const { sessionId, prompt: blocks, _meta } = fieldsOf(params);
    const id = textOf(sessionId, "sessionId");
    const words = promptWords(blocks);
    const { idleBehavior = "startNewTurn" } = fieldsOf(fieldsOf(_meta)["steering"]);
    const session = await opened(id);
    if (await session.steer({ words, named: choices.named(id) })) return { outcome: "injected" };
    if (idleBehavior === "promptRequired") {
      return { outcome: "promptRequired", reason: "noRunningTurn" };
    }
    prompt({ sessionId, prompt: blocks }, new AbortController().signal).catch(onError);
    return { outcome: "startedNewTurn" };
  };
  /** Forgets a session of this editor, after its prompts have ended. */
  const forget = async (sessionId: string): Promise<void> => {
    const session = await sessions.get(sessionId)?.catch(() => null);
    await Promise.all([...(prompting.get(sessionId) ?? [])].map(({ ended }) => ended));
    sessions.delete(sessionId);
    choices.forget(sessionId);
    servers.forget(sessionId);
    session?.close();
  };
  /** Cancels only the prompts of this editor. The session and the prompts of other clients continue. */
  const close = async (params: unknown): Promise<object> => {
    const sessionId = textOf(fieldsOf(params)["sessionId"], "sessionId");
    if (!sessions.has(sessionId)) throw notOpen(sessionId);
    cancelPrompts(sessionId);
    await forget(sessionId);
    return {};
  };
  const remove = async (params: unknown): Promise<object> => {
    const sessionId = textOf(fieldsOf(params)["sessionId"], "sessionId");
    const holdfast = await connect();
    await holdfast
      .session(sessionId)
      .delete()
      .catch((error: unknown) => {
        // The protocol expects success even if the session no longer exists.
        const isGone = error instanceof Refused && goneCodes.has(error.code);
        if (!isGone) throw error;
      });
    await forget(sessionId);
    return {};
  };
  const cancelPrompts = (sessionId: string): void => {
    // Ignore a session that could not be opened: it has no messages.
    sessions.get(sessionId)?.then(
      (session) => session.cancelSteered(),
      () => {},
    );
    for (const { cancel } of prompting.get(sessionId) ?? []) cancel.abort();
  };
  const list = async (params: unknown): Promise<object> => {
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
  };
  const connection = (change: ConnectionChange): void => {
    absence.note(change);
    for (const [sessionId, prompts] of prompting) {
      const isWaiting = [...prompts].some((prompt) => prompt.isWaiting);
      if (isWaiting)
        // Ignore a session that could not be opened: the caller that opened it got the error.
        sessions.get(sessionId)?.then(
          (session) => absence.notify(session),
          () => {},
        );
    }
  };
  /**
   * Checks that the server accepts this client. Opening a session makes the same check, so editors need not call
   * this.
   */
  const signIn = async (params: unknown): Promise<object> => {
    const methodId = textOf(fieldsOf(params)["methodId"], "methodId");
    if (methodId !== serverSignIn.id) {
      throw invalid(`there is no sign-in method ${methodId}; use ${serverSignIn.id}`);
    }
    const holdfast = await connect();
    await holdfast.sessions.list({ limit: 1 });
    return {};
  };
  const set = async (
    params: unknown,
    configId: unknown,
    value: unknown,
  ): Promise<readonly ConfigOption[]> => {
    const sessionId = textOf(fieldsOf(params)["sessionId"], "sessionId");
    return choices.choose(sessionId, {
      configId: textOf(configId, "configId"),
      value: textOf(value, "value"),
    });
  };
  return {
    asked: async (method, params, signal) => {
      switch (method) {
        case "initialize":
          features = featuresOf(params);
          return introduction();
        case "authenticate":
          return signIn(params);
        case "session/new":
          return create(params);
        case "session/load":
          return reopen(params, "reported");
        case "session/resume":
          return reopen(params, "known");
        case "session/set_config_option": {
          const { configId, value } = fieldsOf(params);
          return { configOptions: await set(params, configId, value) };
        }
        case "session/set_mode":
          await set(params, "mode", fieldsOf(params)["modeId"]);
          return {};
        case "session/list":
          return list(params);
        case "session/prompt":
          return prompt(params, signal);
        case "session/close":
          return close(params);
        case "session/delete":
          return remove(params);
        case "_session/steering":
          return steer(params);
        default:
          throw new RpcError({
            code: rpcCodes.unknownMethod,
            message: `the method ${method} is not supported`,
          });
      }
    },
    notified: (method, params) => {
      if (method === "session/cancel") cancelPrompts(String(fieldsOf(params)["sessionId"]));
    },
    connection,
    leave: async (milliseconds) => {
      const done = new AbortController();
      // When nothing is left to wait for, `done` aborts the sleep, and its promise rejects. Ignore that error.
      const over = sleep(milliseconds, { signal: done.signal }).catch(() => {});
      const prompts = [...prompting.values()].flatMap((set) => [...set]);
      await Promise.race([Promise.all(prompts.map(({ accepted }) => accepted)), over]);
      for (const opening of sessions.values()) {
        const session = await Promise.race([opening.catch(() => null), over]);
        if (session) await Promise.race([session.cancelled(), over]);
        session?.close();
      }
      done.abort();
    },
  };
}

/** Milliseconds between two attempts to find a server, while a prompt is not accepted yet. */
const retryTime = 1_000;

/** A prompt that was sent or is running. */
interface Prompting {
  readonly cancel: AbortController;
  /** Resolves when the server has accepted the prompt, or when the prompt has ended without that. */
  readonly accepted: Promise<void>;
  readonly ended: Promise<void>;
  /**
   * True after the session was opened and a server was found. From then on, the session shows when the connection is
   * lost and when it is back.
   */
  isWaiting: boolean;
}

const goneCodes: ReadonlySet<string> = new Set(["unknownSession", "deleted"]);

function notOpen(sessionId: string): RpcError {
  const message = `session ${sessionId} is not open in this editor; load it first`;
  return new RpcError({ code: rpcCodes.notFound, message });
}

async function existing(holdfast: Holdfast, sessionId: string): Promise<SessionDetail> {
  const detail = await holdfast.session(sessionId).get();
  if (detail.status !== "deleted") return detail;
  const message = `session ${sessionId} was deleted`;
  throw new RpcError({ code: rpcCodes.notFound, message, data: { reason: "deleted" } });
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
