import { randomUUID } from "node:crypto";
import { isEvent } from "@holdfast/sdk";
import type {
  Holdfast,
  Outcome,
  Prompt,
  SessionDetail,
  SessionHandle,
  SessionItem,
  WireEvent,
} from "@holdfast/sdk";
import { createMutex } from "../../base/serial.ts";
import { holdText } from "../commands/holds.ts";
import { settledOrHeld } from "../commands/outcome.ts";
import type { PromptWords } from "../commands/prompt-content.ts";
import { isPassing } from "../terminal/view.ts";
import { createAskDesk } from "./editor-asks.ts";
import { followFamily } from "./family.ts";
import { rpcCodes, RpcError } from "./json-rpc.ts";
import type { Peer } from "./json-rpc.ts";
import { textBlock } from "./protocol.ts";
import type { SessionUpdate, StopReason } from "./protocol.ts";
import { createTranslator } from "./translator.ts";
import { readSlashCommand } from "../commands/prompt-content.ts";
import { answerTo } from "./prompt-blocks.ts";

/** A session that an editor has opened: what happens in it is told, whoever has caused it. */
export interface AcpSession {
  readonly sessionId: string;
  readonly directory: string;
  /** Resolves when everything that was in the log has been told. */
  ready(): Promise<void>;
  /** Resolves with the prompt's end. */
  prompt(sent: SentPrompt): Promise<StopReason>;
  say(update: SessionUpdate): void;
  /** Tells the person something that is not in the conversation. */
  note(text: string): void;
  /** Resolves when cancels that are on their way have arrived: a leaving client waits for them. */
  cancelled(): Promise<unknown>;
  /** Nothing more is told. Prompts go on, and whoever waits for one here hears that. */
  close(): void;
}

export interface SentPrompt {
  readonly words: PromptWords;
  /** Who is to work on it and with what, where that was chosen. */
  readonly named: { readonly agent?: string; readonly model?: string };
  /** Cancels this prompt and no other. */
  readonly signal: AbortSignal;
  /** It is durable (P1), and a cancel that came before that too. */
  readonly onAccepted: () => void;
}

interface Own {
  readonly promptId: string;
  readonly ended: PromiseWithResolvers<Ending>;
  isAccepted: boolean;
  isCancelled: boolean;
  /** People were told that it waits for them. */
  isHeld: boolean;
}

interface Ending {
  readonly outcome: Outcome;
  readonly text: string | null;
}

export function openAcpSession(
  holdfast: Holdfast,
  options: {
    peer: Peer;
    detail: Pick<SessionDetail, "sessionId" | "directory">;
    /** Whether what has happened already is told too. */
    past: "told" | "known";
    hasForms: boolean;
    onError: (error: unknown) => void;
  },
): AcpSession {
  const { peer, detail, hasForms, onError } = options;
  const { sessionId, directory } = detail;
  const session = holdfast.session(sessionId);
  const closing = new AbortController();
  const { signal } = closing;
  const own = new Set<string>();
  const waiting = new Map<string, Own>();
  const cancels = new Set<Promise<unknown>>();
  let caughtUp = unheard<void>();
  let isLost = false;
  let isSilent = options.past === "known";
  let seen: Pick<WireEvent, "seq" | "at"> | null = null;
  let following: Promise<void> | null = null;
  const oneAtATime = createMutex();

  const say = (update: SessionUpdate): void => {
    if (!isSilent && !signal.aborted) peer.notify("session/update", { sessionId, update });
  };
  const note = (text: string): void =>
    say({ sessionUpdate: "agent_message_chunk", content: textBlock(`\n\n*${text}*\n\n`) });
  const translator = createTranslator({ directory, say, isOwn: (promptId) => own.has(promptId) });
  const idOf = (callId: string): string | null => translator.calls.idOf(callId);
  const desk = createAskDesk({
    holdfast,
    peer,
    sessionId,
    directory,
    hasForms,
    say,
    idOf,
    onError,
  });

  const take = (item: SessionItem): void => {
    if (item.type === "live") {
      isSilent = false;
      caughtUp.resolve();
    } else if (item.type === "reset") {
      const message = "a backup of the sessions was put back";
      void lose(new Error(message));
    } else if (isPassing(item)) translator.take(item);
    else if (isEvent(item)) {
      seen = item;
      translator.take(item);
      if (item.type === "hold.placed") {
        const accepted = [...waiting.values()].filter(({ isAccepted }) => isAccepted);
        for (const prompt of accepted) tellHold(prompt).catch(onError);
      }
      if (item.type !== "prompt.settled") return;
      const { outcome, content } = item;
      waiting.get(item.promptId)?.ended.resolve({ outcome, text: content?.text ?? null });
    }
  };
  /** From where it has come to, so that nothing is told twice and nothing left out (T2). */
  const follow = (): void => {
    if (following !== null) return;
    if (isLost) caughtUp = unheard();
    isLost = false;
    following = followFamily(holdfast, { sessionId, after: seen, signal, desk, take, onError })
      .catch(async (error: unknown) => {
        if (!signal.aborted) await lose(error);
      })
      .finally(() => {
        following = null;
      });
  };
  /** The stream is lost for good: what the ledger does not tell either has an end that is not known. */
  const lose = async (cause: unknown): Promise<void> => {
    isLost = true;
    caughtUp.reject(cause);
    for (const { promptId, isAccepted, ended } of waiting.values()) {
      if (!isAccepted) continue;
      const entry = await entryNow(session, promptId);
      if (entry?.status !== "settled") ended.reject(unknownEnd(promptId, cause));
      else ended.resolve({ outcome: entry.outcome, text: entry.result });
    }
  };
  const tellHold = async (prompt: Own): Promise<void> => {
    const entry = await settledOrHeld(session, prompt.promptId);
    if (entry === null || entry.status === "settled" || prompt.isHeld) return;
    prompt.isHeld = true;
    const why = (await session.holds()).map(holdText).join("; ");
    const advice = `\`holdfast queue --session ${sessionId} release\` lets it go on`;
    note(`The session is held (${why}); ${advice}.`);
  };
  /** By its id: what others have sent, before it or after it, is theirs (C6). */
  const withdraw = async ({ promptId }: Own): Promise<void> => {
    const withdrawal = session.promptById(promptId).withdraw().catch(onError);
    cancels.add(withdrawal);
    await withdrawal;
    cancels.delete(withdrawal);
  };
  const cancel = (prompt: Own): void => {
    if (prompt.isCancelled) return;
    prompt.isCancelled = true;
    if (prompt.isAccepted) void withdraw(prompt);
  };
  const accept = async (prompt: Own, { words: sentWords, named }: SentPrompt): Promise<void> => {
    if (prompt.isCancelled) return;
    const { text, attachments } = sentWords;
    const command = readSlashCommand(text) ?? undefined;
    const words = command === undefined ? text : "";
    const { promptId } = prompt;
    const { entry } = await session.prompt(words, { promptId, attachments, command, ...named });
    prompt.isAccepted = true;
    // A cancel that came while the prompt was on its way is meant for it all the same.
    if (prompt.isCancelled) await withdraw(prompt);
    else if (entry.status === "queued") tellHold(prompt).catch(onError);
  };
  /** What the session began with instead of nothing is in no event. */
  const tellOrigin = async (): Promise<void> => {
    for await (const message of session.eachMessage({ signal })) {
      if (message.seq !== null) return;
      translator.origin(message);
    }
  };
  const begin = async (): Promise<void> => {
    if (options.past === "told") await tellOrigin();
    follow();
    await caughtUp.promise;
  };
  const begun = begin();
  // Who does not wait for it hears of it with the next prompt.
  begun.catch(lose);
  return {
    sessionId,
    directory,
    say,
    note,
    ready: () => begun,
    prompt: async (sending) => {
      const { signal: cancelled, onAccepted } = sending;
      // What comes before that is past, and might not be told.
      await begun.catch(follow);
      await caughtUp.promise;
      if (cancelled.aborted) return "cancelled";
      const promptId = `prompt-${randomUUID()}`;
      const ended = unheard<Ending>();
      const flags = { isAccepted: false, isCancelled: false, isHeld: false };
      const prompt: Own = { promptId, ended, ...flags };
      own.add(promptId);
      waiting.set(promptId, prompt);
      const stop = (): void => cancel(prompt);
      cancelled.addEventListener("abort", stop);
      try {
        // Prompts are accepted in the order in which they were written.
        await oneAtATime(() => accept(prompt, sending));
        onAccepted();
        if (!prompt.isAccepted) return "cancelled";
        // It may have been lost while the prompt was on its way.
        follow();
        const { outcome, text } = await ended.promise;
        const { isCancelled } = prompt;
        const answer = answerTo(outcome, { promptId, text, isCancelled });
        if (answer.words !== null) note(answer.words);
        return answer.stopReason;
      } finally {
        cancelled.removeEventListener("abort", stop);
        waiting.delete(promptId);
      }
    },
    cancelled: () => Promise.all(cancels),
    close: () => {
      closing.abort();
      const cause = new Error("the session was left here");
      for (const { promptId, ended } of waiting.values()) ended.reject(unknownEnd(promptId, cause));
    },
  };
}

/** A promise that nothing may wait for: without a handler, its failure would end the process. */
function unheard<Value>(): PromiseWithResolvers<Value> {
  const made = Promise.withResolvers<Value>();
  made.promise.catch(() => {});
  return made;
}

async function entryNow(session: SessionHandle, promptId: string): Promise<Prompt | null> {
  try {
    return await session.promptById(promptId).get({ patience: 0 });
  } catch {
    return null;
  }
}

function unknownEnd(promptId: string, cause: unknown): RpcError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const advice = "once accepted it is kept, and goes on at the server";
  const message = `how the prompt ended is not known: ${why}; ${advice}`;
  return new RpcError({ code: rpcCodes.internal, message, data: { promptId } });
}
