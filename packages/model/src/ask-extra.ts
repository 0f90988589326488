import { ruleScope } from "./rule-scope.ts";
import type { RuleScope } from "./rule-scope.ts";

/** Details of a permission request, a question or a budget request, read from its `extra` field. */
export interface AskSubject {
  readonly kind: "permission" | "question" | "budget";
  /** Name of the hosted agent that asks. Null: Holdfast's own agent asks. */
  readonly agent: string | null;
  readonly action: string | null;
  readonly subject: string | null;
  /** The folder in which a command runs, if it is not the session's directory. */
  readonly path: string | null;
  /** The diff or the command that would be carried out. A long one is cut. */
  readonly preview: string | null;
  /**
   * Numbers of lines that a file change adds and removes, counted by the server. Not null if and only if `preview` is
   * a diff: a command may look like one.
   */
  readonly change: ChangeSize | null;
  /** Number of characters that `preview` leaves out, if it is not a diff. */
  readonly omittedCharacters: number;
  /** Text of the rules that are stored if the user chooses to remember the answer; null if there are none. */
  readonly remembers: string | null;
  /**
   * Scopes of the rules in `remembers`, for the text of a button. Null if this version does not know the scope of a
   * rule.
   */
  readonly scopes: readonly RuleScope[] | null;
  readonly choices: readonly string[];
  /** Amounts of a request for a higher limit. Null: the ask is of another kind. */
  readonly budget: BudgetSpent | null;
}

/** Amounts spent, the limits, and the amounts by which an answer would raise the limits. Null: no limit. */
export interface BudgetSpent {
  readonly spent: { readonly cost: number; readonly tokens: number };
  readonly limit: BudgetAmounts;
  readonly raise: BudgetAmounts;
}

interface BudgetAmounts {
  readonly cost: number | null;
  readonly tokens: number | null;
}

export interface ChangeSize {
  readonly added: number;
  readonly removed: number;
  /** Number of lines of the diff that the preview leaves out. */
  readonly omitted: number;
}

export function askSubject(extra: unknown): AskSubject {
  const fields = fieldsOf(extra);
  const permission = fieldsOf(fields["permission"]);
  const rules = rulesOf(fields["remembers"]);
  const choices: unknown = fields["choices"];
  return {
    kind: kindOf(fields),
    agent: textOf(fields["agent"]),
    action: textOf(permission["action"]),
    subject: textOf(permission["subject"]),
    path: textOf(permission["path"]),
    preview: textOf(permission["preview"]),
    change: changeOf(permission["change"]),
    omittedCharacters: numberOf(permission["omittedCharacters"]),
    remembers: rulesText(rules),
    scopes: scopesOf(rules),
    choices: Array.isArray(choices) ? choices.filter((each) => typeof each === "string") : [],
    budget: kindOf(fields) === "budget" ? budgetOf(fields["budget"]) : null,
  };
}

/** Returns the rules as a list. A permission request of release 0.1.0 has a single rule instead. */
function rulesOf(remembers: unknown): readonly unknown[] {
  if (Array.isArray(remembers)) return remembers;
  return remembers === null || remembers === undefined ? [] : [remembers];
}

function rulesText(rules: readonly unknown[]): string | null {
  const texts = rules.map(ruleText).filter((text) => text !== null);
  return texts.length === 0 ? null : texts.join(", ");
}

/** Returns the scopes of the rules. Null if this version does not know the scope of a rule. */
function scopesOf(rules: readonly unknown[]): readonly RuleScope[] | null {
  const scopes = rules.map((rule) => {
    const { action, pattern } = fieldsOf(rule);
    return ruleScope({ action: textOf(action), pattern: textOf(pattern) });
  });
  const known = scopes.filter((scope) => scope !== null);
  return known.length === scopes.length ? known : null;
}

function kindOf(fields: Record<string, unknown>): AskSubject["kind"] {
  if (fields["kind"] === "question") return "question";
  return typeof fields["budget"] === "object" && fields["budget"] !== null
    ? "budget"
    : "permission";
}

function budgetOf(budget: unknown): BudgetSpent {
  const { spent, limit, raise } = fieldsOf(budget);
  const { cost, inputTokens, outputTokens } = fieldsOf(spent);
  const tokens = numberOf(inputTokens) + numberOf(outputTokens);
  return {
    spent: { cost: numberOf(cost), tokens },
    limit: amountsOf(limit),
    raise: amountsOf(raise),
  };
}

function amountsOf(value: unknown): BudgetAmounts {
  const { cost, tokens } = fieldsOf(value);
  return {
    cost: typeof cost === "number" ? cost : null,
    tokens: typeof tokens === "number" ? tokens : null,
  };
}

/** Reads the numbers of added, removed and omitted lines. Null if the number of added or removed lines is missing. */
export function changeOf(value: unknown): ChangeSize | null {
  const { added, removed, omitted = 0 } = fieldsOf(value);
  return typeof added === "number" && typeof removed === "number" && typeof omitted === "number"
    ? { added, removed, omitted }
    : null;
}

function ruleText(rule: unknown): string | null {
  if (typeof rule === "string") return rule;
  const fields = fieldsOf(rule);
  const texts = [textOf(fields["action"]), textOf(fields["pattern"]) ?? textOf(fields["subject"])];
  const text = texts.filter((text) => text !== null).join(" ");
  return text === "" ? null : text;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
