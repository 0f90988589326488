import { SyntaxKind } from "typescript/unstable/ast";
import type { BinaryExpression, Node, SourceFile } from "typescript/unstable/ast";
import {
  isArrowFunction,
  isBinaryExpression,
  isBlock,
  isCallExpression,
  isConditionalExpression,
  isDoStatement,
  isExpressionStatement,
  isForStatement,
  isFunctionDeclaration,
  isIdentifier,
  isIfStatement,
  isParenthesizedExpression,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isWhileStatement,
} from "typescript/unstable/ast/is";
import { parseFiles } from "../reference/parse-files.ts";

/** One small change to the source that a test should notice. */
export interface Mutant {
  readonly file: string;
  readonly line: number;
  /** The enclosing function. Together with the text, it identifies the mutant after other edits. */
  readonly within: string;
  readonly kind: "condition" | "operand" | "loop" | "predicate" | "emit" | "send";
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Finds every condition that can be negated and every event or message that can be dropped. */
export function findMutants(files: ReadonlyMap<string, string>): Mutant[] {
  return [...parseFiles(files)].flatMap(([file, source]) => {
    const mutants: Mutant[] = [];
    visit(source, { file, source, within: "", mutants, condition: false });
    return mutants.toSorted((a, b) => a.start - b.start || b.end - a.end);
  });
}

interface Visit {
  readonly file: string;
  readonly source: SourceFile;
  readonly within: string;
  readonly mutants: Mutant[];
  /** True if the visited syntax node is only used as a condition, for example of an `if`. */
  readonly condition: boolean;
}

function visit(node: Node, context: Visit): void {
  const inner: Visit = { ...context, condition: false };
  const asCondition: Visit = { ...context, condition: true };
  if (isFunctionDeclaration(node)) {
    const within = node.name?.text ?? context.within;
    node.forEachChild((child) => visit(child, { ...inner, within }));
  } else if (isIfStatement(node) || isWhileStatement(node) || isDoStatement(node)) {
    add(context, isIfStatement(node) ? "condition" : "loop", node.expression);
    node.forEachChild((child) => visit(child, child === node.expression ? asCondition : inner));
  } else if (isForStatement(node)) {
    if (node.condition !== undefined) add(context, "loop", node.condition);
    node.forEachChild((child) => visit(child, child === node.condition ? asCondition : inner));
  } else if (isConditionalExpression(node)) {
    add(context, "condition", node.condition);
    node.forEachChild((child) => visit(child, child === node.condition ? asCondition : context));
  } else if (isLogical(node)) {
    for (const operand of [node.left, node.right]) {
      const chained = isLogical(operand) && operator(operand) === operator(node);
      if (!chained && (context.condition || isTruth(operand))) add(context, "operand", operand);
      visit(operand, context);
    }
  } else if (isParenthesizedExpression(node) || isNegation(node)) {
    node.forEachChild((child) => visit(child, isNegation(node) ? asCondition : context));
  } else if (isCallExpression(node)) {
    const [predicate] = node.arguments;
    if (predicate !== undefined && takesPredicate(node) && isArrowFunction(predicate)) {
      visit(node.expression, inner);
      if (!isBlock(predicate.body)) add(context, "predicate", predicate.body);
      visit(predicate.body, isBlock(predicate.body) ? inner : asCondition);
    } else node.forEachChild((child) => visit(child, inner));
  } else {
    if (isExpressionStatement(node)) addCall(context, node.expression);
    if (isArrowFunction(node)) addCall(context, node.body);
    node.forEachChild((child) => visit(child, inner));
  }
}

function add(context: Visit, kind: Mutant["kind"], node: Node): void {
  const { file, source, within, mutants } = context;
  const start = node.getStart(source);
  const text = source.text.slice(start, node.end);
  const line = source.text.slice(0, start).split("\n").length;
  mutants.push({ file, line, within, kind, text, start, end: node.end });
}

function addCall(context: Visit, node: Node): void {
  if (!isCallExpression(node) || !isIdentifier(node.expression)) return;
  const name = node.expression.text;
  if (name === "emit" || name === "send") add(context, name, node);
}

const predicates = new Set(["filter", "some", "every", "find", "findLast", "findIndex"]);

function takesPredicate(node: Node): boolean {
  if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return false;
  return predicates.has(node.expression.name.text);
}

function isNegation(node: Node): boolean {
  return isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken;
}

function isLogical(node: Node): node is BinaryExpression {
  if (!isBinaryExpression(node)) return false;
  const kind = operator(node);
  return kind === SyntaxKind.AmpersandAmpersandToken || kind === SyntaxKind.BarBarToken;
}

function operator(node: BinaryExpression): SyntaxKind {
  return node.operatorToken.kind;
}

const comparisons = new Set<SyntaxKind>([
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
  SyntaxKind.LessThanToken,
  SyntaxKind.LessThanEqualsToken,
  SyntaxKind.GreaterThanToken,
  SyntaxKind.GreaterThanEqualsToken,
  SyntaxKind.InKeyword,
]);

const questions = new Set(["some", "every", "includes", "has", "startsWith", "test"]);

/**
 * Whether the node is certainly a boolean. Negating a boolean only inverts it; negating another value also changes its
 * type.
 */
function isTruth(node: Node): boolean {
  if (isParenthesizedExpression(node)) return isTruth(node.expression);
  if (isLogical(node)) return isTruth(node.left) && isTruth(node.right);
  if (isBinaryExpression(node)) return comparisons.has(operator(node));
  if (isCallExpression(node) && isPropertyAccessExpression(node.expression)) {
    return questions.has(node.expression.name.text);
  }
  return isNegation(node);
}
