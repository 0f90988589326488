import type {
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
} from "@ai-sdk/provider";

type AssistantMessage = Extract<LanguageModelV4Message, { role: "assistant" }>;
type Content = AssistantMessage["content"][number];
type Words = Extract<Content, { type: "text" | "reasoning" }>;
type WordsPart = Extract<
  LanguageModelV4StreamPart,
  { type: `${Words["type"]}-${"start" | "delta" | "end"}` }
>;

/** Puts an answer together in the form in which its provider wants it back, seals included. */
export interface AnswerKeeper {
  /** A piece of words. Pieces of several texts may come mixed. */
  words(part: WordsPart): void;
  /** A call, with its arguments read. */
  call(part: LanguageModelV4ToolCall, input: unknown): void;
  messages(): readonly AssistantMessage[];
}

export function createAnswerKeeper(): AnswerKeeper {
  const content: Content[] = [];
  const open = new Map<string, Words>();
  const openWords = (type: Words["type"], id: string): Words => {
    const key = `${type} ${id}`;
    const known = open.get(key);
    if (known !== undefined) return known;
    const begun: Words = { type, text: "" };
    open.set(key, begun);
    content.push(begun);
    return begun;
  };
  return {
    words: (part) => {
      const type = part.type.startsWith("text") ? "text" : "reasoning";
      const words = openWords(type, part.id);
      if ("delta" in part) words.text += part.delta;
      // What comes last holds all of it: a signature is there only at the end.
      if (part.providerMetadata !== undefined) words.providerOptions = part.providerMetadata;
      if (part.type === `${type}-end`) open.delete(`${type} ${part.id}`);
    },
    call: ({ toolCallId, toolName, providerMetadata }, input) => {
      const call = { type: "tool-call", toolCallId, toolName, input } as const;
      const isPlain = providerMetadata === undefined;
      content.push(isPlain ? call : { ...call, providerOptions: providerMetadata });
    },
    messages: () => {
      const said = content.filter(
        (part) => part.type !== "text" || part.text !== "" || part.providerOptions !== undefined,
      );
      return said.length === 0 ? [] : [{ role: "assistant", content: said }];
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
