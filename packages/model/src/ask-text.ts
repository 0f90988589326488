import type { AskSubject } from "./ask-extra.ts";

/** The text of an ask, divided so that a client can write the known parts in its own language. */
export interface AskText {
  /** True if the question has the usual wording for its action and subject, so that a client can translate it. */
  readonly isKnown: boolean;
  /** The agent that gets the task, if the ask is about a task for an agent. */
  readonly taskFor: string | null;
  /** The question as the server wrote it. It has several lines if its subject, such as a command, has several. */
  readonly question: string;
  readonly notes: readonly AskNote[];
}

/** A line of an ask beside the question. `reason` and `text` are written by the server. */
export type AskNote =
  | { readonly kind: "noSandbox" }
  | { readonly kind: "sandboxOff" }
  | { readonly kind: "notRemembered"; readonly reason: string }
  | { readonly kind: "other"; readonly text: string };

/** Divides the text of a permission request. A text with another wording is returned as one question. */
export function askText(text: string, { agent, subject }: AskSubject): AskText {
  const lines = text.split("\n");
  const start = `May ${agent ?? "the agent"} `;
  const at = lines.findIndex((line) => line.startsWith(start));
  if (subject === null || at === -1)
    return { isKnown: false, taskFor: null, question: text, notes: [] };
  const [, taskFor = null] =
    /^give a task to (.+)\?$/.exec(lines[at]?.slice(start.length) ?? "") ?? [];
  const end = taskFor === null ? at + subject.split("\n").length : at + 1;
  const rest = [...lines.slice(0, at), ...lines.slice(end)].filter((line) => line !== "");
  return {
    isKnown: true,
    taskFor,
    question: lines.slice(at, end).join("\n"),
    notes: rest.map(noteOf),
  };
}

const noRule = /^This answer cannot be remembered: (.*?)\.?$/;

function noteOf(line: string): AskNote {
  if (line.startsWith("This machine has no sandbox: ")) return { kind: "noSandbox" };
  if (line.startsWith("The sandbox is turned off in the config: ")) return { kind: "sandboxOff" };
  const [, reason] = noRule.exec(line) ?? [];
  return reason === undefined ? { kind: "other", text: line } : { kind: "notRemembered", reason };
}
