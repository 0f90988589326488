import { isAlias, isMap, isScalar, isSeq, parseDocument } from "yaml";
import type { Document } from "yaml";
import type { Notice } from "../loader.ts";
import { lineAndColumn, notice } from "./source.ts";
import type { Source, SourceEntry, SourceNode } from "./source.ts";

export interface Markdown {
  /** The parsed front matter; an empty object if there is none. */
  readonly source: Source;
  readonly body: string;
}

/** Splits a markdown file into its front matter, between two lines of `---`, and its body. */
export function parseMarkdown(
  file: string,
  text: string,
): { markdown: Markdown | null; notices: readonly Notice[] } {
  const empty: SourceNode = { kind: "object", at: 0, entries: new Map() };
  const opening = /^---[ \t]*\r?\n/.exec(text)?.[0];
  if (opening === undefined) {
    return { markdown: { source: { file, text, root: empty }, body: text.trim() }, notices: [] };
  }
  const broken = (at: number, message: string) => ({
    markdown: null,
    notices: [notice("error", { place: { file, ...lineAndColumn(text, at) }, path: [], message })],
  });
  const closing = /^---[ \t]*(?:\r?\n|$)/m.exec(text.slice(opening.length));
  if (closing === null) return broken(0, "the front matter has no closing line of ---");
  const front = text.slice(opening.length, opening.length + closing.index);
  if (front.length > maxFrontMatter) {
    return broken(0, `the front matter has more than ${maxFrontMatter} characters`);
  }
  const body = text.slice(opening.length + closing.index + closing[0].length).trim();
  const document = parseDocument(front, { prettyErrors: false, logLevel: "silent" });
  const [error] = [...document.errors, ...document.warnings];
  if (error !== undefined) return broken(opening.length + error.pos[0], describe(error));
  try {
    const root = rootOf(document, opening.length) ?? empty;
    return { markdown: { source: { file, text, root }, body }, notices: [] };
  } catch (problem) {
    if (!(problem instanceof UnusableYaml)) throw problem;
    return broken(problem.at, problem.message);
  }
}

const maxFrontMatter = 20_000;

class UnusableYaml extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.name = "UnusableYaml";
    this.at = at;
  }
}

function rootOf({ contents }: Document.Parsed, offset: number): SourceNode | null {
  if (contents === null) return null;
  const root = nodeOf(contents, offset);
  // The yaml package returns null for a document that contains only comments.
  if (root.kind === "value" && root.value === null) return null;
  if (root.kind === "object") return root;
  throw new UnusableYaml("the front matter must be lines of `name: value`", root.at);
}

function nodeOf(node: unknown, offset: number): SourceNode {
  if (isAlias(node)) {
    throw new UnusableYaml(starred, offset + (node.range?.[0] ?? 0));
  }
  if (isScalar(node)) {
    const at = offset + (node.range?.[0] ?? 0);
    const { value } = node;
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      return { kind: "value", at, value };
    }
    return { kind: "value", at, value: null };
  }
  if (isSeq(node)) {
    const at = offset + (node.range?.[0] ?? 0);
    return { kind: "list", at, items: node.items.map((item) => nodeOf(item, offset)) };
  }
  if (!isMap(node)) return { kind: "value", at: offset, value: null };
  const at = offset + (node.range?.[0] ?? 0);
  const entries = new Map<string, SourceEntry>();
  for (const { key, value } of node.items) {
    if (!isScalar(key)) throw new UnusableYaml("a name must be a single word", at);
    const place = offset + (key.range?.[0] ?? 0);
    const inner = value === null ? nullAt(place) : nodeOf(value, offset);
    entries.set(String(key.value), { at: place, node: inner });
  }
  return { kind: "object", at, entries };
}

function nullAt(at: number): SourceNode {
  return { kind: "value", at, value: null };
}

function describe({ code, message }: { code: string; message: string }): string {
  if (/call stack/.test(message)) return "is nested too deeply";
  return descriptions[code] ?? `is not YAML: ${message.split("\n")[0] ?? ""}`;
}

const starred = "a value that starts with * must be in quotes";

const descriptions: Readonly<Record<string, string>> = {
  BAD_ALIAS: starred,
  BAD_INDENT: "a closing ] or } is missing before this line",
  BAD_SCALAR_START: "starts with a special character of YAML; put the value in quotes",
  BLOCK_AS_IMPLICIT_KEY: "a value with a colon in it must be in quotes",
  DUPLICATE_KEY: "is defined twice; remove one of them",
  MISSING_CHAR: "a quote or a colon is missing before this place",
  MULTILINE_IMPLICIT_KEY: "a colon is missing after this name",
  TAB_AS_INDENT: "is indented with a tab; use spaces",
  TAG_RESOLVE_FAILED: "a value that starts with ! must be in quotes",
  UNEXPECTED_TOKEN: "is not expected here; check the indentation",
};
