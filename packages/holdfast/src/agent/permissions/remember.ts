import { dirname } from "node:path";
import { escapeGlob } from "../tools/glob-pattern.ts";
import type { PermissionRequest } from "../tools/tool.ts";
import { exactText } from "./command.ts";
import { namedWords } from "./known-command.ts";
import type { PermissionRule } from "./rule.ts";
import { commandsToAllow } from "./rules.ts";
import { explain } from "./shell/explain.ts";
import type { Surroundings } from "./shell/explain.ts";

export interface Remembering {
  readonly effect: "allow" | "deny";
  /**
   * `exact`: the rule covers only this request. `similar`: also its folder, its host, or its command with other
   * arguments.
   */
  readonly reach: "exact" | "similar";
  /** The session's directory. Missing or null: unknown. */
  readonly directory?: string | null;
}

export type RememberedRequest = Pick<PermissionRequest, "action" | "subject" | "path">;

/** Creates the rule for the answer "always" or "never". Show it to the person before it is stored. */
export function ruleFor(
  request: RememberedRequest,
  { effect, reach, directory = null }: Remembering,
): PermissionRule {
  const { action } = request;
  const place = { path: request.path ?? ".", directory };
  const pattern = (reach === "similar" ? similar(request, place) : null) ?? exact(request, place);
  return { action, pattern, effect };
}

/**
 * Creates the rules for the answer "always": one for each plain command of the line that no rule allows yet, or one for
 * a request of another kind.
 */
export function rulesToAllow(
  request: RememberedRequest & Pick<PermissionRequest, "reads">,
  { rules, directory }: { readonly rules: readonly PermissionRule[]; readonly directory: string },
): readonly PermissionRule[] {
  const { action, subject, path = "." } = request;
  const remembering = { effect: "allow", reach: "similar", directory } as const;
  const isCommand = action === "run" || action === "network";
  const missing = isCommand ? commandsToAllow(rules, request, { directory }) : [];
  if (missing.length === 0) return [ruleFor(request, remembering)];
  const { place } = explain(subject, { path, directory });
  const all = missing.map(({ text }) =>
    ruleFor({ action, subject: text, path: place }, remembering),
  );
  return all.filter((rule, at) => all.findIndex(({ pattern }) => pattern === rule.pattern) === at);
}

/** Returns the reason why no rule can allow this request in the future; null if a rule can. */
export function rememberProblem(
  { action, subject, path = "." }: RememberedRequest,
  directory: string | null = null,
): string | null {
  if (action !== "run" && action !== "network") return null;
  const { unexplained } = explain(subject, { path, directory });
  if (unexplained !== null) return `${unexplained}, but rules can only cover plain commands`;
  if (exactText(subject, { path, directory }) !== null) return null;
  return "the name of the folder has unusual characters";
}

function exact({ action, subject }: RememberedRequest, place: Surroundings): string {
  switch (action) {
    case "read":
    case "change":
      return anchored(escapeGlob(subject));
    case "run":
    case "network":
      return escapeGlob(exactText(subject, place) ?? subject);
    case "mcp":
      return escapeGlob(subject);
    case "fetch":
      return hostOf(subject);
    case "send":
      return subject;
  }
}

/** Returns a pattern that also covers similar requests. Null if only a rule for the exact request is safe. */
function similar({ action, subject }: RememberedRequest, place: Surroundings): string | null {
  switch (action) {
    case "read":
    case "change": {
      const folder = dirname(subject);
      return folder === "." || folder === "/" ? null : anchored(`${escapeGlob(folder)}/**`);
    }
    case "run":
    case "network":
      return similarCommand(subject, place);
    case "fetch":
    case "send":
    case "mcp":
      return null;
  }
}

function anchored(pattern: string): string {
  return pattern.startsWith("/") ? pattern : `./${pattern}`;
}

function hostOf(address: string): string {
  return escapeGlob(URL.parse(address)?.host ?? address);
}

/** Returns a pattern that covers the command with other arguments in the same folder. Null for unknown programs. */
function similarCommand(subject: string, surroundings: Surroundings): string | null {
  const { commands, unexplained, place } = explain(subject, surroundings);
  const [command] = commands;
  if (unexplained !== null || commands.length !== 1 || command === undefined) return null;
  const named = namedWords(command.words);
  return (
    named && exactText(`${named.map(escapeGlob).join(" ")} *`, { ...surroundings, path: place })
  );
}
