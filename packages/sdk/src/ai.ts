import { Refused } from "./errors.ts";
import type { Holdfast } from "./connect.ts";
import type { PromptHandle } from "./prompt.ts";
import type { SessionHandle } from "./session.ts";
import { createChunkMaker } from "./ai-chunks.ts";
import type { ChatChunk } from "./ai-chunks.ts";

export type { ChatChunk } from "./ai-chunks.ts";

/** A message of the AI SDK, as far as the transport reads it. */
export interface ChatMessage {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly { readonly type: string; readonly text?: string }[];
}

/** Options of one message. The AI SDK passes more than these. */
export interface SendMessagesOptions {
  readonly trigger: "submit-message" | "regenerate-message";
  readonly chatId: string;
  readonly messages: readonly ChatMessage[];
  readonly abortSignal: AbortSignal | undefined;
}

/** Options of `chatTransport`. */
export interface ChatTransportOptions {
  /** Directory of new sessions. A chat is the session with the same id. */
  readonly directory: string;
  /** Agent and model of the prompts. Default: those of the directory. */
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
}

/** A transport for `useChat` of the AI SDK. It has the type `ChatTransport` of the package `ai`. */
export interface HoldfastChatTransport {
  /** A reconnected stream starts with the beginning of the answer. */
  readonly resumeStreamIsReplay: true;
  sendMessages(options: SendMessagesOptions): Promise<ReadableStream<ChatChunk>>;
  reconnectToStream(options: {
    readonly chatId: string;
  }): Promise<ReadableStream<ChatChunk> | null>;
}

/**
 * Creates a transport for `useChat`. A message is a prompt with the same id, so a repeated request sends it once. The
 * stream survives lost connections and restarts of the server; with `resume: true` a reloaded page follows the answer
 * again. Stopping the chat cancels the prompt.
 *
 * @example
 * const transport = chatTransport(connect({ url, token }), { directory: "/srv/project" });
 * const { messages, sendMessage } = useChat({ id: "session-1", transport, resume: true });
 */
export function chatTransport(
  holdfast: Holdfast,
  { directory, agent, model }: ChatTransportOptions,
): HoldfastChatTransport {
  return {
    resumeStreamIsReplay: true,
    sendMessages: async ({ trigger, chatId, messages, abortSignal: signal }) => {
      const message = messages.findLast(({ role }) => role === "user");
      if (trigger !== "submit-message" || message === undefined) {
        throw new Error("Holdfast cannot generate an answer a second time. Send a new message.");
      }
      const session = await holdfast.sessions.create({ directory, sessionId: chatId, signal });
      const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text ?? ""] : []));
      const options = { promptId: message.id, agent, model, signal };
      return answerStream(await session.prompt(text.join("\n"), options), signal);
    },
    reconnectToStream: async ({ chatId }) => {
      const prompt = await unfinishedPrompt(holdfast.session(chatId));
      return prompt === null ? null : answerStream(prompt, undefined);
    },
  };
}

/** Returns the running prompt, or the first waiting one. Null if the session has no unfinished prompt. */
async function unfinishedPrompt(session: SessionHandle): Promise<PromptHandle | null> {
  try {
    const { active, queue } = await session.get();
    const next = queue.find((item) => item.kind === "prompt");
    const promptId = active?.kind === "run" ? active.startedBy : next?.promptId;
    return promptId === undefined ? null : session.promptById(promptId);
  } catch (error) {
    if (error instanceof Refused && error.code === "unknownSession") return null;
    throw error;
  }
}

/** Converts the events of a prompt into chunks, until it has its outcome. */
function answerStream(
  prompt: PromptHandle,
  signal: AbortSignal | undefined,
): ReadableStream<ChatChunk> {
  const reading = new AbortController();
  const cancel = (): void => {
    // Ignore the error: the chat has already stopped, so no code would handle it.
    prompt.withdraw().catch(() => {});
  };
  signal?.addEventListener("abort", cancel, { once: true });
  const maker = createChunkMaker(prompt.promptId);
  return new ReadableStream<ChatChunk>({
    start: async (controller) => {
      try {
        for (const chunk of maker.start()) controller.enqueue(chunk);
        for await (const item of prompt.events({ signal: reading.signal })) {
          for (const chunk of maker.take(item)) controller.enqueue(chunk);
        }
        const { status, reason, text } = await prompt.settled({ signal: reading.signal });
        for (const chunk of maker.end({ status, reason, text })) controller.enqueue(chunk);
        controller.close();
      } catch (error) {
        if (!reading.signal.aborted) controller.error(error);
      } finally {
        signal?.removeEventListener("abort", cancel);
      }
    },
    cancel: () => reading.abort(),
  });
}
