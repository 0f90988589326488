import type { RuleScope } from "@holdfast/model/rule-scope.ts";
import { scopeWords } from "@holdfast/model/scope-words.ts";
import { count, listed } from "./plural.ts";

/** How much of a budget is spent, and the budget itself, as texts. */
interface SpentAmount {
  readonly spent: string;
  readonly limit: string;
}

/** Strings for permission requests and questions. */
export const asks = {
  asks: {
    needsYou: "Holdfast needs your answer",
    open: (values: { count: number }) => count(values.count, "request", "requests"),
    permission: "Permission request",
    question: "Question",
    budget: "Budget",
    may: (values: {
      agent: string | null;
      action: RuleScope["action"];
      subject: string;
      path: string | null;
    }) => {
      const place = values.path === null ? "" : ` in ${values.path}`;
      const verbs: Record<RuleScope["action"], string> = {
        read: "Read",
        change: "Change",
        run: "Run",
        network: "Run with network access:",
        fetch: "Fetch",
        send: "Send a prompt to",
        mcp: "Use the tool",
      };
      const who = values.agent === null ? "" : `${values.agent}: `;
      return `${who}${verbs[values.action]} ${values.subject}${place}?`;
    },
    mayTask: (values: { agent: string | null; taskFor: string | null }) => {
      const who = values.agent === null ? "" : `${values.agent}: `;
      return `${who}Give a task to ${values.taskFor ?? "a sub-agent"}?`;
    },
    noSandbox:
      "This machine has no sandbox: the command can read, change and send everything that your user account can.",
    sandboxOff:
      "The sandbox is turned off in the config: the command can read, change and send everything that your user account can.",
    notRemembered: (values: { reason: string }) =>
      `This answer cannot be remembered: ${values.reason}.`,
    overBudget: (values: {
      cost: SpentAmount | null;
      tokens: SpentAmount | null;
      raise: { cost: string | null; tokens: string | null };
    }) => {
      const used = [
        ...(values.cost === null ? [] : [`${values.cost.spent} of ${values.cost.limit}`]),
        ...(values.tokens === null
          ? []
          : [`${values.tokens.spent} of ${values.tokens.limit} tokens`]),
      ];
      const more = [
        ...(values.raise.cost === null ? [] : [values.raise.cost]),
        ...(values.raise.tokens === null ? [] : [`${values.raise.tokens} tokens`]),
      ];
      return `${listed(used)} used. Raise the limit by ${listed(more)}?`;
    },
    omitted: (values: { characters: number }) =>
      `${count(values.characters, "more character is", "more characters are")} not loaded yet`,
    allow: "Allow once",
    deny: "Deny",
    allowSession: (values: { scopes: readonly RuleScope[] }) =>
      `Allow ${listed(values.scopes.map(scopeWords))} in this session`,
    allowProject: (values: { scopes: readonly RuleScope[] }) =>
      `Always allow ${listed(values.scopes.map(scopeWords))}`,
    allowRule: (values: { rule: string; scope: "session" | "project" }) =>
      values.scope === "session"
        ? `Allow ${values.rule} in this session`
        : `Always allow ${values.rule}`,
    remembers: (values: { rule: string }) => `Saves this rule: ${values.rule}`,
    answer: "Answer",
    answerPlaceholder: "Your answer",
    whyNot: "Reason for denying (optional)",
    raise: "Raise the limit",
    stopRun: "Stop the run",
    together: (values: { count: number }) => `${values.count} permission requests`,
    allowAll: (values: { count: number }) => `Allow all ${values.count} once`,
    denyAll: (values: { count: number }) => `Deny all ${values.count}`,
    details: "Show details",
    hideDetails: "Hide details",
    denialWaits: "Denied. The agent gets the answer in a few seconds.",
    sending: "Sending your answer…",
    takeBack: "Take back",
    sendNow: "Send now",
    answeredBy: (values: { who: string; verdict: "allow" | "deny"; said: string | null }) =>
      values.said === null
        ? `${values.who} ${values.verdict === "allow" ? "allowed" : "denied"} the request`
        : `${values.who} answered: ${values.said}`,
    allowed: "allowed",
    denied: "denied",
    expired: "expired",
    withdrawn: "withdrawn",
    by: (values: { who: string | null }) => `by ${values.who ?? "you"}`,
    otherSession: "Another session",
  },
  diff: {
    omitted: (values: { lines: number }) =>
      `${count(values.lines, "more line is", "more lines are")} not shown here`,
    all: "Show the whole diff",
    longLine: (values: { characters: number }) =>
      `… show ${count(values.characters, "more character", "more characters")}`,
    noNewline: "No line break at the end of the file",
    comment: (values: { line: number }) => `Comment on line ${values.line}`,
  },
};
