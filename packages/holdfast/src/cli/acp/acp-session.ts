import { randomUUID } from "node:crypto";
import { isEvent, Refused } from "@holdfast/sdk";
import type {
  Holdfast,
  Outcome,
  Prompt,
  SessionDetail,
  SessionHandle,
  SessionItem,
  SessionMode,
  WireEvent,
} from "@holdfast/sdk";
import { createMutex } from "../../base/serial.ts";
import { holdText } from "../terminal/hold-text.ts";
import { settledOrHeld } from "../commands/outcome.ts";
import type { PromptWords } from "../commands/prompt-content.ts";
import { isPassing } from "../terminal/view.ts";
import type { NamedChoices } from "./choices.ts";
import { createEditorAsks } from "./editor-asks.ts";
import { followFamily } from "./family.ts";
import type { EditorFeatures } from "./introduction.ts";
import { rpcCodes, RpcError } from "../../base/json-rpc.ts";
import type { Peer } from "../../base/json-rpc.ts";
import { textBlock } from "./protocol.ts";
import type { SessionUpdate, StopReason } from "./protocol.ts";
import { createTranslator } from "./translator.ts";
import { readSlashCommand } from "../commands/prompt-content.ts";
import { answerTo } from "./prompt-blocks.ts";
import { shortId } from "../ids.ts";

/** A session that an editor has opened. The editor sees all events of the session, including those of other clients. */
export interface AcpSession {
  readonly sessionId: string;
  readonly directory: string;
  /** Resolves when everything in the log has been reported to the editor. */
  ready(): Promise<void>;
  /** Resolves when the prompt has ended. */
  prompt(sent: SentPrompt): Promise<StopReason>;
  /** Adds a message to the active run. If no run is active, sends nothing and returns false. */
  steer(sent: Pick<SentPrompt, "words" | "named">): Promise<boolean>;
  /** Cancels the steered messages of this editor that have not joined a run. */
  cancelSteered(): void;
  /** Returns the permission mode, even if another client has set it. */
  mode(): SessionMode;
  setMode(mode: SessionMode): Promise<void>;
  /** Returns the agent of the session, which any client may have set; null: the default agent of the directory. */
  agent(): string | null;
  say(update: SessionUpdate): void;
  /** Shows the person a text that is not part of the conversation. */
  note(text: string): void;
  /** Resolves when all pending cancels have reached the server. The command waits for this before it exits. */
  cancelled(): Promise<unknown>;
  /** Stops reporting to the editor. Prompts continue on the server; callers that wait for one get an error. */
  close(): void;
}

export interface SentPrompt {
  readonly words: PromptWords;
  /** The agent, the model and the mode of the agent that the person chose, if any. */
  readonly named: NamedChoices;
  /** Aborts to cancel this prompt, but no other. */
  readonly signal: AbortSignal;
  /** Called when the prompt is durable (P1). If it was cancelled before, the cancel is durable too. */
  readonly onAccepted: () => void;
}

interface Steered {
  readonly promptId: string;
  isAccepted: boolean;
  isCancelled: boolean;
}

interface Own extends Steered {
  readonly ended: PromiseWithResolvers<Ending>;
  /** True once the editor was told that the session is paused and the prompt waits. */
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
    detail: Pick<SessionDetail, "sessionId" | "directory" | "mode" | "agent" | "seq">;
    /** Called when a client has set the mode of the session. */
    onMode: () => void;
    /** Called when a client has set the agent of the session. */
    onAgent: () => void;
    /** Called when a hosted agent may have reported other models, modes or commands, or another client's prompt ended. */
    onReport: () => void;
    /** `reported`: report the events from before the session was opened. `known`: the editor already has them. */
    past: "reported" | "known";
    features: EditorFeatures;
    /** Returns the context window of a model in tokens. Null: unknown. */
    windowOf: (model: string) => number | null;
    onError: (error: unknown) => void;
  },
): AcpSession {
  const { peer, detail, features, windowOf, onError } = options;
  const { hasForms, hasTerminals } = features;
  const { sessionId, directory } = detail;
  let mode = detail.mode ?? "ask";
  let { agent } = detail;
  const session = holdfast.session(sessionId);
  const closing = new AbortController();
  const { signal } = closing;
  const own = new Set<string>();
  const waiting = new Map<string, Own>();
  /** Steered messages without an outcome. */
  const steered = new Map<string, Steered>();
  const cancels = new Set<Promise<unknown>>();
  let caughtUp = handled<void>();
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
  const isOwn = (promptId: string): boolean => own.has(promptId);
  const translator = createTranslator({ directory, hasTerminals, windowOf, say, isOwn });
  const idOf = (callId: string): string | null => translator.calls.idOf(callId);
  const asks = createEditorAsks({
    holdfast,
    peer,
    sessionId,
    directory,
    hasForms,
    say,
    idOf,
    onError,
  });

  const learnMode = (next: SessionMode): void => {
    if (next === mode) return;
    mode = next;
    options.onMode();
  };
  const take = (item: SessionItem): void => {
    if (item.type === "live") {
      isSilent = false;
      caughtUp.resolve();
    } else if (item.type === "reset") {
      const message = "the sessions were restored from a backup; open the session again";
      void lose(new Error(message));
    } else if (isPassing(item)) translator.take(item);
    else if (isEvent(item)) {
      seen = item;
      translator.take(item);
      if (item.type === "session.modeSet" && item.seq > detail.seq) learnMode(item.mode);
      if (item.type === "session.agentSet" && item.seq > detail.seq) {
        ({ agent } = item);
        options.onAgent();
      }
      if (item.seq > detail.seq && mayReport(item, isOwn)) options.onReport();
      if (item.type === "hold.placed") {
        const accepted = [...waiting.values()].filter(({ isAccepted }) => isAccepted);
        for (const prompt of accepted) reportHold(prompt).catch(onError);
      }
      if (item.type !== "prompt.settled") return;
      const { outcome, content } = item;
      steered.delete(item.promptId);
      waiting.get(item.promptId)?.ended.resolve({ outcome, text: content?.text ?? null });
    }
  };
  /** Follows the session from the last reported event on, so that no event is reported twice or left out (T2). */
  const follow = (): void => {
    if (following !== null) return;
    if (isLost) caughtUp = handled();
    isLost = false;
    following = followFamily(holdfast, { sessionId, after: seen, signal, asks, take, onError })
      .catch(async (error: unknown) => {
        if (!signal.aborted) await lose(error);
      })
      .finally(() => {
        following = null;
      });
  };
  /**
   * Called when the stream is lost for good. Ends each waiting prompt with its stored outcome, or with an error if the
   * prompt has no outcome yet.
   */
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
  const reportHold = async (prompt: Own): Promise<void> => {
    const entry = await settledOrHeld(session, prompt.promptId);
    if (entry === null || entry.status === "settled" || prompt.isHeld) return;
    prompt.isHeld = true;
    const why = (await session.holds()).map(holdText).join("; ");
    const advice = `\`holdfast queue --session ${shortId(sessionId)} release\` resumes it`;
    note(`The session is paused (${why}); ${advice}.`);
  };
  /** Cancels the prompt by its id, so that prompts of other clients are not affected (C6). */
  const withdraw = async ({ promptId }: Steered): Promise<void> => {
    const withdrawal = session
      .promptById(promptId)
      .withdraw()
      .catch((error: unknown) => {
        // A steered message that has joined a run ends with this run, which may belong to another client.
        if (!(error instanceof Refused && error.code === "takenIn")) onError(error);
      });
    cancels.add(withdrawal);
    await withdrawal;
    cancels.delete(withdrawal);
  };
  const cancel = (prompt: Steered): void => {
    if (prompt.isCancelled) return;
    prompt.isCancelled = true;
    if (prompt.isAccepted) void withdraw(prompt);
  };
  const send = async (
    { words: sentWords, named }: Pick<SentPrompt, "words" | "named">,
    how: { promptId: string; delivery?: "steer" },
  ): Promise<Prompt> => {
    const { text, attachments } = sentWords;
    const command = readSlashCommand(text) ?? undefined;
    const words = command === undefined ? text : "";
    return (await session.prompt(words, { ...how, attachments, command, ...named })).entry;
  };
  /** A person who types here has seen what the editor shows, so no other device needs to notify them of it. */
  const markSeen = (): void => {
    // A failure only leaves a notification on another device.
    if (seen !== null) session.markSeen(seen.seq, { patience: 0 }).catch(() => {});
  };
  const accept = async (prompt: Own, sent: SentPrompt): Promise<void> => {
    if (prompt.isCancelled) return;
    const { promptId } = prompt;
    const entry = await send(sent, { promptId });
    prompt.isAccepted = true;
    // If a cancel arrived while the prompt was being sent, apply it now.
    if (prompt.isCancelled) await withdraw(prompt);
    else if (entry.status === "queued") reportHold(prompt).catch(onError);
  };
  /** Reports the messages with which a forked or imported session started; no event contains them. */
  const reportOrigin = async (): Promise<void> => {
    for await (const message of session.eachMessage({ signal })) {
      if (message.seq !== null) return;
      translator.origin(message);
    }
  };
  const begin = async (): Promise<void> => {
    if (options.past === "reported") await reportOrigin();
    follow();
    await caughtUp.promise;
  };
  const begun = begin();
  // Handle a failure to open the session here, because possibly no caller awaits `ready`. The next prompt reports the
  // failure.
  begun.catch(lose);
  return {
    sessionId,
    directory,
    mode: () => mode,
    agent: () => agent,
    setMode: async (chosen) => {
      await session.setMode(chosen);
      learnMode(chosen);
    },
    say,
    note,
    ready: () => begun,
    prompt: async (sending) => {
      const { signal: cancelled, onAccepted } = sending;
      // First read all events that are older than this prompt, so that they are not reported as part of it.
      await begun.catch(follow);
      await caughtUp.promise;
      if (cancelled.aborted) return "cancelled";
      markSeen();
      const promptId = `prompt-${randomUUID()}`;
      const ended = handled<Ending>();
      const flags = { isAccepted: false, isCancelled: false, isHeld: false };
      const prompt: Own = { promptId, ended, ...flags };
      own.add(promptId);
      waiting.set(promptId, prompt);
      const stop = (): void => cancel(prompt);
      cancelled.addEventListener("abort", stop);
      try {
        // Prompts are accepted in the order in which they were sent.
        await oneAtATime(() => accept(prompt, sending));
        onAccepted();
        if (!prompt.isAccepted) return "cancelled";
        // If the stream was lost while the prompt was being sent, follow the session again.
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
    steer: async (sent) => {
      await begun.catch(follow);
      const { runId } = await session.get();
      if (runId === null) return false;
      markSeen();
      const promptId = `prompt-${randomUUID()}`;
      const message: Steered = { promptId, isAccepted: false, isCancelled: false };
      own.add(promptId);
      steered.set(promptId, message);
      try {
        // Do not send the run's id. Then, if the run has already ended, the server accepts the message as a separate
        // prompt instead of refusing it.
        await oneAtATime(() => send(sent, { promptId, delivery: "steer" }));
      } catch (error) {
        steered.delete(promptId);
        throw error;
      }
      message.isAccepted = true;
      // If a cancel arrived while the message was being sent, apply it now.
      if (message.isCancelled) await withdraw(message);
      follow();
      return true;
    },
    cancelSteered: () => {
      for (const message of steered.values()) cancel(message);
    },
    cancelled: () => Promise.all(cancels),
    close: () => {
      closing.abort();
      const cause = new Error(
        "the session was closed in this editor; the prompt may continue on the server",
      );
      for (const { promptId, ended } of waiting.values()) ended.reject(unknownEnd(promptId, cause));
    },
  };
}

/**
 * True when a step of a hosted agent starts, because the agent sends its reports before its work, and when a prompt of
 * another client ends. After a prompt of the editor itself, the caller of `prompt` looks for changes.
 */
function mayReport(event: WireEvent, isOwn: (promptId: string) => boolean): boolean {
  if (event.type === "prompt.settled") return !isOwn(event.promptId);
  return event.type === "step.opened" && event.within !== undefined;
}

/** Creates a promise with an empty error handler: without any handler, its rejection would end the process. */
function handled<Value>(): PromiseWithResolvers<Value> {
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
  const advice = "if it was accepted, it continues on the server";
  const message = `the outcome of the prompt is unknown: ${why}; ${advice}`;
  return new RpcError({ code: rpcCodes.internal, message, data: { promptId } });
}
