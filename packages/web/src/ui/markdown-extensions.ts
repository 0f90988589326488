import type { TokenizerAndRendererExtension, Tokens } from "marked";

// Syntax beyond GitHub's markdown: footnotes and maths. The tokenizers find them; the renderers are in
// `markdown-blocks.ts`.

/** Longest formula that is drawn. A longer one is shown as its source. */
export const longestFormula = 1_000;

/** The types of tokens that contain a formula. */
export const mathTypes = ["mathBlock", "mathInline"] as const;

/** Matches `[^1]: text` at the start of a line, with the indented lines after it. */
const footnoteText = /^\[\^([^\]\s]{1,40})\]:[ \t]*([^\n]*(?:\n[ \t]+\S[^\n]*)*)(?:\n+|$)/;
const footnoteMark = /^\[\^([^\]\s]{1,40})\](?!:)/;
/** Matches `$$ … $$` or `\[ … \]` on lines of their own. */
const mathBlock = /^(?:\$\$([^$]+?)\$\$|\\\[([\s\S]+?)\\\])[ \t]*(?:\n+|$)/;
/**
 * Matches `$x$` or `\(x\)` inside a line. There must be no blank after the first `$` or before the last one, and no
 * letter or digit after the last one, so that prices and shell variables stay text.
 */
const mathInline = /^(?:\$(?![\s$])([^$\n]*?[^\s$\\])\$(?![A-Za-z0-9$])|\\\(([^\n]+?)\\\))/;

export const markdownExtensions: TokenizerAndRendererExtension[] = [
  {
    name: "footnoteText",
    level: "block",
    start: (source) => indexOfLine(source, /\n\[\^[^\]\s]{1,40}\]:/),
    tokenizer(source): Tokens.Generic | undefined {
      const match = footnoteText.exec(source);
      if (match === null) return undefined;
      const [raw, name = "", text = ""] = match;
      return { type: "footnoteText", raw, name, tokens: this.lexer.inlineTokens(text) };
    },
  },
  {
    name: "footnoteMark",
    level: "inline",
    start: (source) => indexOf(source, "[^"),
    tokenizer: (source) => {
      const match = footnoteMark.exec(source);
      return match === null
        ? undefined
        : { type: "footnoteMark", raw: match[0], name: match[1] ?? "" };
    },
  },
  {
    name: "mathBlock",
    level: "block",
    start: (source) => indexOfLine(source, /\n(?:\$\$|\\\[)/),
    tokenizer: (source) => formula("mathBlock", mathBlock.exec(source)),
  },
  {
    name: "mathInline",
    level: "inline",
    start: (source) => {
      const found = source.search(/\$|\\\(/);
      return found === -1 ? undefined : found;
    },
    tokenizer: (source) => formula("mathInline", mathInline.exec(source)),
  },
];

function formula(
  type: (typeof mathTypes)[number],
  match: RegExpExecArray | null,
): Tokens.Generic | undefined {
  if (match === null) return undefined;
  return { type, raw: match[0], text: (match[1] ?? match[2] ?? "").trim() };
}

function indexOf(source: string, part: string): number | undefined {
  const found = source.indexOf(part);
  return found === -1 ? undefined : found;
}

function indexOfLine(source: string, pattern: RegExp): number | undefined {
  const found = source.search(pattern);
  return found === -1 ? undefined : found + 1;
}
