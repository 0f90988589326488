import {
  permissionOf,
  permissionPrompt,
  permissionText,
  readPermissionReply,
} from "./permission.ts";
import { printable } from "./printable.ts";
import { readQuestionReply } from "./reply.ts";
import type { Reply } from "./reply.ts";
import { onStderr } from "./style.ts";

/** An ask as it is put to a person. */
export interface Question {
  readonly head: string;
  /** All of what an answer would allow, and what can be answered; may be empty. */
  readonly details: string;
  /** The beginning of the line in which the answer is typed. */
  readonly prompt: string;
  /** It wants words, not a yes or a no. */
  readonly isOpen: boolean;
  /** Null for a line that is no answer. */
  readonly read: (line: string) => Reply | null;
}

/** Out of an ask's content, which agents of all kinds write: nothing in it is taken for granted. */
export function questionFor(content: unknown): Question {
  const { question = "", extra = null } = fieldsOf(content);
  const head = `${onStderr("yellow", "?")} ${onStderr("bold", printable(String(question)))}`;
  const permission = permissionOf(extra);
  if (permission !== null) {
    return {
      head,
      details: permissionText(permission),
      prompt: permissionPrompt(permission),
      isOpen: false,
      read: readPermissionReply,
    };
  }
  const { kind, choices: offered } = fieldsOf(extra);
  const isOpen = kind === "question";
  const choices = (Array.isArray(offered) ? offered : []).map((choice) =>
    printable(String(choice)),
  );
  return {
    head,
    details: choices.map((choice, index) => `  ${index + 1}  ${choice}`).join("\n"),
    prompt: promptOf({ isOpen, choices }),
    isOpen,
    read: (line) => readQuestionReply(line, { isOpen, choices }),
  };
}

function promptOf(question: { isOpen: boolean; choices: readonly string[] }): string {
  if (!question.isOpen) return "  y or n, and words if you like: ";
  return question.choices.length > 0 ? "  a number, or your own words: " : "  your answer: ";
}

function fieldsOf(value: unknown): Partial<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
