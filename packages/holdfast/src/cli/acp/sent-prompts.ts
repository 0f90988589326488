import { randomUUID } from "node:crypto";
import { Refused } from "@holdfast/sdk";
import type { Outcome, Prompt, SessionHandle } from "@holdfast/sdk";
import { handledPromise } from "./handled-promise.ts";
import { rpcCodes, RpcError } from "../../base/json-rpc.ts";
import { createMutex } from "../../base/serial.ts";
import { withTimeout } from "../../base/time.ts";
import { settledOrHeld } from "../commands/outcome.ts";
import { readSlashCommand } from "../commands/prompt-content.ts";
import type { PromptWords } from "../commands/prompt-content.ts";
import { shortId } from "../ids.ts";
import { holdText } from "../terminal/hold-text.ts";
import type { NamedChoices } from "./choices.ts";
import { answerTo } from "./prompt-blocks.ts";
import type { StopReason } from "./protocol.ts";
import type { EventOf } from "./tool-calls.ts";

export interface NewMessage {
  readonly words: PromptWords;
  /** The agent, the model and the mode of the agent that the person chose, if any. */
  readonly named: NamedChoices;
}

export interface NewPrompt extends NewMessage {
  /** Aborts to cancel this prompt, but no other. */
  readonly signal: AbortSignal;
  /** Called when the prompt is durable (P1). If it was cancelled before, the cancel is durable too. */
  readonly onAccepted: () => void;
}

interface SentMessage {
  readonly promptId: string;
  isAccepted: boolean;
  isCancelled: boolean;
}

interface SentPrompt extends SentMessage {
  readonly ended: PromiseWithResolvers<Ending>;
  /** True once the editor was told that the session is paused and the prompt waits. */
  isHoldReported: boolean;
}

interface Ending {
  readonly outcome: Outcome;
  readonly text: string | null;
}

interface SentPromptsOptions {
  /** Shows the person a text that is not part of the conversation. */
  readonly note: (text: string) => void;
  /** Follows the session again if its stream was lost while a message was being sent. */
  readonly follow: () => void;
  readonly onError: (error: unknown) => void;
}

/** Maximum time that a cancel waits for messages that are being sent, in milliseconds. */
const sendWait = 2_000;

/** Prompts and steered messages that this editor has sent to one session. */
export class SentPrompts {
  readonly #session: SessionHandle;
  readonly #options: SentPromptsOptions;
  /** Ids of all prompts and messages, including those that have ended. */
  readonly #ids = new Set<string>();
  /** Prompts that the editor waits for. */
  readonly #waiting = new Map<string, SentPrompt>();
  /** Steered messages without an outcome. */
  readonly #steered = new Map<string, SentMessage>();
  readonly #cancels = new Set<Promise<unknown>>();
  /** Cancels reach the server in the order in which they were made. */
  readonly #oneCancelAtATime = createMutex();
  /** Prompts are accepted in the order in which they were sent. */
  readonly #oneSendAtATime = createMutex();

  constructor(session: SessionHandle, options: SentPromptsOptions) {
    this.#session = session;
    this.#options = options;
  }

  has(promptId: string): boolean {
    return this.#ids.has(promptId);
  }

  /** Sends a prompt. Resolves when the prompt has ended. */
  async prompt(sent: NewPrompt): Promise<StopReason> {
    const promptId = this.#newId();
    const ended = handledPromise<Ending>();
    const flags = { isAccepted: false, isCancelled: false, isHoldReported: false };
    const prompt: SentPrompt = { promptId, ended, ...flags };
    this.#waiting.set(promptId, prompt);
    const stop = (): void => this.#cancel(prompt);
    sent.signal.addEventListener("abort", stop);
    try {
      await this.#oneSendAtATime(() => this.#accept(prompt, sent));
      sent.onAccepted();
      if (!prompt.isAccepted) return "cancelled";
      this.#options.follow();
      const { outcome, text } = await ended.promise;
      const { isCancelled } = prompt;
      const answer = answerTo(outcome, { promptId, text, isCancelled });
      if (answer.words !== null) this.#options.note(answer.words);
      return answer.stopReason;
    } finally {
      sent.signal.removeEventListener("abort", stop);
      this.#waiting.delete(promptId);
    }
  }

  /**
   * Sends a message that joins the active run. Returns false if `hasRun` finds no active run. Returns true for a message
   * that was cancelled, even if it was not sent.
   */
  async steer(sent: NewMessage, hasRun: () => Promise<boolean>): Promise<boolean> {
    const promptId = this.#newId();
    const message: SentMessage = { promptId, isAccepted: false, isCancelled: false };
    // Add the message before the first await, so that a cancel always finds it.
    this.#steered.set(promptId, message);
    try {
      const isActive = await hasRun();
      if (isActive) await this.#oneSendAtATime(() => this.#join(message, sent));
      if (!message.isAccepted) this.#steered.delete(promptId);
      if (!isActive) return message.isCancelled;
    } catch (error) {
      this.#steered.delete(promptId);
      throw error;
    }
    this.#options.follow();
    return true;
  }

  /** Cancels the steered messages that have not joined a run. */
  cancelSteered(): void {
    for (const message of this.#steered.values()) this.#cancel(message);
  }

  /** Resolves when all pending cancels have reached the server. */
  cancelled(): Promise<unknown> {
    return Promise.all(this.#cancels);
  }

  /** Call when a prompt of the session has its outcome. */
  settled({ promptId, outcome, content }: EventOf<"prompt.settled">): void {
    this.#steered.delete(promptId);
    this.#waiting.get(promptId)?.ended.resolve({ outcome, text: content?.text ?? null });
  }

  /** Call when the session was paused. Tells the person once for each prompt that waits because of this. */
  paused(): void {
    for (const prompt of this.#accepted()) this.#reportHold(prompt).catch(this.#options.onError);
  }

  /**
   * Call when the stream is lost for good. Ends each waiting prompt with its stored outcome, or with an error if the
   * prompt has no outcome yet.
   */
  async lost(cause: unknown): Promise<void> {
    // Prompts accepted during this loop are left out: each of them follows the session again.
    for (const { promptId, ended } of this.#accepted()) {
      const prompt = this.#session.promptById(promptId);
      // If the prompt cannot be read now, its outcome is unknown here.
      const entry = await prompt.get({ patience: 0 }).catch(() => null);
      if (entry?.status !== "settled") ended.reject(unknownEnd(promptId, cause));
      else ended.resolve({ outcome: entry.outcome, text: entry.result });
    }
  }

  /**
   * Call when the sessions were restored from a backup. Ends each waiting prompt that has an outcome in the backup or is
   * not in it. Other prompts continue.
   */
  restored(): void {
    for (const prompt of this.#accepted()) void this.#findInBackup(prompt);
  }

  /** Ends the wait for all prompts with an error. */
  close(): void {
    const cause = new Error(
      "the session was closed in this editor; the prompt may continue on the server",
    );
    for (const { promptId, ended } of this.#waiting.values())
      ended.reject(unknownEnd(promptId, cause));
  }

  /** Returns the prompts that the editor waits for and the server has accepted. */
  #accepted(): readonly SentPrompt[] {
    return [...this.#waiting.values()].filter(({ isAccepted }) => isAccepted);
  }

  #newId(): string {
    const promptId = `prompt-${randomUUID()}`;
    this.#ids.add(promptId);
    return promptId;
  }

  async #accept(prompt: SentPrompt, sent: NewPrompt): Promise<void> {
    if (prompt.isCancelled) return;
    const entry = await this.#send(prompt, sent);
    prompt.isAccepted = true;
    // If a cancel arrived while the prompt was being sent, apply it now.
    if (prompt.isCancelled) await this.#withdraw(prompt);
    else if (entry.status === "queued") this.#reportHold(prompt).catch(this.#options.onError);
  }

  async #join(message: SentMessage, sent: NewMessage): Promise<void> {
    if (message.isCancelled) return;
    // Do not send the run's id. Then, if the run has already ended, the server accepts the message as a separate
    // prompt instead of refusing it.
    await this.#send(message, sent, { delivery: "steer" });
    message.isAccepted = true;
    // If a cancel arrived while the message was being sent, apply it now.
    if (message.isCancelled) await this.#withdraw(message);
  }

  async #send(
    message: SentMessage,
    { words: { text, attachments }, named }: NewMessage,
    how: { delivery?: "steer" } = {},
  ): Promise<Prompt> {
    const { promptId } = message;
    const command = readSlashCommand(text) ?? undefined;
    const words = command === undefined ? text : "";
    const options = { ...how, promptId, attachments, command, ...named };
    try {
      return (await this.#session.prompt(words, options)).entry;
    } catch (error) {
      // The server may have stored the message although its answer was lost. Do not wait for the cancel: the server may
      // still be away.
      if (message.isCancelled && !(error instanceof Refused)) void this.#withdraw(message);
      throw error;
    }
  }

  #cancel(message: SentMessage): void {
    if (message.isCancelled) return;
    message.isCancelled = true;
    if (message.isAccepted) void this.#withdraw(message, this.#whenNothingIsSending());
  }

  /**
   * Resolves when no message is being sent, or after a timeout. If a message arrived after the end of the run, it would
   * start a run of its own. Its own cancel, which follows its accept, comes before that of the run.
   */
  #whenNothingIsSending(): Promise<void> {
    const idle = this.#oneSendAtATime(async () => {});
    return withTimeout(idle, { milliseconds: sendWait, late: () => undefined });
  }

  /** Cancels the prompt by its id, so that prompts of other clients are not affected (C6). */
  async #withdraw({ promptId }: SentMessage, ready = Promise.resolve()): Promise<void> {
    const prompt = this.#session.promptById(promptId);
    const withdrawal = ready
      .then(() => this.#oneCancelAtATime(() => prompt.withdraw()))
      .catch((error: unknown) => {
        if (!(error instanceof Refused && needNoCancel.has(error.code)))
          this.#options.onError(error);
      });
    this.#cancels.add(withdrawal);
    await withdrawal;
    this.#cancels.delete(withdrawal);
  }

  async #findInBackup(prompt: SentPrompt): Promise<void> {
    const { promptId, ended } = prompt;
    // The stream skips the events of holds that are already placed, even if they were released after the backup.
    prompt.isHoldReported = false;
    try {
      const entry = await this.#session.promptById(promptId).get();
      if (entry.status === "settled") ended.resolve({ outcome: entry.outcome, text: entry.result });
      else this.#reportHold(prompt).catch(this.#options.onError);
    } catch (error) {
      const isMissing = error instanceof Refused && error.code === "unknownPrompt";
      ended.reject(isMissing ? missingPrompt(promptId) : unknownEnd(promptId, error));
    }
  }

  async #reportHold(prompt: SentPrompt): Promise<void> {
    const entry = await settledOrHeld(this.#session, prompt.promptId);
    if (entry === null || entry.status === "settled" || prompt.isHoldReported) return;
    prompt.isHoldReported = true;
    const why = (await this.#session.holds()).map(holdText).join("; ");
    const { sessionId } = this.#session;
    const advice = `\`holdfast queue --session ${shortId(sessionId)} release\` resumes it`;
    this.#options.note(`The session is paused (${why}); ${advice}.`);
  }
}

/**
 * Refusals of a cancel. A steered message that has joined a run ends with this run, which may belong to another client.
 * A message that was not stored cannot run.
 */
const needNoCancel: ReadonlySet<string> = new Set(["takenIn", "unknownPrompt"]);

function unknownEnd(promptId: string, cause: unknown): RpcError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const advice = "if it was accepted, it continues on the server";
  const message = `the outcome of the prompt is unknown: ${why}; ${advice}`;
  return new RpcError({ code: rpcCodes.internal, message, data: { promptId } });
}

function missingPrompt(promptId: string): RpcError {
  const message =
    "the prompt is not in the backup from which the sessions were restored; send it again";
  return new RpcError({ code: rpcCodes.notFound, message, data: { promptId } });
}
