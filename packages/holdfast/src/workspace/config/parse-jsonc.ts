import { createScanner, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Node, ParseError } from "jsonc-parser";
import type { Notice } from "../loader.ts";
import { lineAndColumn, maxNotices, notice, placeOf } from "./source.ts";
import type { KeyPath, Source, SourceEntry, SourceNode } from "./source.ts";

/** Parses JSON with comments and trailing commas. */
export function parseJsonc(
  file: string,
  text: string,
): { source: Source; notices: readonly Notice[] } | { source: null; notices: readonly Notice[] } {
  const broken = (at: number, message: string) => ({
    source: null,
    notices: [notice("error", { place: { file, ...lineAndColumn(text, at) }, path: [], message })],
  });
  if (text.trim() === "") return broken(0, "the file is empty; write {} for no settings");
  const tooDeep = deepPlace(text);
  if (tooDeep !== null) return broken(tooDeep, `is nested more than ${maxDepth} levels deep`);
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  // Report only the first error, because later ones are often its consequence.
  if (error !== undefined) return broken(error.offset, describe(error, text));
  if (tree?.type !== "object") {
    return broken(tree?.offset ?? 0, "must be an object: { … } around everything");
  }
  const repeated: KeyPath[] = [];
  const source = { file, text, root: nodeOf(tree, [], repeated) };
  return {
    source,
    notices: repeated.slice(0, maxNotices).map((path) =>
      notice("error", {
        place: placeOf(source, path, "name"),
        path,
        message: "is defined twice; remove one of them",
      }),
    ),
  };
}

const maxDepth = 50;

/**
 * Returns the position where nesting is too deep, or null. Call it before parsing, because the parser is recursive and
 * a hostile file could exhaust the stack.
 */
function deepPlace(text: string): number | null {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const at = scanner.getTokenOffset();
    const first = text[at];
    if (first === "{" || first === "[") depth += 1;
    if (first === "}" || first === "]") depth -= 1;
    if (depth > maxDepth) return at;
  }
  return null;
}

function nodeOf(node: Node, path: KeyPath, repeated: KeyPath[]): SourceNode {
  const { type, offset: at, children = [] } = node;
  if (type === "array") {
    const items = children.map((child, index) => nodeOf(child, [...path, index], repeated));
    return { kind: "list", at, items };
  }
  if (type !== "object") return { kind: "value", at, value: scalarOf(node.value) };
  const entries = new Map<string, SourceEntry>();
  for (const { children: [name, value] = [] } of children) {
    if (name === undefined || value === undefined) continue;
    const key = String(name.value);
    if (entries.has(key)) repeated.push([...path, key]);
    entries.set(key, { at: name.offset, node: nodeOf(value, [...path, key], repeated) });
  }
  return { kind: "object", at, entries };
}

function scalarOf(value: unknown): string | number | boolean | null {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : null;
}

function describe({ error, offset, length }: ParseError, text: string): string {
  const found = text.slice(offset, offset + length);
  const name = printParseErrorCode(error);
  if (name === "InvalidSymbol" && found.startsWith("'")) {
    return "strings must be in double quotes";
  }
  // If the parser expects a property name at the end of the file, only the closing brace is missing: a trailing comma
  // is allowed.
  const isLast = name === "PropertyNameExpected" && text.slice(offset).trim() === "";
  if (isLast) return closingBrace;
  return descriptions[name] ?? "is not JSON";
}

const closingBrace = "a closing } is missing";

const descriptions: Readonly<Record<string, string>> = {
  InvalidSymbol: "is not a value; names and strings must be in double quotes",
  InvalidNumberFormat: "is not a number",
  PropertyNameExpected: "a name in double quotes is expected here",
  ValueExpected: "a value is expected here",
  ColonExpected: "a colon is expected here, after the name",
  CommaExpected: "a comma is missing before this value",
  CloseBraceExpected: closingBrace,
  CloseBracketExpected: "a closing ] is missing",
  EndOfFileExpected: "nothing may follow the closing }",
  UnexpectedEndOfComment: "this comment is not closed",
  UnexpectedEndOfString: "this string has no closing quote on its line",
  UnexpectedEndOfNumber: "this number is incomplete",
  InvalidUnicode: "this \\u is not followed by four hexadecimal digits",
  InvalidEscapeCharacter: "has an invalid backslash; write \\\\ for a backslash",
  InvalidCharacter: "has a control character; write it as \\n, \\t or \\u0000",
};
