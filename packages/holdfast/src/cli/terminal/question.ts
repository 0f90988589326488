import { askSubject } from "@holdfast/model/ask-extra.ts";
import { rulesWords } from "@holdfast/model/scope-words.ts";
import { printable } from "./printable.ts";
import { onStderr, paintDiff } from "./style.ts";
import type { PermissionRequest } from "../../agent/tools/tool.ts";

/** A permission request or question, as shown at the terminal. */
export interface Question {
  readonly head: string;
  /** The full preview and the possible answers; may be empty. */
  readonly details: string;
  /** The text in front of the user's input. */
  readonly prompt: string;
  /** True if the answer is free text instead of yes or no. */
  readonly isOpen: boolean;
  /** Parses a typed line. Null if the line is not a valid answer. */
  readonly read: (line: string) => Reply | null;
}

/**
 * Converts an ask to a question for the terminal. Any agent can write the content of an ask, so nothing in it is
 * trusted.
 */
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
  if (!question.isOpen) return "  y or n, with a comment if you like: ";
  return question.choices.length > 0 ? "  a number or your own answer: " : "  your answer: ";
}

function fieldsOf(value: unknown): Partial<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** A person's answer to an ask. */
export interface Reply {
  readonly verdict: "allow" | "deny";
  readonly text?: string;
  /** Whether to remember the answer, and where. */
  readonly remember?: "session" | "project";
}

/** Parses yes or no with optional text; null for anything else. */
export function readYesOrNo(line: string): Reply | null {
  const match = /^(y|yes|n|no)\b[\s,:]*(.*)$/i.exec(line.trim());
  if (match === null) return null;
  const verdict = match[1]?.toLowerCase().startsWith("y") === true ? "allow" : "deny";
  const text = match[2] ?? "";
  return text === "" ? { verdict } : { verdict, text };
}

/** Parses free text or the number of a choice; null if empty. */
function readQuestionReply(
  line: string,
  question: { isOpen: boolean; choices: readonly string[] },
): Reply | null {
  if (!question.isOpen) return readYesOrNo(line);
  const text = line.trim();
  if (text === "") return null;
  const choice = /^\d+$/.test(text) ? question.choices[Number(text) - 1] : undefined;
  return { verdict: "allow", text: choice ?? text };
}

/** A permission request. */
export interface PermissionAsk {
  readonly permission: PermissionRequest;
  /** The rules that a remembered answer stores, as text; null if it cannot be remembered. */
  readonly remembers: string | null;
}

/** Returns the permission request in the data of an ask. Null: the ask is a question. */
export function permissionOf(extra: unknown): PermissionAsk | null {
  if (!isPermission(extra)) return null;
  const { remembers, scopes } = askSubject(extra);
  return {
    permission: extra.permission,
    remembers: remembers === null ? null : rulesWords({ remembers, scopes }),
  };
}

/** Describes how much of a diff or text the preview leaves out; null if the preview is complete. */
export function omittedNote({
  change,
  omittedCharacters = 0,
}: Pick<PermissionRequest, "change" | "omittedCharacters">): string | null {
  if (omittedCharacters > 0)
    return `${omittedCharacters} more characters are not shown here. The web page shows all of them.`;
  const omitted = change?.omitted ?? 0;
  if (change === undefined || omitted === 0) return null;
  const size = `The change adds ${change.added} and removes ${change.removed} lines.`;
  return `${size} ${omitted} lines of the diff are not shown here. The web page shows all of them.`;
}

/** Returns the preview as the server sent it, and the possible answers. */
function permissionText({ permission, remembers }: PermissionAsk): string {
  const answers = [
    "y  once",
    ...(remembers === null ? [] : alwaysAnswers(remembers)),
    "n  no, with a comment if you like",
  ];
  const text = printable(permission.preview.trimEnd());
  // Only a change has counts. A command that looks like a diff is not coloured like one.
  const preview = permission.change === undefined ? text : paintDiff(text, onStderr);
  const note = omittedNote(permission);
  return indent([preview, ...(note === null ? [] : [note]), "", ...answers].join("\n"));
}

function permissionPrompt({ remembers }: PermissionAsk): string {
  return remembers === null ? "  y or n: " : "  y, s, p or n: ";
}

function alwaysAnswers(rules: string): string[] {
  return [
    `s  always in this session   ${onStderr("dim", `(${printable(rules)})`)}`,
    `p  always in this project   ${onStderr("dim", "(the same)")}`,
  ];
}

/** Parses a typed answer to a permission request. Returns null if the line is not a valid answer. */
function readPermissionReply(line: string): Reply | null {
  const word = line.trim().toLowerCase();
  if (word === "s" || word === "session") return { verdict: "allow", remember: "session" };
  if (word === "p" || word === "project") return { verdict: "allow", remember: "project" };
  return word === "once" ? { verdict: "allow" } : readYesOrNo(line);
}

function isPermission(extra: unknown): extra is Pick<PermissionAsk, "permission"> {
  if (typeof extra !== "object" || extra === null || !("permission" in extra)) return false;
  if (!("remembers" in extra)) return false;
  const { permission } = extra;
  return (
    typeof permission === "object" &&
    permission !== null &&
    "action" in permission &&
    "subject" in permission &&
    "preview" in permission
  );
}

function indent(text: string): string {
  return text === "" ? "" : `  ${text.replaceAll("\n", "\n  ")}`;
}
