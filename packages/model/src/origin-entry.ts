import type { SearchHit } from "@holdfast/sdk";
import type { Entry } from "./conversation.ts";

/**
 * Returns the id of the entry that shows a search hit in the messages that a fork or an import started with; null if none
 * does. The seq of such a hit is the seq of `session.created`, so it does not identify the message.
 *
 * @param entries Entries that `messageEntries` has returned.
 */
export function originEntryId(
  entries: readonly Entry[],
  { kind, promptId, callId, snippet }: Pick<SearchHit, "kind" | "promptId" | "callId" | "snippet">,
): string | null {
  const words = plain(snippet.map(({ text }) => text).join("")).replaceAll(/^…|…$/g, "");
  const found = entries.find((entry) => {
    if (entry.kind === "prompt") return kind === "prompt" && entry.prompt.promptId === promptId;
    if (entry.kind !== "step") return false;
    if (callId !== undefined) return entry.calls.some((call) => call.callId === callId);
    return kind === "answer" && plain(entry.text).includes(words);
  });
  return found?.id ?? null;
}

/** Makes texts comparable: a snippet has single spaces instead of line breaks and longer gaps. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
