import { t } from "../../i18n/text.ts";
import { askSubject } from "@holdfast/model/ask-extra.ts";
import type { AskSubject } from "@holdfast/model/ask-extra.ts";
import type { OpenAsk } from "../../state/asks.ts";

/**
 * Returns the question of an ask in the language of the page, and the other lines of its text, such as warnings, as the
 * agent wrote them. A question that the page does not know is returned unchanged.
 */
export function askWords(
  text: string,
  { action, subject, path }: AskSubject,
): { readonly question: string; readonly notes: string } {
  const known = knownActions.find((each) => each === action);
  const lines = text.split("\n");
  const own = lines.findIndex((line) => line.startsWith("May the agent "));
  if (known === undefined || subject === null || own === -1) return { question: text, notes: "" };
  return {
    question: t().asks.may({ action: known, subject, path }),
    // Leave out the lines of the question itself. There are several if its subject, such as a command, has several
    // lines.
    notes: [...lines.slice(0, own), ...lines.slice(own + subject.split("\n").length)].join("\n"),
  };
}

/** Only the question, for lists and messages. */
export function askQuestion({ question, extra }: Pick<OpenAsk, "question" | "extra">): string {
  return askWords(question, askSubject(extra)).question;
}

const knownActions = ["read", "change", "run", "network", "fetch", "send", "mcp"] as const;
