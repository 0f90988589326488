import DOMPurify from "dompurify";
import { Marked } from "marked";
import type { Token, Tokens } from "marked";
import { visibleText } from "@holdfast/model/visible-text.ts";
import { t } from "../i18n/text.ts";
import { footnoteHref, otherFootnoteHref } from "../model/footnotes.ts";
import type { FootnotePart } from "../model/footnotes.ts";
import { mathTypes } from "./markdown-extensions.ts";
import { growingTokens, markdownTokens } from "./markdown-tokens.ts";
import { drawFormula, mathLibrary } from "./math.ts";

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

/** Draws a formula. Shows its source until the library is loaded, or if the formula cannot be parsed. */
function formula({ type, raw, text }: Tokens.Generic): string {
  const isBlock = type === "mathBlock";
  const drawn = drawFormula(String(text), { isBlock });
  const shown = drawn ?? `<code>${escape(raw.trim())}</code>`;
  return isBlock ? `<p>${shown}</p>` : shown;
}

/** Returns the number of a footnote as a link to its text or to its mark. `Markdown` follows the link. */
function footnoteLink(to: FootnotePart, name: string): string {
  return `<sup><a href="${escape(footnoteHref(to, name))}">${escape(name)}</a></sup>`;
}

const marked = new Marked({
  gfm: true,
  breaks: true,
  extensions: [
    ...mathTypes.map((name) => ({ name, renderer: formula })),
    {
      name: "footnoteMark",
      renderer: ({ name }) => footnoteLink("text", String(name)),
    },
    {
      name: "footnoteText",
      renderer(token) {
        const text = this.parser.parseInline(token.tokens ?? []);
        return `<p><small>${footnoteLink("mark", String(token["name"]))} ${text}</small></p>`;
      },
    },
  ],
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
  // The box of a task has no label of its own, because it comes before the text.
  if (node.tagName === "INPUT") {
    const { checked, unchecked } = t().calls;
    node.setAttribute("aria-label", node.hasAttribute("checked") ? checked : unchecked);
  }
  if (node.tagName !== "A" || otherFootnoteHref(node.getAttribute("href")) !== null) return;
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer");
});

/** Attributes that contain no URL. Without this list, the sanitizer would check them as URLs. */
const uriSafe = [
  ..."start align type checked disabled".split(" "),
  ..."display mathvariant fence form stretchy separator accent accentunder linethickness".split(
    " ",
  ),
  ..."movablelimits largeop lspace rspace width height depth minsize maxsize symmetric".split(" "),
  ..."columnalign columnspacing rowspacing columnlines rowlines displaystyle scriptlevel".split(
    " ",
  ),
];

const allowed = {
  ALLOWED_TAGS: [
    ..."p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong del a".split(" "),
    ..."table thead tbody tr th td input sup small".split(" "),
    // MathML elements. They come only from the formula library, because HTML in an answer is shown as text. Elements
    // that can contain HTML or links, such as annotation-xml and maction, are left out on purpose.
    ..."math mrow mi mn mo ms mspace mtext mfrac msqrt mroot mstyle mpadded mphantom menclose".split(
      " ",
    ),
    ..."msub msup msubsup munder mover munderover mmultiscripts mprescripts mtable mtr mtd".split(
      " ",
    ),
  ],
  ALLOWED_ATTR: ["href", "title", ...uriSafe],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|#)/i,
  ADD_URI_SAFE_ATTR: uriSafe,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

/** Blocks by their source. */
const known = new Map<string, Block>();
/** Blocks that depend on other parts of their text. */
let dependent = new WeakMap<Token, Block>();
/** Value of `mathLibrary()` when the known blocks were made. */
let drawnWith: unknown = null;
const remembered = 500;

/** Converts an answer to blocks. */
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
  // When the formula library is loaded, draw the formulas again.
  if (drawnWith !== mathLibrary()) {
    drawnWith = mathLibrary();
    known.clear();
    dependent = new WeakMap();
  }
  // A reference such as `[docs][1]` depends on a definition elsewhere, so another text with the same block may have
  // another address for it.
  const isDependent = token.type !== "code" && raw.includes("[");
  const before = isDependent ? dependent.get(token) : known.get(raw);
  if (before !== undefined) return before;
  const block = makeBlock(token);
  if (known.size >= remembered) known.clear();
  if (isDependent) dependent.set(token, block);
  else known.set(raw, block);
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
