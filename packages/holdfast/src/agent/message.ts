import type { Actor, ToolStatus } from "../kernel/event.ts";
import type { Outcome } from "../kernel/state.ts";
import type { ReasoningWish } from "./model/reasoning.ts";

// Messages of a conversation, in the order in which the model gets them, and the content that the store keeps for
// them.

export type Message = UserMessage | AssistantMessage | ToolMessage;

export interface UserMessage extends ReasoningWish {
  readonly role: "user";
  readonly promptId: string;
  readonly text: string;
  /** Read the contents with AgentContext.attachment. */
  readonly attachments: readonly AttachmentReference[];
  readonly actor: Actor;
  /** False for a message that needs no answer: it only informs the model (P7). */
  readonly reply: boolean;
  /** Set if the message reports the outcome of a background child. */
  readonly resultOf: {
    readonly sessionId: string;
    readonly promptId: string;
    readonly outcome: Outcome;
  } | null;
  /** Agent, model and reasoning named by the sender, for the run that this prompt starts. */
  readonly agent?: string;
  readonly model?: string;
  /** Mode of a hosted agent, from this prompt on. */
  readonly agentMode?: string;
  /** The command that produced the text. */
  readonly command?: CommandReference;
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly runId: string;
  readonly step: number;
  readonly text: string;
  readonly calls: readonly CallRequest[];
  /** True if a stop cut the answer off. The text is the part that had arrived. */
  readonly interrupted: boolean;
  readonly extra: unknown;
}

export interface ToolMessage {
  readonly role: "tool";
  readonly callId: string;
  readonly status: ToolStatus;
  readonly output: string;
  readonly extra: unknown;
  /** Files that the result shows. Missing: none. */
  readonly files?: readonly AttachmentReference[];
}

export interface CallRequest {
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
  /** True if it is safe to run the call twice (R2). */
  readonly repeatable: boolean;
  /** Set if a hosted agent executes the call, which may then take effect before Holdfast records its start (H4). */
  readonly seen?: true;
}

/** A file of a prompt or a tool result. The store keeps its content under `hash`. */
export interface AttachmentReference {
  readonly hash: string;
  readonly name: string | null;
  readonly mediaType: string;
  readonly bytes: number;
}

/** Content of a prompt, as stored. */
export interface PromptBody extends ReasoningWish {
  readonly text: string;
  /** Files attached to the prompt. Missing: none. */
  readonly attachments?: readonly AttachmentReference[];
  /** Agent and model that the sender named. Missing: the sender named none. */
  readonly agent?: string;
  readonly model?: string;
  readonly agentMode?: string;
  /** The command that produced the text. */
  readonly command?: CommandReference;
}

/** A command that was sent instead of a text. */
export interface CommandReference {
  readonly name: string;
  readonly arguments: string;
  /** True if the command was built in when the prompt was accepted. Missing: a command of the directory. */
  readonly builtIn?: true;
}

/** Messages of another session with which a forked or imported session starts, as stored. */
export type TranscriptBody =
  | { readonly messages: readonly TranscriptMessage[] }
  /** A long transcript is stored in pages. Each page has a part of the messages, in order. */
  | { readonly pages: readonly TranscriptPage[] };

export interface TranscriptPage {
  readonly hash: string;
  /** Number of messages in the page. */
  readonly count: number;
}

/** A message as people see it, including messages that the model never got. */
export type TranscriptMessage = { readonly at: number } & (
  | (UserMessage & {
      /** False for a prompt that was settled before any run used it, so the model never saw it (C2). */
      readonly entered: boolean;
      readonly outcome: Outcome | null;
    })
  | AssistantMessage
  /** `intent`: the planned effect of a call that may or may not have taken effect before a crash. */
  | (ToolMessage & { readonly intent: string | null })
);

/** Content of a model answer, as stored. */
export interface AnswerBody {
  readonly text: string;
  readonly calls: readonly CallRequest[];
  readonly extra: unknown;
}

/** Description of a planned tool call, as stored. */
export interface IntentBody {
  readonly summary: string;
  /** `before`: hash of the file's old content. Null: the file did not exist. */
  readonly files: readonly { readonly path: string; readonly before: string | null }[];
}

/** Content of a tool result, as stored. */
export interface ToolBody {
  readonly output: string;
  readonly extra: unknown;
  /** Files that the result shows. Missing: none. */
  readonly files?: readonly AttachmentReference[];
}

/** Content of an ask, as stored. */
export interface AskBody {
  readonly question: string;
  readonly extra: unknown;
  /** The whole preview, if `extra` has only its beginning. */
  readonly preview?: string;
}

/** Content of an answer to an ask, as stored. */
export interface AnswerToAskBody {
  readonly text: string | null;
  /** Reuse the answer for the session or the project instead of asking again. */
  readonly remember: "session" | "project" | null;
}

/** The stored result of a run, or its error message. */
export interface ResultBody {
  readonly text: string;
}
