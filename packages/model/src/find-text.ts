import { callTitle } from "./call-title.ts";
import type { Entry } from "./conversation.ts";
import { visibleText } from "./visible-text.ts";

/** One occurrence of the search text in a conversation. */
export interface TextMatch {
  readonly entryId: string;
  /** The call whose title or output contains the text; null: the text is in the entry itself. */
  readonly callId: string | null;
  /** Index of the occurrence in the text of the entry or call, from 0. */
  readonly index: number;
}

/** Maximum number of matches that are counted. */
export const maxMatches = 10_000;

/** Searches prompts, answers and tool calls (title and output) in the conversation's order. Ignores case. */
export function findText(entries: readonly Entry[], words: string): readonly TextMatch[] {
  const wanted = words.toLowerCase();
  const matches: TextMatch[] = [];
  if (wanted === "") return matches;
  for (const entry of entries) {
    for (const { callId, text } of textsOf(entry)) {
      const count = countOf(text.toLowerCase(), wanted);
      for (let index = 0; index < count; index += 1) {
        if (matches.length >= maxMatches) return matches;
        matches.push({ entryId: entry.id, callId, index });
      }
    }
  }
  return matches;
}

function textsOf(
  entry: Entry,
): readonly { readonly callId: string | null; readonly text: string }[] {
  if (entry.kind === "prompt")
    return [{ callId: null, text: visibleText(entry.prompt.text ?? "") }];
  if (entry.kind !== "step") return [];
  return [
    { callId: null, text: entry.text },
    ...entry.calls.map(({ callId, input, output }) => ({
      callId,
      text: `${callTitle(input)}\n${output}`,
    })),
  ];
}

function countOf(text: string, wanted: string): number {
  let count = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    count += 1;
  }
  return count;
}
