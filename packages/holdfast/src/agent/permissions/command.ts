import { textGlob } from "../tools/glob-pattern.ts";
import { hiddenCommands } from "./hidden-commands.ts";
import type { PermissionEffect, PermissionRule } from "./rule.ts";
import { bareCommand, splitCommand } from "./split-command.ts";

/**
 * What the rules say to a command line. It is allowed when each command in it is, by a rule after
 * every one that asks about it; when it is incomplete, because something in it can run what is not
 * seen, only by `*`. Its exact text, once allowed, is allowed whatever it is made of.
 */
export function decideCommand(rules: readonly PermissionRule[], command: string): PermissionEffect {
  const own = rules.filter(({ action }) => action === "run" || action === "*");
  const { parts, complete } = splitCommand(command);
  const last = (effect: PermissionEffect, matches: (pattern: string) => boolean): number =>
    own.findLastIndex((rule) => rule.effect === effect && matches(rule.pattern));
  const hidden = hiddenCommands(command);
  const restricts = (pattern: string): boolean =>
    [command, ...parts, ...hidden].some((part) => isRestrictedBy(pattern, part));

  if (last("deny", restricts) !== -1) return "deny";
  const exact = last("allow", (pattern) => isExactly(pattern, command));
  if (exact > last("ask", restricts)) return "allow";
  const asked = last("ask", (pattern) =>
    [command, ...hidden].some((part) => isRestrictedBy(pattern, part)),
  );
  const isAllowed = (part: string): boolean => {
    const allowed = last(
      "allow",
      (pattern) => pattern === "*" || (complete && fits(pattern, part)),
    );
    return allowed > asked && allowed > last("ask", (pattern) => isRestrictedBy(pattern, part));
  };
  return parts.length > 0 && parts.every(isAllowed) ? "allow" : "ask";
}

/** `git status *` fits with or without more words. */
function fits(pattern: string, command: string): boolean {
  if (textGlob(pattern)(command)) return true;
  return pattern.endsWith(" *") && textGlob(pattern.slice(0, -2))(command);
}

/** What restricts is not avoided by quotes, a path, or an assignment in front. */
function isRestrictedBy(pattern: string, command: string): boolean {
  if (fits(pattern, command)) return true;
  const bare = bareCommand(command);
  return fits(pattern, bare) || fits(pattern, bare.replace(/^\S*\//, ""));
}

/** Whether the pattern, without any wildcard, is this text. */
function isExactly(pattern: string, text: string): boolean {
  const wildcards = pattern.replaceAll(/\\./gs, "");
  return !/[*?[]/.test(wildcards) && pattern.replaceAll(/\\(.)/gs, "$1") === text;
}
