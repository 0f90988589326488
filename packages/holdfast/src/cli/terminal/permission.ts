import type { PermissionRule } from "../../agent/permissions/rule.ts";
import type { PermissionRequest } from "../../agent/tools/tool.ts";
import { printable } from "./printable.ts";
import { readYesOrNo } from "./reply.ts";
import type { Reply } from "./reply.ts";
import { onStderr, paintDiff } from "./style.ts";

/** What an ask wants to be allowed. */
export interface PermissionAsk {
  readonly permission: PermissionRequest;
  /** What an answer that is to be remembered stands for; null when it counts only once. */
  readonly remembers: PermissionRule | null;
}

/** Null for an ask about something else. */
export function permissionOf(extra: unknown): PermissionAsk | null {
  return isPermission(extra) ? extra : null;
}

/** All of what would happen, cut nowhere, and what can be answered. */
export function permissionText({ permission, remembers }: PermissionAsk): string {
  const answers = [
    "y  once",
    ...(remembers === null ? [] : alwaysAnswers(remembers)),
    "n  no, with words after it if you like",
  ];
  const preview = paintDiff(printable(permission.preview.trimEnd()), onStderr);
  return indent([preview, "", ...answers].join("\n"));
}

export function permissionPrompt({ remembers }: PermissionAsk): string {
  return remembers === null ? "  y or n: " : "  y, s, p or n: ";
}

function alwaysAnswers({ action, pattern }: PermissionRule): string[] {
  return [
    `s  always in this session   ${onStderr("dim", `(${action} ${printable(pattern)})`)}`,
    `p  always in this project   ${onStderr("dim", "(the same)")}`,
  ];
}

/** Null for words that are none of the answers. */
export function readPermissionReply(line: string): Reply | null {
  const word = line.trim().toLowerCase();
  if (word === "s" || word === "session") return { verdict: "allow", remember: "session" };
  if (word === "p" || word === "project") return { verdict: "allow", remember: "project" };
  return word === "once" ? { verdict: "allow" } : readYesOrNo(line);
}

function isPermission(extra: unknown): extra is PermissionAsk {
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
