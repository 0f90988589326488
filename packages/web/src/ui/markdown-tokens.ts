import { Marked } from "marked";
import type { Token } from "marked";
import remend from "remend";

const plain = new Marked({ gfm: true, breaks: true });

/** The blocks of a text as marked reads them, without the empty lines between them. */
export function markdownTokens(text: string): readonly Token[] {
  return plain.lexer(text).filter(isShown);
}

/**
 * Reads a text that grows, again and again, and each time only from where its last block begins:
 * what comes later does not change the blocks before that one. The one thing that could, the target
 * of a link far above, is found when the whole text is read at its end. Unfinished marks are closed.
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
    const found: readonly Token[] = plain.lexer(remend(rest));
    const last = found.findLastIndex(isShown);
    const before = found.slice(0, Math.max(0, last));
    const raw = before.map((token) => token.raw).join("");
    // Closing the marks has not touched what is over.
    if (raw !== "" && rest.startsWith(raw)) {
      done += raw;
      tokens = [...tokens, ...before.filter(isShown)];
      return [...tokens, ...found.slice(last).filter(isShown)];
    }
    return [...tokens, ...found.filter(isShown)];
  };
}

function isShown({ type }: Token): boolean {
  return type !== "space" && type !== "def";
}
