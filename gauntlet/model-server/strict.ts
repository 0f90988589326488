import type { HeardMessage, ModelCall } from "./script.ts";

/** Returns the reason why a provider would reject this request; null if it would accept it. */
export function objectionTo(call: ModelCall): string | null {
  const { messages } = call;
  if (messages[0]?.role !== "user") return "the first message must be the user's";
  if (messages.at(-1)?.role === "assistant") return "the last message must not be the assistant's";
  const known = new Set<string>();
  let open: string[] = [];
  for (const message of messages) {
    const objection = exchange(message, open);
    if (objection !== null) return objection;
    if (message.role === "tool") open = without(open, message);
    for (const { id } of message.calls) {
      // Google's calls have no ids.
      if (call.protocol !== "google" && known.has(id)) return `tool call id ${id} is used twice`;
      known.add(id);
      open.push(id);
    }
  }
  return open.length === 0 ? null : `no tool result for ${open.join(", ")}`;
}

function exchange(message: HeardMessage, open: readonly string[]): string | null {
  switch (message.role) {
    case "user":
      return open.length === 0 ? null : `no tool result for ${open.join(", ")}`;
    case "assistant":
      return null;
    case "tool": {
      const stray = message.results.find(({ id }) => !open.includes(id));
      return stray === undefined ? null : `a tool result for ${stray.id}, which was not called`;
    }
  }
}

function without(open: readonly string[], { results }: HeardMessage): string[] {
  const left = [...open];
  for (const { id } of results) left.splice(left.indexOf(id), 1);
  return left;
}
