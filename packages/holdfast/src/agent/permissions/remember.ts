import { dirname } from "node:path";
import { escapeGlob } from "../tools/glob-pattern.ts";
import type { PermissionRequest } from "../tools/tool.ts";
import type { PermissionRule } from "./rule.ts";
import { splitCommand } from "./split-command.ts";

export interface Remembering {
  readonly effect: "allow" | "deny";
  /** `exact`: this very request. `similar`: its folder, its host, its command with other words. */
  readonly reach: "exact" | "similar";
}

/** The rule that a person's "always" or "never" stands for. Show it before it is kept. */
export function ruleFor(
  request: Pick<PermissionRequest, "action" | "subject">,
  { effect, reach }: Remembering,
): PermissionRule {
  const { action } = request;
  const pattern = (reach === "similar" ? similar(request) : null) ?? exact(request);
  return { action, pattern, effect };
}

function exact({ action, subject }: Pick<PermissionRequest, "action" | "subject">): string {
  switch (action) {
    case "read":
    case "change":
      return anchored(escapeGlob(subject));
    case "run":
    case "mcp":
      return escapeGlob(subject);
    case "fetch":
      return hostOf(subject);
    case "send":
      return subject;
  }
}

/** Null where nothing wider than the exact request is safe to suggest. */
function similar({
  action,
  subject,
}: Pick<PermissionRequest, "action" | "subject">): string | null {
  switch (action) {
    case "read":
    case "change": {
      const folder = dirname(subject);
      return folder === "." || folder === "/" ? null : anchored(`${escapeGlob(folder)}/**`);
    }
    case "run":
      return similarCommand(subject);
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

/** Programs whose second word says what they do. */
const withSubcommands = new Set(
  "apt apt-get bun cargo composer deno docker dotnet gh git go gradle kubectl make mvn npm pip pnpm poetry uv yarn".split(
    " ",
  ),
);

/** Programs that run whatever they are given: any other words would be any other command. */
const runners = new Set(
  "bash bunx command doas env eval exec find nice nohup node npx parallel perl php python python3 ruby sh ssh sudo time timeout watch xargs zsh".split(
    " ",
  ),
);

function similarCommand(command: string): string | null {
  const { parts, complete } = splitCommand(command);
  const [part] = parts;
  if (!complete || parts.length !== 1 || part === undefined) return null;
  const words = part.split(" ");
  const [program = "", second] = words;
  if (!/^[\w.+-]+$/.test(program) || runners.has(program)) return null;
  if (!withSubcommands.has(program)) return `${program} *`;
  if (second === undefined || !/^[\w:.-]+$/.test(second) || second.startsWith("-")) return null;
  // `npm run x` is a command of its own for each x.
  if (second === "run" || second === "exec" || second === "x") {
    const third = words[2];
    return third !== undefined &&
      /^[\w:.-]+$/.test(third) &&
      !third.startsWith("-") &&
      second === "run"
      ? `${program} run ${third} *`
      : null;
  }
  return `${program} ${second} *`;
}
