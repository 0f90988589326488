type Fields = Readonly<Record<string, unknown>>;

const mark = { cache_control: { type: "ephemeral" } } as const;

/**
 * Sets three marks, up to which the server should cache the prompt: at the end of the system prompt, of the previous
 * request, and of this request. Converts every text to a list of parts, so that a message looks the same with and
 * without a mark.
 */
export function markCache(messages: readonly Fields[]): readonly Fields[] {
  const answer = messages.findLastIndex(({ role }) => role === "assistant");
  const before = messages.slice(0, answer).findLastIndex(({ role }) => role !== "assistant");
  const places = new Set([0, Math.max(0, before), messages.length - 1]);
  return messages.map((message, place) => {
    if (message["role"] === "assistant") return message;
    const parts = partsOf(message["content"]);
    const last = parts.at(-1);
    if (last === undefined) return message;
    const content = places.has(place) ? [...parts.slice(0, -1), { ...last, ...mark }] : parts;
    return { ...message, content };
  });
}

function partsOf(content: unknown): readonly object[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [];
}
