import { createHash } from "node:crypto";
import type { LanguageModelV4Message } from "@ai-sdk/provider";

type Message = LanguageModelV4Message;
type UserMessage = Extract<Message, { role: "user" }>;

/**
 * Adapts a conversation to the requirements of the model. Joins consecutive user messages, which a failed run leaves
 * behind and some models reject.
 */
export function arrange(
  given: readonly Message[],
  { model, baseUrl }: { readonly model: string; readonly baseUrl: string },
): readonly Message[] {
  const prompt = strictAddress.test(baseUrl) ? given.map(withoutReasoning) : given;
  const isMistral = mistral.test(model);
  if (!isMistral && !alternating.test(model)) return prompt;
  const joined: Message[] = [];
  for (const message of prompt) {
    const last = joined.at(-1);
    if (message.role !== "user" || last?.role !== "user") joined.push(message);
    else joined[joined.length - 1] = join(last, message);
  }
  return isMistral ? forMistral(joined) : joined;
}

const mistral = /(?:mis|mix|codes|devs|magis|minis|pix)tral/i;
const alternating = /gemma/i;
/** Addresses of servers that reject their own reasoning in later requests. Most servers accept it. */
const strictAddress = /^https?:\/\/[^/]*\b(?:groq\.com|cerebras\.ai|mistral\.ai)\b/i;

function withoutReasoning(message: Message): Message {
  if (message.role !== "assistant") return message;
  return { ...message, content: message.content.filter(({ type }) => type !== "reasoning") };
}

/** Joins the texts of two messages in one part if possible, because some servers do not accept a list. */
function join(first: UserMessage, second: UserMessage): UserMessage {
  const [own, ...more] = [first.content.at(-1), ...second.content];
  const [next, ...rest] = more;
  if (own?.type !== "text" || next?.type !== "text") {
    return { role: "user", content: [...first.content, ...second.content] };
  }
  const text = `${own.text}\n\n${next.text}`;
  return {
    role: "user",
    content: [...first.content.slice(0, -1), { type: "text", text }, ...rest],
  };
}

/** Mistral requires an answer between tool results and the next user message, and call ids of nine characters. */
function forMistral(prompt: readonly Message[]): Message[] {
  return prompt.flatMap((message, place) => {
    const own = withShortIds(message);
    if (message.role !== "user" || prompt[place - 1]?.role !== "tool") return own;
    return [{ role: "assistant", content: [{ type: "text", text: "I see." }] }, own];
  });
}

function withShortIds(message: Message): Message {
  switch (message.role) {
    case "assistant": {
      const content = message.content.map((part) =>
        part.type === "tool-call" ? { ...part, toolCallId: shortId(part.toolCallId) } : part,
      );
      return { ...message, content };
    }
    case "tool": {
      const content = message.content.map((part) =>
        part.type === "tool-result" ? { ...part, toolCallId: shortId(part.toolCallId) } : part,
      );
      return { ...message, content };
    }
    case "user":
    case "system":
      return message;
  }
}

function shortId(id: string): string {
  if (/^[A-Za-z0-9]{9}$/.test(id)) return id;
  return createHash("sha256").update(id).digest("hex").slice(0, 9);
}
