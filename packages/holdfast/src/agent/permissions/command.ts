import { textGlob } from "../tools/glob-pattern.ts";
import type { Matcher } from "../tools/glob-pattern.ts";
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
  const whole = formsOf([command, ...hidden.commands]);
  const all = formsOf([command, ...parts, ...hidden.commands]);

  if (last("deny", (pattern) => all.some(fitting(pattern))) !== -1) return "deny";
  const exact = last("allow", (pattern) => isExactly(pattern, command));
  if (exact > last("ask", (pattern) => all.some(fitting(pattern)))) return "allow";
  // What cannot be looked through may hold what somebody does not want.
  const isWary = own.some(({ effect, pattern }) => effect !== "allow" && pattern !== "*");
  if (!hidden.complete && isWary) return "ask";
  const asked = last("ask", (pattern) => whole.some(fitting(pattern)));
  const isAllowed = (part: string): boolean => {
    const allowed = last(
      "allow",
      (pattern) => pattern === "*" || (complete && fitting(pattern)(part)),
    );
    const forms = formsOf([part]);
    return allowed > asked && allowed > last("ask", (pattern) => forms.some(fitting(pattern)));
  };
  return parts.length > 0 && parts.every(isAllowed) ? "allow" : "ask";
}

/** `git status *` fits with or without more words. */
function fitting(pattern: string): Matcher {
  const fits = textGlob(pattern);
  if (!pattern.endsWith(" *")) return fits;
  const fitsAlone = textGlob(pattern.slice(0, -2));
  return (command) => fits(command) || fitsAlone(command);
}

/** What restricts is not avoided by quotes, a path, or an assignment in front. */
function formsOf(commands: readonly string[]): readonly string[] {
  const forms = commands.flatMap((command) => {
    const bare = bareCommand(command);
    return [command, bare, bare.replace(/^\S*\//, "")];
  });
  return [...new Set(forms)];
}

/** Whether the pattern, without any wildcard, is this text. */
function isExactly(pattern: string, text: string): boolean {
  const wildcards = pattern.replaceAll(/\\./gs, "");
  return !/[*?[]/.test(wildcards) && pattern.replaceAll(/\\(.)/gs, "$1") === text;
}
