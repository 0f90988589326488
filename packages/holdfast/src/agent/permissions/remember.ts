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
    case "network":
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
    case "network":
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
  (
    "ash at awk bash batch bunx busybox chroot command crontab csh dash doas ed emacs entr env eval exec " +
    "expect fd find fish flock gawk gdb ionice irb java jshell ksh less lua man mawk more nano nawk nice " +
    "node nohup nsenter osascript parallel perl php pipx pnpx powershell psql pwsh python python2 " +
    "python3 R rg Rscript rsync ruby runuser scp script screen sed setsid sftp sh source sqlite3 ssh " +
    "stdbuf strace su sudo systemd-run tar taskset tclsh tcsh time timeout tmux ts-node tsx unshare uvx " +
    "vi view vim watch xargs zsh . npx"
  ).split(" "),
);

/** Their words after these are a command of its own. */
const carriers = new Set("alias bisect config dlx exec filter-branch foreach x".split(" "));

function similarCommand(command: string): string | null {
  const { parts, complete } = splitCommand(command);
  const [part] = parts;
  if (!complete || parts.length !== 1 || part === undefined) return null;
  const words = part.split(" ");
  const [program = "", second] = words;
  if (!/^[\w.+-]+$/.test(program) || runners.has(program)) return null;
  if (!withSubcommands.has(program)) return `${program} *`;
  if (!isPlain(second) || carriers.has(second)) return null;
  if (second !== "run") return `${program} ${second} *`;
  // `npm run x` is a command of its own for each x.
  const third = words[2];
  return isPlain(third) && !runners.has(third) ? `${program} run ${third} *` : null;
}

function isPlain(word: string | undefined): word is string {
  return word !== undefined && /^[\w:.][\w:.-]*$/.test(word);
}
