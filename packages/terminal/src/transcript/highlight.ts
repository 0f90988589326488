import type { HighlightCore, LanguageFn } from "highlight.js/lib/core";
import type { Look, Paint } from "../screen/look.ts";

/** Colours code. Returns its lines. */
export type Highlight = (code: string, language: string) => readonly string[];

/** Returns the code without colours. Used until the highlighter is loaded, and if colours are off. */
export const noHighlight: Highlight = (code) => code.split("\n");

/** Loads the highlighter. It takes tens of milliseconds, so the screen is painted first. */
export async function loadHighlight(look: Look): Promise<Highlight> {
  if (!look.hasColours) return noHighlight;
  const { default: core } = await import("highlight.js/lib/core");
  const known = await Promise.all(
    Object.entries(languages).map(async ([name, load]) => [name, await load()] as const),
  );
  for (const [name, { default: language }] of known) core.registerLanguage(name, language);
  return (code, language) => highlighted(core, { code, language, look });
}

const languages: Readonly<Record<string, () => Promise<{ default: LanguageFn }>>> = {
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  css: () => import("highlight.js/lib/languages/css"),
  diff: () => import("highlight.js/lib/languages/diff"),
  go: () => import("highlight.js/lib/languages/go"),
  java: () => import("highlight.js/lib/languages/java"),
  json: () => import("highlight.js/lib/languages/json"),
  markdown: () => import("highlight.js/lib/languages/markdown"),
  python: () => import("highlight.js/lib/languages/python"),
  rust: () => import("highlight.js/lib/languages/rust"),
  sql: () => import("highlight.js/lib/languages/sql"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
};

/** Longer code is printed without colours. */
const longest = 50_000;

function highlighted(
  core: HighlightCore,
  { code, language, look }: { code: string; language: string; look: Look },
): readonly string[] {
  const name = language.toLowerCase();
  if (code.length > longest || core.getLanguage(name) === undefined) return noHighlight(code, "");
  const { value } = core.highlight(code, { language: name, ignoreIllegals: true });
  return paintTags(value, look);
}

/** The highlighter writes HTML: `<span class="hljs-keyword">const</span> a &lt; b`. */
function paintTags(html: string, look: Look): readonly string[] {
  const open: Paint[] = [];
  const lines: string[] = [""];
  const add = (text: string): void => {
    for (const [index, part] of unescapeHtml(text).split("\n").entries()) {
      if (index > 0) lines.push("");
      const paint = open.at(-1);
      lines[lines.length - 1] += paint === undefined ? part : paint(part);
    }
  };
  for (const [, tag, name, text] of html.matchAll(/(<span class="([^"]*)">|<\/span>)|([^<]+)/g)) {
    if (text !== undefined) add(text);
    else if (tag === "</span>") open.pop();
    else open.push(paintOf(name ?? "", look) ?? open.at(-1) ?? ((plain) => plain));
  }
  return lines;
}

function paintOf(names: string, look: Look): Paint | null {
  if (/keyword|literal|selector-tag|meta|section/.test(names)) return look.keyword;
  if (/string|regexp|addition|attr\b/.test(names)) return look.text;
  if (/number|symbol|deletion/.test(names)) return look.number;
  if (/comment|quote/.test(names)) return look.comment;
  if (/title|built_in|type|name|tag/.test(names)) return look.accent;
  return null;
}

const entities: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
  "&amp;": "&",
};

function unescapeHtml(text: string): string {
  return text.replaceAll(/&(?:lt|gt|quot|#x27|amp);/g, (entity) => entities[entity] ?? entity);
}
