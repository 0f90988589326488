import { Marked } from "marked";
import type { Token } from "marked";
import remend from "remend";

const plain = new Marked({ gfm: true, breaks: true });

/** The blocks of a text as marked reads them, without the empty lines between them. */
export function markdownTokens(text: string): readonly Token[] {
  return plain.lexer(text).filter(isShown);
}

/**
 * Reads a text that grows, again and again, and each time only from where its last but one block
 * begins. What comes later can change those two: a list goes on behind what looked like words. The one
 * thing that could change others, the target of a link far above, is found when the whole text is
 * read at its end. Unfinished marks of the last block are closed.
 */
export function growingTokens(): (text: string) => readonly Token[] {
  let done = "";
  let tokens: readonly Token[] = [];
  return (text) => {
    if (!text.startsWith(done)) {
      done = "";
      tokens = [];
    }
    const rest = text.slice(done.length);
    const found: readonly Token[] = plain.lexer(rest);
    const last = found.findLastIndex(isShown);
    const kept = Math.max(0, found.slice(0, Math.max(0, last)).findLastIndex(isShown));
    const before = found.slice(0, kept);
    const closed = markdownTokens(remend(found[last]?.raw ?? ""));
    const shown = [...before, ...found.slice(kept, Math.max(0, last)), ...closed].filter(isShown);
    const all = [...tokens, ...shown];
    const raw = before.map((token) => token.raw).join("");
    // Reading may have put other characters in the place of some; then it is read again.
    if (raw !== "" && rest.startsWith(raw)) {
      done += raw;
      tokens = [...tokens, ...before.filter(isShown)];
    }
    return all;
  };
}

function isShown({ type }: Token): boolean {
  return type !== "space" && type !== "def";
}
