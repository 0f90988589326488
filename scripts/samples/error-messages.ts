import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SyntaxKind } from "typescript/unstable/ast";
import type { Expression, Node, SourceFile } from "typescript/unstable/ast";
import {
  isBinaryExpression,
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isNoSubstitutionTemplateLiteral,
  isPropertyAccessExpression,
  isStringLiteral,
  isTemplateExpression,
  isVariableDeclaration,
} from "typescript/unstable/ast/is";
import { parseFiles } from "../reference/parse-files.ts";

/** Classes and functions whose arguments contain a message for people. */
const errorClass = /(?:Error|Failure|Refused|Unavailable|Unreachable|BadAnswer)$/;
const errorFunctions = new Set(["refuse", "invalid"]);

/** Lists the error messages in the source. Inserted values are shown as their names, such as ‹file›. */
export function errorMessages(root: string): string[] {
  const files = globSync("packages/*/src/**/*.ts", { cwd: root })
    .filter((file) => !/node_modules|\.gen\.ts$/.test(file))
    .toSorted();
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
  return [...parseFiles(texts).values()].flatMap((source) => messagesIn(source));
}

export function messagesIn(source: SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: Node): void => {
    if (isError(node)) {
      for (const argument of node.arguments ?? []) {
        const text = textOf(source, argument, 0);
        if (text !== null && isSentence(text)) found.push(text);
      }
    }
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

/**
 * Whether a text is written for people: it has spaces, unlike codes and field names, and two words in a row. Inserted
 * values (‹name›) do not count as words.
 */
function isSentence(text: string): boolean {
  return /\s\S+\s/.test(text) && /[a-z]{2,}\s+[a-z]/i.test(text.replaceAll(/‹[^›]*›/g, ""));
}

function isError(
  node: Node,
): node is Node & { readonly arguments?: readonly Expression[]; readonly expression: Expression } {
  if (isNewExpression(node))
    return isIdentifier(node.expression) && errorClass.test(node.expression.text);
  if (!isCallExpression(node) || !isIdentifier(node.expression)) return false;
  return errorFunctions.has(node.expression.text);
}

/** Returns the text of an expression, or null if it is not text. */
function textOf(source: SourceFile, node: Node, depth: number): string | null {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (isTemplateExpression(node)) {
    const spans = node.templateSpans.map(
      (span) => `${inserted(source, span.expression, depth)}${span.literal.text}`,
    );
    return `${node.head.text}${spans.join("")}`;
  }
  if (isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.PlusToken) {
    const sides = [node.left, node.right].map((side) => textOf(source, side, depth));
    return sides.includes(null) ? null : sides.join("");
  }
  if (!isIdentifier(node) || depth > 3) return null;
  const value = valueOf(source, node);
  return value === null ? null : textOf(source, value, depth + 1);
}

function inserted(source: SourceFile, node: Expression, depth: number): string {
  const text = textOf(source, node, depth);
  if (text !== null) return text;
  if (isIdentifier(node)) return `‹${node.text}›`;
  return isPropertyAccessExpression(node) ? `‹${node.name.text}›` : "‹…›";
}

/** Finds the initializer of a constant: the last one of that name before its use. */
function valueOf(source: SourceFile, use: Node & { readonly text: string }): Node | null {
  let found: Node | null = null;
  const visit = (node: Node): void => {
    const isMatch =
      isVariableDeclaration(node) && isIdentifier(node.name) && node.name.text === use.text;
    if (isMatch && node.pos < use.pos) found = node.initializer ?? null;
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}
