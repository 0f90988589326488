import { ruleFor } from "../main.ts";
import type { PermissionRequest } from "../main.ts";
import { printable } from "./printable.ts";
import { readYesOrNo } from "./reply.ts";
import type { Reply } from "./reply.ts";
import { onStderr, paintDiff } from "./style.ts";

/** What an ask wants to be allowed; null for one about something else. */
export function permissionOf(extra: unknown): PermissionRequest | null {
  return isPermission(extra) ? extra.permission : null;
}

/** All of what would happen, cut nowhere, and what can be answered. */
export function permissionText(request: PermissionRequest): string {
  const { action, pattern } = ruleFor(request, { effect: "allow", reach: "similar" });
  const answers = [
    "y  once",
    `s  always in this session   ${onStderr("dim", `(${action} ${printable(pattern)})`)}`,
    `p  always in this project   ${onStderr("dim", "(the same)")}`,
    "n  no, with words after it if you like",
  ];
  const preview = paintDiff(printable(request.preview.trimEnd()), onStderr);
  return indent([preview, "", ...answers].join("\n"));
}

/** Null for words that are none of the answers. */
export function readPermissionReply(line: string): Reply | null {
  const word = line.trim().toLowerCase();
  if (word === "s" || word === "session" || word === "always for session") {
    return { verdict: "allow", text: "always for session" };
  }
  if (word === "p" || word === "project" || word === "always for project") {
    return { verdict: "allow", text: "always for project" };
  }
  return word === "once" ? { verdict: "allow" } : readYesOrNo(line);
}

function isPermission(extra: unknown): extra is { permission: PermissionRequest } {
  if (typeof extra !== "object" || extra === null || !("permission" in extra)) return false;
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
