import { AbstractChat } from "ai";
import type { ChatState, ChatTransport, UIMessage } from "ai";

/** The chat of `useChat` without a page. */
export class PlainChat extends AbstractChat<UIMessage> {
  constructor(id: string, transport: ChatTransport<UIMessage>, messages: UIMessage[] = []) {
    super({ id, transport, state: plainState(messages) });
  }
}

function plainState(messages: UIMessage[]): ChatState<UIMessage> {
  const state: ChatState<UIMessage> = {
    status: "ready",
    error: undefined,
    messages,
    pushMessage: (message) => {
      state.messages = [...state.messages, message];
    },
    popMessage: () => {
      state.messages = state.messages.slice(0, -1);
    },
    replaceMessage: (index, message) => {
      state.messages = state.messages.with(index, message);
    },
    snapshot: (thing) => structuredClone(thing),
  };
  return state;
}

/** The text parts of the last message. */
export function lastText({ messages }: PlainChat): string {
  const parts = messages.at(-1)?.parts ?? [];
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("|");
}
