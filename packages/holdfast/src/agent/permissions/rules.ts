import type { SessionMode } from "../../kernel/state.ts";
import { pathGlob, textGlob } from "../tools/glob-pattern.ts";
import type { PermissionRequest } from "../tools/tool.ts";
import { judgeCommand } from "./command.ts";
import type { CommandJudgement } from "./command.ts";
import type { PermissionEffect, PermissionRule } from "./rule.ts";
import type { SimpleCommand } from "./shell/command-line.ts";

type Asked = Pick<PermissionRequest, "action" | "subject" | "path" | "reads">;

/**
 * Applies the rules to a request. A deny rule always wins, so a later remembered rule cannot undo it. Among the other
 * rules, the last match decides. Without a match, a person is asked. A path outside of the directory is denied unless a
 * matching rule has an absolute path, which starts with `/`.
 */
export function decidePermission(
  all: readonly PermissionRule[],
  request: Asked,
  options: DecideOptions = {},
): PermissionEffect {
  const { mode = "ask" } = options;
  const rules = all.filter((rule) => rule.mode === undefined || rule.mode === mode);
  if (request.action === "network") {
    return decidePermission(networkRules(rules), { ...request, action: "run" }, options);
  }
  if (request.action === "run") {
    return judgeRequest(rules, request, options).effect;
  }
  const matching = rules.filter((rule) => matchesRule(rule, request));
  if (matching.some(({ effect }) => effect === "deny")) return "deny";
  const named = matching.some(({ pattern }) => pattern.startsWith("/"));
  if (isOutside(request) && !named) return "deny";
  return matching.at(-1)?.effect ?? "ask";
}

export interface DecideOptions {
  /** The session's directory. Missing: unknown. */
  readonly directory?: string;
  /** The session's permission mode. Default: `ask`. */
  readonly mode?: SessionMode;
}

/** Returns the plain commands of a command line that no rule allows yet. */
export function commandsToAllow(
  rules: readonly PermissionRule[],
  request: Asked,
  options: DecideOptions = {},
): readonly SimpleCommand[] {
  const own = request.action === "network" ? networkRules(rules) : rules;
  return judgeRequest(own, request, options).missing;
}

function judgeRequest(
  rules: readonly PermissionRule[],
  { subject, path = ".", reads = [] }: Asked,
  options: DecideOptions,
): CommandJudgement {
  const { directory = null } = options;
  const mayRead = (file: string): boolean =>
    decidePermission(rules, { action: "read", subject: file }, options) === "allow";
  return judgeCommand(rules, subject, {
    path,
    directory,
    isFree: (place) => reads[place]?.every(mayRead) === true,
  });
}

function matchesRule(rule: PermissionRule, request: Asked): boolean {
  if (rule.action !== "*" && rule.action !== request.action) return false;
  const { pattern, effect } = rule;
  const { subject } = request;
  switch (request.action) {
    case "read":
    case "change":
      return pathMatches(pattern, subject, effect);
    case "fetch":
      return hostMatches(pattern, subject);
    case "run":
    case "network":
    case "send":
      return pattern === "*" || pattern === subject;
    case "mcp":
      return mcpMatches(pattern, subject, effect);
  }
}

/**
 * Matches a tool of an MCP server. A pattern without a slash matches all tools of a server. `SERVER/sampling:` means
 * that the server asks Holdfast to call a model. This costs money, so only a rule that ends with `/sampling:` allows
 * it.
 */
function mcpMatches(pattern: string, subject: string, effect: PermissionEffect): boolean {
  const [server = ""] = subject.split("/", 1);
  const isSampling = subject.endsWith("/sampling:");
  if (isSampling && effect === "allow" && !pattern.endsWith("/sampling:")) return false;
  return textGlob(pattern)(pattern.includes("/") ? subject : server);
}

function isOutside({ action, subject }: Asked): boolean {
  return (action === "read" || action === "change") && subject.startsWith("/");
}

/**
 * Matches a path. A pattern with a slash must match the whole path; a pattern without a slash must match at least one
 * name in the path. An allow rule applies outside of the directory only if its pattern starts with a slash. Other rules
 * apply everywhere.
 */
function pathMatches(pattern: string, subject: string, effect: PermissionEffect): boolean {
  if (subject.startsWith("/") && !pattern.startsWith("/") && effect === "allow") return false;
  if (pattern === "*" || pattern === "**") return true;
  if (pattern.startsWith("./")) return pathGlob(pattern.slice(2))(subject);
  if (pattern.includes("/")) return pathGlob(pattern)(subject);
  const matches = pathGlob(pattern);
  return subject.split("/").some((name) => matches(name));
}

const defaultPorts: Readonly<Record<string, string | undefined>> = {
  "http:": "80",
  "https:": "443",
};

/**
 * Matches the host of a URL: `example.com`, `*.example.com` (its subdomains), `example.com:8080`,
 * `example.com:*`. Without a port, the pattern means the default port. `*` matches every URL.
 */
function hostMatches(pattern: string, address: string): boolean {
  if (pattern === "*") return true;
  const url = URL.parse(address);
  if (url === null) return false;
  const usual = defaultPorts[url.protocol] ?? "";
  const [, host = "", port] = /^(.*?)(?::(\d+|\*))?$/s.exec(pattern.toLowerCase()) ?? [];
  const own = url.port === "" ? usual : url.port;
  const isPort = port === "*" || own === (port ?? usual);
  return isPort && textGlob(host)(url.hostname.toLowerCase().replace(/\.$/, ""));
}

/**
 * Returns the rules for a command with network access, converted to `run` rules. Contains the `network` rules, and the
 * `run` rules that deny or ask. `run` rules that allow are left out, because they may have been written for commands in
 * the sandbox.
 */
function networkRules(rules: readonly PermissionRule[]): readonly PermissionRule[] {
  return rules
    .filter(({ action, effect }) => action !== "run" || effect !== "allow")
    .map((rule) => (rule.action === "network" ? { ...rule, action: "run" } : rule));
}
