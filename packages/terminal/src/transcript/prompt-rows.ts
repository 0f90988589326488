import type { PromptView } from "@holdfast/model/conversation.ts";
import { reasonTexts } from "@holdfast/model/reason-texts.ts";
import { fit, oneLine, printable, wrap, wrapWhole } from "../screen/text.ts";
import { plural } from "./call-card.ts";
import { whoText } from "./notice-text.ts";
import type { NoticeOptions } from "./notice-text.ts";

/** Maximum number of lines of a prompt. Longer prompts, such as a pasted log, are shortened. */
const shownLines = 12;

/** Returns the rows of a prompt: its text, and whether it joined a run. */
export function promptRows(
  prompt: PromptView,
  { look, columns, own, isWhole }: NoticeOptions & { isWhole: boolean },
): string[] {
  const lines = printable(promptText(prompt)).split("\n");
  const shown = isWhole ? lines : lines.slice(0, shownLines);
  const rows = shown.flatMap((line) => (isWhole ? wrapWhole : wrap)(line, columns - 2));
  const hidden = lines.length - shown.length;
  const facts = factsOf(prompt, own);
  return [
    ...rows.map((row, index) => `${index === 0 ? look.accent("❯") : " "} ${look.bold(row)}`),
    ...(hidden > 0 ? [look.dim(`  … ${hidden} more ${plural(hidden, "line")}`)] : []),
    ...(facts === "" ? [] : [look.dim(fit(`  ${facts}`, columns))]),
  ];
}

/** Returns a prompt as one text: the slash command, if any, the text, and the names of the attachments. */
export function promptText({ text, command, attachments }: PromptView): string {
  const words = [command === null ? "" : `/${command}`, text ?? ""].filter((part) => part !== "");
  const files = attachments.map(({ name, mediaType }) => `[${name ?? mediaType}]`);
  return [...words, ...files].join(" ");
}

function factsOf(prompt: PromptView, own: string | null): string {
  const { actor, isTakenIn, runId, agent, model, outcome, enteredAt, reply, resultOf } = prompt;
  const who = actor === null ? "You" : whoText(actor, own);
  const facts = [
    who === "You" ? "" : `from ${who}`,
    isTakenIn && runId !== null ? "steered: joined the run in progress" : "",
    resultOf === null ? "" : "result of a background session",
    agent === null ? "" : `agent ${oneLine(agent)}`,
    model === null ? "" : oneLine(model),
    reply ? "" : "no answer requested",
    enteredAt === null && outcome !== null ? notRun(outcome.reason) : "",
  ];
  return facts.filter((fact) => fact !== "").join(" · ");
}

function notRun(reason: keyof typeof reasonTexts | null): string {
  return `not run: ${reason === null ? "cancelled" : reasonTexts[reason]}`;
}
