import { unwrap } from "./syntax.ts";

/** A tool call of the demo agent, parsed from an instruction. */
export type DemoCall = CallAction & {
  /** True: the call asks a person for permission first. */
  readonly asks: boolean;
  /** True: the process ends after the call has acted and before its result is stored. */
  readonly crashes: boolean;
};

export type CallAction =
  /** A simulated tool. Its name determines whether the call may be repeated after a crash. */
  | { readonly kind: "tool"; readonly name: string; readonly text: string }
  /** Prints this number of lines. */
  | { readonly kind: "print"; readonly lines: number }
  | { readonly kind: "append"; readonly file: string; readonly line: string }
  | { readonly kind: "ask"; readonly question: string }
  | { readonly kind: "child"; readonly text: string }
  | { readonly kind: "background"; readonly text: string }
  | { readonly kind: "send"; readonly sessionId: string; readonly text: string };

/** Parses a tool call. Returns null if the text is not one. */
export function parseCall(text: string): DemoCall | null {
  const asking = /^ask to (.+)$/s.exec(text);
  const asked = asking === null ? null : parseCall(asking[1] ?? "");
  if (asked !== null) return { ...asked, asks: true };
  const crashing = /^crash during (.+)$/s.exec(text);
  if (crashing !== null) {
    const call = parseCall(crashing[1] ?? "");
    return call === null ? null : { ...call, crashes: true };
  }
  const action = parseAction(text);
  return action === null ? null : { ...action, asks: action.kind === "ask", crashes: false };
}

export function callName(call: CallAction): string {
  return call.kind === "tool" ? call.name : call.kind;
}

const repeatableTools = new Set(["read", "list", "search"]);

/**
 * True if the call may be repeated after a crash. Child sessions and questions have derived ids, so a repeated call
 * finds them again. Only a call that acts outside of the store must not be repeated.
 */
export function isRepeatable(call: CallAction): boolean {
  if (call.kind === "tool") return repeatableTools.has(call.name);
  return call.kind !== "append";
}

/**
 * True if plan mode must refuse the call, because it may change something. A child session is allowed: it is in plan
 * mode too.
 */
export function mayChange(call: CallAction): boolean {
  if (call.kind === "tool") return !repeatableTools.has(call.name);
  return call.kind === "append" || call.kind === "send";
}

function parseAction(text: string): CallAction | null {
  const [, verb = "", rest = ""] = /^([a-z]+) (.+)$/s.exec(text) ?? [];
  const [, first = "", second = ""] = /^(\S+)(?:\s+(.+))?$/s.exec(rest) ?? [];
  if (first === "") return null;
  switch (verb) {
    case "tool":
      return /^[\w-]{1,60}$/.test(first) ? { kind: "tool", name: first, text: second } : null;
    case "print":
      return /^\d{1,5}$/.test(rest) ? { kind: "print", lines: Number(rest) } : null;
    case "append":
      return { kind: "append", file: first, line: second };
    case "ask":
      return { kind: "ask", question: rest };
    case "child":
    case "background":
      return { kind: verb, text: unwrap(rest) };
    case "send":
      return second === "" ? null : { kind: "send", sessionId: first, text: unwrap(second) };
    default:
      return null;
  }
}
