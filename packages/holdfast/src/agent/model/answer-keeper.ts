import type {
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { replayedFields } from "./chat/replayed-fields.ts";

type AssistantMessage = Extract<LanguageModelV4Message, { role: "assistant" }>;
type Content = AssistantMessage["content"][number];
type Words = Extract<Content, { type: "text" | "reasoning" }>;
type WordsPart = Extract<
  LanguageModelV4StreamPart,
  { type: `${Words["type"]}-${"start" | "delta" | "end"}` }
>;

/** Collects an answer in the format that its provider needs in later requests, including signatures. */
export interface AnswerKeeper {
  /** Adds a piece of text or reasoning. Pieces of different texts may alternate. */
  words(part: WordsPart): void;
  /** Adds a tool call with its parsed arguments. */
  call(part: LanguageModelV4ToolCall, input: unknown): void;
  /** Returns the collected answer. `metadata`: the metadata at the end of the answer. */
  messages(metadata?: SharedV4ProviderMetadata): readonly AssistantMessage[];
}

export function createAnswerKeeper(): AnswerKeeper {
  const content: Content[] = [];
  const open = new Map<string, Words>();
  const openWords = (type: Words["type"], id: string): Words => {
    const key = `${type} ${id}`;
    const known = open.get(key);
    if (known !== undefined) return known;
    const started: Words = { type, text: "" };
    open.set(key, started);
    content.push(started);
    return started;
  };
  return {
    words: (part) => {
      const type = part.type.startsWith("text") ? "text" : "reasoning";
      const words = openWords(type, part.id);
      if ("delta" in part) words.text += part.delta;
      // Use the metadata of the last piece, because a signature arrives only at the end.
      if (part.providerMetadata !== undefined) words.providerOptions = part.providerMetadata;
      if (part.type === `${type}-end`) open.delete(`${type} ${part.id}`);
    },
    call: ({ toolCallId, toolName, providerMetadata }, input) => {
      const call = { type: "tool-call", toolCallId, toolName, input } as const;
      const isPlain = providerMetadata === undefined;
      content.push(isPlain ? call : { ...call, providerOptions: providerMetadata });
    },
    messages: (metadata) => {
      const replayed = replayedFields(metadata);
      const kept = content.filter((part) => {
        // Drop reasoning parts if the answer has fields to send back unchanged, because these already contain the
        // reasoning.
        if (part.type === "reasoning") return replayed === null;
        return part.type !== "text" || part.text !== "" || part.providerOptions !== undefined;
      });
      if (kept.length === 0) return [];
      const message = { role: "assistant", content: kept } as const;
      return [replayed === null ? message : { ...message, providerOptions: replayed }];
    },
  };
}

const wordsTypes: ReadonlySet<string> = new Set<WordsPart["type"]>([
  "text-start",
  "text-delta",
  "text-end",
  "reasoning-start",
  "reasoning-delta",
  "reasoning-end",
]);

export function isWords(part: LanguageModelV4StreamPart): part is WordsPart {
  return wordsTypes.has(part.type);
}
