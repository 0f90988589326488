import { askSubject } from "@holdfast/model/ask-extra.ts";
import type { AskSubject, BudgetSpent } from "@holdfast/model/ask-extra.ts";
import { askText } from "@holdfast/model/ask-text.ts";
import type { AskNote } from "@holdfast/model/ask-text.ts";
import { t } from "../../i18n/text.ts";
import type { OpenAsk } from "../../state/asks.ts";
import { money, whole } from "../../ui/numbers.ts";

/**
 * Returns the question of an ask and the other lines of its text, such as warnings, in the language of the page. A
 * question that the page does not know is returned unchanged.
 */
export function askWords(
  text: string,
  subject: AskSubject,
): { readonly question: string; readonly notes: string } {
  if (subject.budget !== null) return { question: budgetWords(subject.budget), notes: "" };
  const action = knownActions.find((each) => each === subject.action);
  const found = askText(text, subject);
  if (!found.isKnown || action === undefined || subject.subject === null)
    return { question: text, notes: "" };
  const { agent, path } = subject;
  const { taskFor, notes } = found;
  const isTask = action === "send" && subject.subject === "task";
  return {
    question: isTask
      ? t().asks.mayTask({ agent, taskFor })
      : t().asks.may({ agent, action, subject: subject.subject, path }),
    notes: notes.map(noteWords).join("\n"),
  };
}

/** Only the question, for lists and messages. */
export function askQuestion({ question, extra }: Pick<OpenAsk, "question" | "extra">): string {
  return askWords(question, askSubject(extra)).question;
}

const knownActions = ["read", "change", "run", "network", "fetch", "send", "mcp"] as const;

function noteWords(note: AskNote): string {
  switch (note.kind) {
    case "noSandbox":
      return t().asks.noSandbox;
    case "sandboxOff":
      return t().asks.sandboxOff;
    case "notRemembered":
      return t().asks.notRemembered({ reason: note.reason });
    case "other":
      return note.text;
  }
}

function budgetWords({ spent, limit, raise }: BudgetSpent): string {
  const { cost, tokens } = limit;
  return t().asks.overBudget({
    cost: cost === null ? null : { spent: money(spent.cost), limit: money(cost) },
    tokens: tokens === null ? null : { spent: whole(spent.tokens), limit: whole(tokens) },
    raise: {
      cost: raise.cost === null ? null : money(raise.cost),
      tokens: raise.tokens === null ? null : whole(raise.tokens),
    },
  });
}
