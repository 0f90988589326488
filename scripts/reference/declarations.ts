import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SyntaxKind } from "typescript/unstable/ast";
import type { Node, SourceFile, Statement } from "typescript/unstable/ast";
import {
  isClassDeclaration,
  isFunctionDeclaration,
  isIdentifier,
  isInterfaceDeclaration,
  isTypeAliasDeclaration,
  isVariableStatement,
} from "typescript/unstable/ast/is";
import { parseFiles } from "./parse-files.ts";

/** An exported declaration of a package, as its reference shows it. */
export interface Declaration {
  readonly name: string;
  readonly kind: "function" | "class" | "interface" | "type" | "constant";
  /** The doc comment without its examples. */
  readonly text: string;
  readonly examples: readonly string[];
  /** The declaration in TypeScript, without the bodies of functions. */
  readonly signature: string;
}

/** Reads every named export of each entry file, in the order of the file. */
export function exportedDeclarations(entries: readonly string[]): Declaration[][] {
  const exported = entries.map((entry) => exportsOf(entry));
  const files = new Set(exported.flat().map(({ file }) => file));
  const sources = parseFiles(new Map([...files].map((file) => [file, readFileSync(file, "utf8")])));
  return exported.map((names) =>
    names.map(({ name, file }) => {
      const source = sources.get(file);
      const found = source === undefined ? null : findDeclaration(source, name);
      if (found === null) throw new Error(`${file} does not declare ${name}`);
      return found;
    }),
  );
}

/** Lists the names in `export { … } from "…"`. Ignores `export *`, which exports generated types of the contract. */
function exportsOf(entry: string): { name: string; file: string }[] {
  const text = readFileSync(entry, "utf8");
  const found = text.matchAll(/^export (?:type )?\{(?<names>[^}]*)\} from "(?<from>[^"]+)";/gm);
  return [...found].flatMap(({ groups }) => {
    const { names = "", from = "" } = groups ?? {};
    const file = join(entry, "..", from);
    return [...names.matchAll(/\w+/g)].map(([name]) => ({ name, file }));
  });
}

/**
 * Finds the declaration of a name. If a type and a constant have this name, the reference describes both as one class,
 * with the signature of the type.
 */
function findDeclaration(source: SourceFile, name: string): Declaration | null {
  const statements = source.statements.filter((statement) => nameOf(statement) === name);
  const statement = statements.find((one) => !isVariableStatement(one)) ?? statements[0];
  if (statement === undefined) return null;
  const { text, examples } = readComment(commentBefore(source, statement));
  const kind = statements.length > 1 ? "class" : kindOf(statement);
  return { name, kind, text, examples, signature: signatureOf(source, statement) };
}

function nameOf(statement: Statement): string | null {
  if (isVariableStatement(statement)) {
    const [first] = statement.declarationList.declarations;
    return first !== undefined && isIdentifier(first.name) ? first.name.text : null;
  }
  const isNamed =
    isFunctionDeclaration(statement) ||
    isClassDeclaration(statement) ||
    isInterfaceDeclaration(statement) ||
    isTypeAliasDeclaration(statement);
  return isNamed ? (statement.name?.text ?? null) : null;
}

function kindOf(statement: Statement): Declaration["kind"] {
  if (isFunctionDeclaration(statement)) return "function";
  if (isClassDeclaration(statement)) return "class";
  if (isInterfaceDeclaration(statement)) return "interface";
  return isTypeAliasDeclaration(statement) ? "type" : "constant";
}

function signatureOf(source: SourceFile, statement: Statement): string {
  const cut = (from: number, to: number): string => source.text.slice(from, to).trim();
  const start = statement.getStart(source);
  if (isFunctionDeclaration(statement) && statement.body !== undefined) {
    const head = cut(start, statement.body.getStart(source));
    return `${head.replace(/^export (?:async )?/, "")};`;
  }
  if (isClassDeclaration(statement)) {
    const [first] = statement.members;
    if (first === undefined) return cut(start, statement.end).replace(/^export /, "");
    const head = cut(start, first.pos).replace(/^export /, "");
    const members = statement.members
      .filter((member) => !isPrivate(member))
      .map((member) => `  ${memberText(source, member)}`);
    return [head, ...members, "}"].join("\n");
  }
  return cut(start, statement.end).replace(/^export /, "");
}

function isPrivate(member: Node): boolean {
  return member.kind === SyntaxKind.PropertyDeclaration && /^\s*#/.test(member.getText());
}

/** A member of a class with its comment, without the body of a method. */
function memberText(source: SourceFile, member: Node): string {
  const text = source.text.slice(member.pos, member.end).trim();
  const comment = /^(?:\/\*\*[\s\S]*?\*\/\s*)?/.exec(text)?.[0] ?? "";
  const code = text.slice(comment.length);
  const isField = member.kind === SyntaxKind.PropertyDeclaration;
  const brace = isField ? -1 : bodyStart(code);
  return `${comment}${brace === -1 ? code : `${code.slice(0, brace).trim()};`}`;
}

/** Returns where the body of a method starts: its last block at the outermost level. */
function bodyStart(code: string): number {
  let depth = 0;
  for (let index = code.length - 1; index >= 0; index -= 1) {
    if (code[index] === "}") depth += 1;
    if (code[index] === "{") depth -= 1;
    if (code[index] === "{" && depth === 0) return index;
  }
  return -1;
}

function commentBefore(source: SourceFile, statement: Statement): string {
  const leading = source.text.slice(statement.pos, statement.getStart(source));
  return /\/\*\*[\s\S]*?\*\/\s*$/.exec(leading.slice(leading.lastIndexOf("/**")))?.[0] ?? "";
}

function readComment(comment: string): { text: string; examples: string[] } {
  const lines = comment
    .replace(/^\/\*\*/, "")
    .replace(/\*\/\s*$/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""));
  const [text = "", ...examples] = lines.join("\n").split("@example");
  return { text: text.trim(), examples: examples.map((example) => example.trim()) };
}
