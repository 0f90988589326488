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

/** All of what would happen, and what can be answered. Nothing of it is cut short. */
export function permissionText(request: PermissionRequest): { preview: string; prompt: string } {
  const rule = ruleFor(request, { effect: "allow", reach: "similar" });
  const always = onStderr("dim", `always means: ${rule.action} ${printable(rule.pattern)}`);
  return {
    preview: indent(paintDiff(printable(request.preview.trimEnd()), onStderr)),
    prompt:
      `  y  once    s  always in this session    p  always in this project    n  no` +
      `    (${always})\n  answer, with words after a no if you like: `,
  };
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
