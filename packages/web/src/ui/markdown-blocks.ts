import DOMPurify from "dompurify";
import { Marked } from "marked";
import type { Token } from "marked";
import { visibleText } from "@holdfast/model/visible-text.ts";
import { growingTokens, markdownTokens } from "./markdown-tokens.ts";

/** A block of an answer: code, or anything else as HTML. */
export type Block =
  | {
      readonly kind: "code";
      readonly raw: string;
      readonly code: string;
      readonly language: string;
    }
  | { readonly kind: "html"; readonly raw: string; readonly html: string };

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? "");
}

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    // HTML written by a model is shown as text and never becomes part of the page.
    html: ({ text }) => escape(text),
    // Show a link instead of the image: loading it would reveal to its host that the answer was
    // read.
    image: ({ href, text }) => `<a href="${escape(href)}">${escape(text === "" ? href : text)}</a>`,
  },
});

const purifier = DOMPurify(window);
purifier.addHook("afterSanitizeAttributes", (node) => {
  // Make tables focusable, so that wide ones can be scrolled with the keyboard.
  if (node.tagName === "TABLE") node.setAttribute("tabindex", "0");
  if (node.tagName !== "A") return;
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer");
});

const allowed = {
  ALLOWED_TAGS: [
    ..."p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong del a".split(" "),
    ..."table thead tbody tr th td input".split(" "),
  ],
  ALLOWED_ATTR: ["href", "title", "start", "align", "type", "checked", "disabled"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|#)/i,
  // These attributes contain no URL. Without this list the sanitizer would treat them as URLs.
  ADD_URI_SAFE_ATTR: ["start", "align", "type", "checked", "disabled"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

const known = new Map<string, Block>();
const remembered = 500;

/** Converts an answer to blocks. The same text always gives the same blocks. */
export function markdownBlocks(text: string): readonly Block[] {
  return markdownTokens(visibleText(text)).map(blockOf);
}

/** Returns a function that converts an answer in progress to blocks. Each call parses only the new part. */
export function growingBlocks(): (text: string) => readonly Block[] {
  const read = growingTokens();
  return (text) => read(visibleText(text)).map(blockOf);
}

function blockOf(token: Token): Block {
  const { raw } = token;
  const before = known.get(raw);
  if (before !== undefined) return before;
  const block = makeBlock(token);
  if (known.size >= remembered) known.clear();
  known.set(raw, block);
  return block;
}

function makeBlock(token: Token): Block {
  const { raw } = token;
  if (token.type === "code") {
    const language: unknown = token["lang"];
    const code: unknown = token["text"];
    return {
      kind: "code",
      raw,
      code: typeof code === "string" ? code : "",
      language: typeof language === "string" ? (language.split(/\s/)[0] ?? "") : "",
    };
  }
  const html = purifier.sanitize(marked.parser([token]), allowed);
  return { kind: "html", raw, html };
}
