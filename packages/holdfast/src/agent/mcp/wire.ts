import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

/** A transport to a server, with its state. */
export interface Wire {
  readonly transport: Transport;
  /** Resolves once with the reason when no more messages can arrive. */
  readonly ended: Promise<string>;
  /** Drops the connection. Pending requests fail with this reason. */
  fail(reason: string): void;
  /** Resolves when all processes and requests have ended. May be called again. */
  close(): Promise<void>;
  /** Process id of the server, if it is a process. */
  pid(): number | null;
  /** The end of the process's stderr. */
  stderr(): string;
  /** Messages for people about harmless mistakes of the server. */
  notes(): readonly string[];
}

/** Creates an error answer in place of the server's answer. */
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

/** Replaces control characters except line ends, and cuts the text. */
export function cleanText(text: string, max: number): string {
  const clean = text.slice(0, max + 1).replaceAll(/[^\P{Cc}\n]/gu, " ");
  return text.length <= max ? clean : `${clean.slice(0, max)}…`;
}
