import type { Actor, ToolStatus } from "../kernel/event.ts";
import type { Outcome } from "../kernel/state.ts";

// What a conversation is made of. The log refers to these as bodies; the model gets them in order.

export type Message = UserMessage | AssistantMessage | ToolMessage;

export interface UserMessage {
  readonly role: "user";
  readonly promptId: string;
  readonly text: string;
  /** Their contents are read with AgentContext.attachment. */
  readonly attachments: readonly AttachmentReference[];
  readonly actor: Actor;
  /** False for a message that wants no reply: it is there to be known (P7). */
  readonly reply: boolean;
  /** Set when it brings the outcome of a background child. */
  readonly resultOf: {
    readonly sessionId: string;
    readonly promptId: string;
    readonly outcome: Outcome;
  } | null;
  /** Set where the sender has named them; they count for the run that the prompt starts. */
  readonly agent?: string;
  readonly model?: string;
  /** What the text was made of. */
  readonly command?: CommandReference;
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly runId: string;
  readonly step: number;
  readonly text: string;
  readonly calls: readonly CallRequest[];
  /** It was cut off by a stop; what is here is what had arrived. */
  readonly interrupted: boolean;
  readonly extra: unknown;
}

export interface ToolMessage {
  readonly role: "tool";
  readonly callId: string;
  readonly status: ToolStatus;
  readonly output: string;
  readonly extra: unknown;
  /** What it shows besides; left out when there is nothing. */
  readonly files?: readonly AttachmentReference[];
}

export interface CallRequest {
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
  /** Running it a second time is safe (R2). */
  readonly repeatable: boolean;
}

/** A file that came with a prompt, or that a call has found: its content is the body of that hash. */
export interface AttachmentReference {
  readonly hash: string;
  readonly name: string | null;
  readonly mediaType: string;
  readonly bytes: number;
}

/** A prompt's stored body. */
export interface PromptBody {
  readonly text: string;
  /** Left out when there are none. */
  readonly attachments?: readonly AttachmentReference[];
  /** Left out when the sender has not named them. */
  readonly agent?: string;
  readonly model?: string;
  /** What the text was made of. */
  readonly command?: CommandReference;
}

/** A command that was sent in place of a text. */
export interface CommandReference {
  readonly name: string;
  readonly arguments: string;
  /** It was the program's own when the prompt was accepted; left out for one of the directory's. */
  readonly builtIn?: true;
}

/** The stored body of what a session began with: the messages of another, as people saw them. */
export type TranscriptBody =
  | { readonly messages: readonly TranscriptMessage[] }
  /** Of a long one: each page is the body of a part of its messages, in order. */
  | { readonly pages: readonly TranscriptPage[] };

export interface TranscriptPage {
  readonly hash: string;
  /** How many messages it has. */
  readonly count: number;
}

/** A message as people see it: also what the model never got. */
export type TranscriptMessage = { readonly at: number } & (
  | (UserMessage & {
      /** False for one that was settled before it entered the conversation (C2). */
      readonly entered: boolean;
      readonly outcome: Outcome | null;
    })
  | AssistantMessage
  /** `intent`: what the call was about to do, for one that is in doubt. */
  | (ToolMessage & { readonly intent: string | null })
);

/** A model answer's stored body. */
export interface AnswerBody {
  readonly text: string;
  readonly calls: readonly CallRequest[];
  readonly extra: unknown;
}

/** The stored body of what a call is about to do. */
export interface IntentBody {
  readonly summary: string;
  /** `before` names the body that holds the old content; null where there was no file. */
  readonly files: readonly { readonly path: string; readonly before: string | null }[];
}

/** A tool result's stored body. */
export interface ToolBody {
  readonly output: string;
  readonly extra: unknown;
  /** Left out when there are none. */
  readonly files?: readonly AttachmentReference[];
}

/** An ask's stored body. */
export interface AskBody {
  readonly question: string;
  readonly extra: unknown;
}

/** The stored body of what was answered to an ask. */
export interface AnswerToAskBody {
  readonly text: string | null;
  /** Kept for the session or the project: the same is not asked again. */
  readonly remember: "session" | "project" | null;
}

/** A run's stored result, or the text of its error. */
export interface ResultBody {
  readonly text: string;
}
