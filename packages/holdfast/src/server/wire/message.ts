import type { Message } from "../../contract/message.ts";
import type { MessageView } from "../../runtime/views/messages.ts";
import { answerFields } from "./answer.ts";

export function wireMessage(message: MessageView): Message {
  if (message.role !== "assistant") return message;
  const { extra, ...rest } = message;
  return { ...rest, ...answerFields(extra) };
}
