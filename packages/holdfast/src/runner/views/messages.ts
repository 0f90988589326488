import type { TranscriptMessage, UserMessage } from "../../agent/message.ts";

export interface MessageViews {
  /** What people see of a session, in order; what it inherited comes first. */
  messages(query: MessageQuery): Promise<MessagePage>;
}

export interface MessageQuery {
  readonly sessionId: string;
  /** The cursor of the page before; null from the beginning. */
  readonly after: string | null;
  readonly limit: number;
}

export interface MessagePage {
  readonly messages: readonly MessageView[];
  /** Prompts that are not in the conversation yet, in queue order; only on the last page. */
  readonly waiting: readonly UserMessage[];
  /** Null at the end. */
  readonly cursor: string | null;
}

/** `seq`: the event that brought it into the session; null for one that was inherited. */
export type MessageView = TranscriptMessage & { readonly seq: number | null };
