import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

/** A transport to an MCP server, with its state. */
export interface Wire {
  readonly transport: Transport;
  /** Resolves once with the reason when no more messages can arrive. */
  readonly ended: Promise<string>;
  /** Drops the connection. Pending requests fail with this reason. */
  fail(reason: string): void;
  /** Resolves when all processes and requests have ended. May be called more than once. */
  close(): Promise<void>;
  /** Returns the process id of the server; null if it is not a process. */
  pid(): number | null;
  /** Returns the end of the server process's stderr. */
  stderr(): string;
  /** Returns messages for people about harmless mistakes of the server. */
  notes(): readonly string[];
}

/** Creates an error response that is delivered instead of the server's response. */
export function failureFor(id: number | string, message: string): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error: { code: -32_000, message } };
}

/** Shortens text from a server to one line without control characters. */
export function brief(text: string, max = 200): string {
  const line = text
    .slice(0, 10 * max)
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim();
  return line.length <= max ? line : `${line.slice(0, max)}…`;
}

/** Replaces control characters except line ends, and truncates the text. */
export function cleanText(text: string, max: number): string {
  const clean = text.slice(0, max + 1).replaceAll(/[^\P{Cc}\n]/gu, " ");
  return text.length <= max ? clean : `${clean.slice(0, max)}…`;
}
