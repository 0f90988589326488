import { carriedCommands, programOf } from "./carried-commands.ts";
import type { Words } from "./carried-commands.ts";
import {
  coversCommand,
  coversPlace,
  fitsCommand,
  hasWildcard,
  readPattern,
  restrictedCommand,
  unescape,
} from "./command-pattern.ts";
import type { CommandPattern, Fit, RestrictedCommand } from "./command-pattern.ts";
import type { PermissionEffect, PermissionRule } from "./rule.ts";
import type { SimpleCommand } from "./shell/command-line.ts";
import { explain, normalPlace } from "./shell/explain.ts";
import type { Surroundings } from "./shell/explain.ts";

/**
 * Decides about a command line; later rules win. A list of plain commands is allowed if, for each command, an allow
 * rule comes after all ask rules that match the command. Any other line is allowed only if the rule `*` allows it and
 * comes after all ask rules that may match a part of the line. If a deny rule may match a part, the line is never
 * allowed.
 */
export function judgeCommand(
  rules: readonly PermissionRule[],
  text: string,
  surroundings: CommandSurroundings,
): CommandJudgement {
  const own = rules
    .filter(({ action }) => action === "run" || action === "*")
    .map((rule) => ({ reads: false, ...rule, parsed: readPattern(rule.pattern) }));
  const line = explain(text, surroundings);
  const exact = exactText(text, surroundings);
  const texts = exact === null ? [text] : [text, exact];
  const all = formsOf({ ...line, texts });
  const fit = (parsed: CommandPattern, forms: Forms): Fit => {
    // A rule with a folder does not apply to commands in another folder. If the folder is unknown, the rule may apply.
    const isElsewhere =
      parsed.place !== null &&
      line.unexplained === null &&
      !coversPlace(parsed, line.place, surroundings.directory);
    return fitsForms(parsed, isElsewhere ? { ...forms, commands: [] } : forms);
  };
  const lastAsk = (forms: Forms): number =>
    own.findLastIndex(({ effect, parsed }) => effect === "ask" && fit(parsed, forms) !== "no");
  const lastAllow = (
    allows: (pattern: string, parsed: CommandPattern) => boolean,
    isFree = false,
  ): number =>
    own.findLastIndex(
      ({ effect, pattern, parsed, reads }) =>
        effect === "allow" && (reads ? isFree : allows(pattern, parsed)),
    );

  const denials = own.flatMap(({ effect, parsed }) =>
    effect === "deny" ? [fit(parsed, all)] : [],
  );
  if (denials.includes("yes")) return judged("deny");
  if (denials.includes("maybe")) return judged("ask");
  const asked = lastAsk(all);
  if (lastAllow((pattern) => pattern === "*") > asked) return judged("allow");
  if (line.unexplained !== null) return judged("ask");
  if (lastAllow((pattern) => isExactly(pattern, exact)) > asked) return judged("allow");
  const { place } = line;
  const isAllowed = (command: SimpleCommand, at: number): boolean => {
    const allowed = lastAllow((pattern, parsed) => {
      if (pattern === "*" || (place === "." && isExactly(pattern, command.text))) return true;
      return (
        coversPlace(parsed, place, surroundings.directory) && coversCommand(parsed, command.words)
      );
    }, surroundings.isFree?.(at));
    return allowed > lastAsk(formsOf({ commands: [command], texts, opaque: false }));
  };
  const missing = line.commands.filter((command, at) => !isAllowed(command, at));
  return { effect: missing.length === 0 ? "allow" : "ask", missing };
}

export interface CommandSurroundings extends Surroundings {
  /** True if the command at this position only reads files that need no permission. */
  readonly isFree?: (position: number) => boolean;
}

export interface CommandJudgement {
  readonly effect: PermissionEffect;
  /**
   * The plain commands that no rule allows. Empty if the decision is about the line as a whole, not about single
   * commands.
   */
  readonly missing: readonly SimpleCommand[];
}

function judged(effect: PermissionEffect): CommandJudgement {
  return { effect, missing: [] };
}

/**
 * Returns the text of an exact rule for a command line in its folder. Null if the folder's name could be mistaken for a
 * part of the command.
 */
export function exactText(text: string, { path, directory }: Surroundings): string | null {
  const place = normalPlace(path, { directory });
  if (place === ".") return text;
  return /^[\w./@+-]+$/.test(place) ? `cd ${place} && ${text}` : null;
}

/** The texts and commands of a command line that are matched against ask and deny rules. */
interface Forms {
  readonly commands: readonly RestrictedCommand[];
  readonly texts: readonly string[];
  /** True if the line may contain commands that were not found. */
  readonly isOpaque: boolean;
}

function formsOf(line: {
  commands: readonly SimpleCommand[];
  texts: readonly string[];
  opaque: boolean;
}): Forms {
  const carried = carriedCommands(line.commands);
  const byName = carried.commands.flatMap((words): Words[] => {
    const [program, ...rest] = words;
    // Compare in lower case, because some file systems treat `RM` and `rm` as the same file.
    const value = programOf(words).toLowerCase();
    if (program?.kind !== "literal" || program.value === value) return [];
    return [[{ kind: "literal", value }, ...rest]];
  });
  return {
    commands: [...carried.commands, ...byName].map(restrictedCommand),
    texts: [...line.texts, ...line.commands.map(({ text }) => text)],
    isOpaque: line.opaque || !carried.complete,
  };
}

/**
 * Matches the pattern of an ask or deny rule against the text of a whole command line and against each command in it.
 */
function fitsForms(pattern: CommandPattern, { commands, texts, isOpaque }: Forms): Fit {
  if (texts.some(pattern.fitsText)) return "yes";
  let best: Fit = isOpaque ? "maybe" : "no";
  for (const command of commands) {
    const found = fitsCommand(pattern, command);
    if (found === "yes") return "yes";
    if (found === "maybe") best = "maybe";
  }
  return best;
}

/** True if the pattern has no wildcard and equals the text. */
function isExactly(pattern: string, text: string | null): boolean {
  return !hasWildcard(pattern) && unescape(pattern) === text;
}
