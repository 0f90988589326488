import { Marked } from "marked";
import type { Token } from "marked";
import remend from "remend";
import { markdownExtensions } from "./markdown-extensions.ts";

const plain = new Marked({ gfm: true, breaks: true, extensions: markdownExtensions });

/** Parses a text into blocks and drops the blank lines between them. */
export function markdownTokens(text: string): readonly Token[] {
  return plain.lexer(text).filter(isShown);
}

/**
 * Parses a growing text repeatedly, each time only from its second-last block, because new text can
 * change the last two (a list may continue). A link definition could change earlier blocks; the
 * final parse of the whole text handles this. Unfinished marks in the last block are closed.
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
    let kept = Math.max(0, found.slice(0, Math.max(0, last)).findLastIndex(isShown));
    while (kept > 0 && isOpen(found[kept - 1])) kept -= 1;
    const before = found.slice(0, kept);
    const closed = markdownTokens(remend(found[last]?.raw ?? ""));
    const shown = [...before, ...found.slice(kept, Math.max(0, last)), ...closed].filter(isShown);
    const all = [...tokens, ...shown];
    const raw = before.map((token) => token.raw).join("");
    // The parser may have normalized some characters; then the block is parsed again.
    if (raw !== "" && rest.startsWith(raw)) {
      done += raw;
      tokens = [...tokens, ...before.filter(isShown)];
    }
    return all;
  };
}

const openTypes: ReadonlySet<string> = new Set(["paragraph", "mathBlock", "footnoteText"]);

/** True if no blank line follows the block. Then a later line of `===` can make the block a part of a heading. */
function isOpen(token: Token | undefined): boolean {
  return token !== undefined && openTypes.has(token.type) && !token.raw.endsWith("\n\n");
}

function isShown({ type }: Token): boolean {
  return type !== "space" && type !== "def";
}
