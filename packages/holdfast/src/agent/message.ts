import type { Actor, ToolStatus } from "../kernel/event.ts";
import type { Outcome } from "../kernel/state.ts";
import type { ReasoningWish } from "./model/reasoning.ts";

// Messages of a conversation, in the order in which the model receives them, and their stored content.

export type Message = UserMessage | AssistantMessage | ToolMessage;

export interface UserMessage extends ReasoningWish {
  readonly role: "user";
  readonly promptId: string;
  readonly text: string;
  /** Attached files. `AgentContext.attachment` returns their content. */
  readonly attachments: readonly AttachmentReference[];
  readonly actor: Actor;
  /** False for a message that needs no answer, because it only informs the model (P7). */
  readonly reply: boolean;
  /** Set if the message reports the outcome of a child session that ran in the background. */
  readonly resultOf: {
    readonly sessionId: string;
    readonly promptId: string;
    readonly outcome: Outcome;
  } | null;
  /** Agent, model and reasoning that the sender selected for the run that this prompt starts. */
  readonly agent?: string;
  readonly model?: string;
  /** Mode of a hosted agent. It applies from this prompt on. */
  readonly agentMode?: string;
  /** The slash command that produced the text. */
  readonly command?: CommandReference;
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly runId: string;
  readonly step: number;
  readonly text: string;
  readonly calls: readonly CallRequest[];
  /** True if a stop cut off the answer. The text is the part that had arrived. */
  readonly interrupted: boolean;
  readonly extra: unknown;
  /** Set if a fork or an import copied the answer from another session. */
  readonly copied?: true;
}

export interface ToolMessage {
  readonly role: "tool";
  readonly callId: string;
  readonly status: ToolStatus;
  readonly output: string;
  readonly extra: unknown;
  /** Files in the result. Missing: none. */
  readonly files?: readonly AttachmentReference[];
}

export interface CallRequest {
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
  /** True if it is safe to run the call twice (R2). */
  readonly repeatable: boolean;
  /** Set if a hosted agent executes the call, so it may take effect before Holdfast records its start (H4). */
  readonly seen?: true;
}

/** A file of a prompt or a tool result. The store keeps its content under `hash`. */
export interface AttachmentReference {
  readonly hash: string;
  readonly name: string | null;
  readonly mediaType: string;
  readonly bytes: number;
}

/** Stored content of a prompt. */
export interface PromptBody extends ReasoningWish {
  readonly text: string;
  /** Files attached to the prompt. Missing: none. */
  readonly attachments?: readonly AttachmentReference[];
  /** Agent and model that the sender selected. Missing: none. */
  readonly agent?: string;
  readonly model?: string;
  readonly agentMode?: string;
  /** The slash command that produced the text. */
  readonly command?: CommandReference;
}

/** A slash command that was sent instead of a text. */
export interface CommandReference {
  readonly name: string;
  readonly arguments: string;
  /** True if the command was built in when the prompt was accepted. Missing: a command of the directory. */
  readonly builtIn?: true;
}

/** Messages that a forked or imported session copies from another session when it is created. */
export type TranscriptBody =
  | { readonly messages: readonly TranscriptMessage[] }
  /** A long transcript is stored in pages. Each page contains a part of the messages, in order. */
  | { readonly pages: readonly TranscriptPage[] };

export interface TranscriptPage {
  readonly hash: string;
  /** Number of messages in the page. */
  readonly count: number;
}

/** A message as people see it, including messages that the model never received. */
export type TranscriptMessage = { readonly at: number } & (
  | (UserMessage & {
      /** False for a prompt that ended before any run used it, so the model never saw it (C2). */
      readonly entered: boolean;
      readonly outcome: Outcome | null;
    })
  | AssistantMessage
  /** `intent`: the planned action of a call that may or may not have taken effect before a crash. */
  | (ToolMessage & { readonly intent: string | null })
);

/** Stored content of a model answer. */
export interface AnswerBody {
  readonly text: string;
  readonly calls: readonly CallRequest[];
  readonly extra: unknown;
}

/** Stored description of a planned tool call. */
export interface IntentBody {
  readonly summary: string;
  /** `before`: hash of the file's previous content. Null: the file did not exist. */
  readonly files: readonly { readonly path: string; readonly before: string | null }[];
}

/** Stored content of a tool result. */
export interface ToolBody {
  readonly output: string;
  readonly extra: unknown;
  /** Files in the result. Missing: none. */
  readonly files?: readonly AttachmentReference[];
}

/** Stored content of a question or permission request. */
export interface AskBody {
  readonly question: string;
  readonly extra: unknown;
  /** The complete preview of the requested action, such as a diff, if `extra` contains only the beginning. */
  readonly preview?: string;
}

/** Stored content of a person's answer. */
export interface AnswerToAskBody {
  readonly text: string | null;
  /** Applies the same answer to later requests in the session or project. Null: only to this request. */
  readonly remember: "session" | "project" | null;
}

/** The stored result of a run, or its error message. */
export interface ResultBody {
  readonly text: string;
}
