import { z } from "zod";
import { SignInNeeded } from "./oauth/token-source.ts";
import { brief } from "./wire.ts";
import type { Wire } from "./wire.ts";

/** An error of an MCP server, with a message for people and for the model. */
export class McpProblem extends Error {
  readonly code = "mcp";
  /** True if the request never reached the server, so it can be sent again on another connection. */
  readonly unsent: boolean;
  /** True if a person must sign in to the server. */
  readonly needsSignIn: boolean;

  constructor(
    message: string,
    options: { cause?: unknown; unsent?: boolean; needsSignIn?: boolean } = {},
  ) {
    super(message, options);
    this.name = "McpProblem";
    this.unsent = options.unsent ?? false;
    this.needsSignIn = options.needsSignIn ?? false;
  }
}

/** True if the server responded with an error. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "ProtocolError" || error.name === "UnsupportedProtocolVersionError")
    return true;
  const status = statusOf(error);
  return status === 400 || status === 404 || status === 405;
}

function statusOf(error: unknown): number | null {
  return error instanceof Error && "status" in error && typeof error.status === "number"
    ? error.status
    : null;
}

/** True if the server is unreachable or no longer knows this session. */
export function isLost(error: unknown): boolean {
  return isUnreachable(error) || statusOf(error) === 404;
}

/** True for errors that fetch throws if it gets no complete response. */
function isUnreachable(error: unknown): error is TypeError {
  return error instanceof TypeError && ["fetch failed", "terminated"].includes(error.message);
}

export function lostText(error: unknown): string {
  if (!isUnreachable(error)) return "the server no longer knows this session";
  const { cause } = error;
  return `the server cannot be reached: ${cause instanceof Error ? cause.message : error.message}`;
}

export async function problemOf(
  thrown: unknown,
  { wire, lateText, name }: { wire: Wire; lateText: string; name: string },
): Promise<McpProblem> {
  const error = underlying(thrown);
  const rights = rightsText(error);
  if (rights !== null) {
    const message = `${rights}. Run: holdfast mcp login ${name}`;
    return new McpProblem(message, { cause: error, needsSignIn: true });
  }
  if (isLate(error)) return new McpProblem(lateText, { cause: error });
  if (isLost(error)) {
    return new McpProblem(lostText(error), { cause: error, unsent: wasNotSent(error) });
  }
  const code = codeOf(error);
  if (code === "CONNECTION_CLOSED" || code === "NOT_CONNECTED") {
    return new McpProblem(withStderr(await wire.ended, wire), { cause: error });
  }
  const status = statusOf(error);
  const said = saidBy(error);
  const text = brief(said.replace(/^Error POSTing to endpoint: */, ""), 1_000);
  const detail = text === "" ? "" : `: ${text}`;
  const advice = adviceFor[status ?? 0] ?? "";
  const answer =
    status === null ? text : `the server answered with status ${status}${detail}${advice}`;
  return new McpProblem(withStderr(answer, wire), { cause: error });
}

/** Returns the original error if the SDK has wrapped it, as it does for its first request. */
function underlying(error: unknown): unknown {
  return codeOf(error) === "ERA_NEGOTIATION_FAILED" && error instanceof Error && error.cause
    ? error.cause
    : error;
}

/** Returns the body of an HTTP error response, else the message of the error. */
function saidBy(error: unknown): string {
  const body = z.object({ data: z.object({ text: z.string() }) }).safeParse(error).data?.data.text;
  return body ?? (error instanceof Error ? error.message : String(error));
}

/** Returns a message if a new sign-in can solve the error, else null. */
function rightsText(error: unknown): string | null {
  if (error instanceof SignInNeeded) return error.message;
  const scope = missingScope(error);
  return scope === null ? null : `the server needs more rights (${brief(scope, 200)})`;
}

/** Returns the scope that the server requires. Null if the error has another cause. */
export function missingScope(error: unknown): string | null {
  if (!(error instanceof Error && error.name === "InsufficientScopeError")) return null;
  return z.object({ requiredScope: z.string() }).safeParse(error).data?.requiredScope ?? "";
}

const key = ' (set a key under "headers", such as "authorization")';
const adviceFor: Readonly<Record<number, string | undefined>> = {
  401: key,
  403: key,
  405: " (check that the URL is an endpoint of streamable HTTP or of the older HTTP+SSE transport)",
};

/** True if no process listened at the address, or the server rejected the request without processing it. */
function wasNotSent(error: unknown): boolean {
  if (statusOf(error) === 404) return true;
  const cause = isUnreachable(error) ? error.cause : null;
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED";
}

export function isLate(error: unknown): boolean {
  return codeOf(error) === "REQUEST_TIMEOUT";
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}

function withStderr(reason: string, wire: Wire): string {
  return [reason, ...stderrNote(wire)].join(". ");
}

/** Returns the end of stderr, which usually explains why a server process failed. */
export function stderrNote(wire: Wire): readonly string[] {
  const printed = lastPrinted(wire.stderr());
  return printed === null ? wire.notes() : [`Its stderr ends with: ${printed}`];
}

/** Returns the last lines of stderr as one line, or null if there are none. */
export function lastPrinted(stderr: string): string | null {
  const last = stderr.trim().split("\n").slice(-3).join(" ");
  return last === "" ? null : brief(last, 500);
}
