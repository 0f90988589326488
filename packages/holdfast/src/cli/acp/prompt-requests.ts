import type { Holdfast } from "@holdfast/sdk";
import type { PromptWords } from "../commands/prompt-content.ts";
import type { ConnectionChange } from "../connection.ts";
import { createAbsence } from "./absence.ts";
import type { AcpSession } from "./acp-session.ts";
import type { Guide } from "./guide.ts";
import type { OfferedServers } from "./offered-servers.ts";
import type { StopReason } from "./protocol.ts";
import type { NewPrompt } from "./sent-prompts.ts";
import type { SessionChoices } from "./session-choices.ts";

/** Prompts of the editor, from the arrival of the request until the prompt has ended. */
export interface PromptRequests {
  /** Sends a prompt. Resolves when the prompt has ended. The signal aborts to cancel the prompt. */
  prompt(prompt: EditorPrompt, signal: AbortSignal): Promise<StopReason>;
  /** Cancels the prompts and the steered messages of this editor in a session. */
  cancel(sessionId: string): void;
  /** Informs the sessions with a waiting prompt that the connection to the server is lost or restored. */
  connection(change: ConnectionChange): void;
  /** Resolves when all current prompts were accepted or have ended. */
  accepted(): Promise<unknown>;
  /** Resolves when all current prompts of a session have ended. */
  ended(sessionId: string): Promise<unknown>;
}

export interface EditorPrompt {
  readonly sessionId: string;
  readonly words: PromptWords;
}

interface PromptRequest {
  readonly cancel: AbortController;
  /** Resolves when the server has accepted the prompt, or when the prompt has ended without that. */
  readonly accepted: PromiseWithResolvers<void>;
  readonly ended: PromiseWithResolvers<void>;
  /**
   * True after the session was opened and a server was found. From then on, the session shows when the connection is
   * lost and when it is back.
   */
  showsOutage: boolean;
}

/** Milliseconds between two attempts to find a server, while a prompt is not accepted yet. */
const retryTime = 1_000;

export function createPromptRequests(options: {
  connect: () => Promise<Holdfast>;
  choices: SessionChoices;
  guide: Guide;
  servers: OfferedServers;
  sessions: ReadonlyMap<string, Promise<AcpSession>>;
  /** Returns a session, and opens it if it is not open. */
  opened: (sessionId: string) => Promise<AcpSession>;
}): PromptRequests {
  const { connect, choices, guide, servers, sessions, opened } = options;
  /** Requests by session. A request is added as soon as it arrives, so that a cancel always finds it. */
  const requests = new Map<string, Set<PromptRequest>>();
  const absence = createAbsence();
  const send = async (
    sessionId: string,
    prompt: NewPrompt,
    request: PromptRequest,
  ): Promise<StopReason> => {
    const session = await opened(sessionId);
    const holdfast = await connect();
    // Ignore the error here: the prompt below reports why the session could not be opened.
    await session.ready().catch(() => {});
    // Check whether a server that was just started is reachable. If not, the interval below tries again.
    if (absence.isNow()) await holdfast.health({ patience: 0 }).catch(() => {});
    request.showsOutage = true;
    absence.notify(session);
    await servers.ready(session, prompt.signal);
    // A server that is stopping accepts no prompt. Once it has ended, `connect` starts another.
    const again = setInterval(() => {
      // If this fails, the interval tries again after `retryTime`.
      if (absence.isNow()) connect().catch(() => {});
    }, retryTime);
    void request.accepted.promise.then(() => clearInterval(again));
    const answer = session.prompt(prompt);
    const onEnd = (): void => guide.refresh(holdfast, session);
    answer.then(onEnd, onEnd);
    return answer;
  };
  return {
    prompt: async ({ sessionId, words }, requested) => {
      const named = choices.named(sessionId);
      const cancel = new AbortController();
      const accepted = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<void>();
      const request: PromptRequest = { cancel, accepted, ended, showsOutage: false };
      const ofSession = requests.get(sessionId) ?? new Set();
      requests.set(sessionId, ofSession.add(request));
      const signal = AbortSignal.any([cancel.signal, requested]);
      const prompt = { words, named, signal, onAccepted: accepted.resolve };
      try {
        return await send(sessionId, prompt, request);
      } finally {
        accepted.resolve();
        ended.resolve();
        ofSession.delete(request);
        if (ofSession.size === 0) requests.delete(sessionId);
      }
    },
    cancel: (sessionId) => {
      const newestFirst = [...(requests.get(sessionId) ?? [])].toReversed();
      const stop = (session: AcpSession | null): void => {
        // Cancel the oldest prompt last, because it may be running. After its run ends, a steered message would become a
        // prompt (L6), and the next queued prompt would start.
        session?.cancelSteered();
        for (const { cancel } of newestFirst) cancel.abort();
      };
      const session = sessions.get(sessionId) ?? Promise.resolve(null);
      // A session that could not be opened has no messages.
      session.then(stop, () => stop(null));
    },
    connection: (change) => {
      absence.note(change);
      for (const [sessionId, ofSession] of requests) {
        if (![...ofSession].some(({ showsOutage }) => showsOutage)) continue;
        // Ignore a session that could not be opened: the caller that opened it got the error.
        sessions.get(sessionId)?.then(
          (session) => absence.notify(session),
          () => {},
        );
      }
    },
    accepted: () => {
      const all = [...requests.values()].flatMap((ofSession) => [...ofSession]);
      return Promise.all(all.map(({ accepted }) => accepted.promise));
    },
    ended: (sessionId) =>
      Promise.all([...(requests.get(sessionId) ?? [])].map(({ ended }) => ended.promise)),
  };
}
