import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

/** The way to a server, and what is known about it besides the messages. */
export interface Wire {
  readonly transport: Transport;
  /** Resolves once, with why, when no message can come any more. */
  readonly ended: Promise<string>;
  /** Gives the connection up: what is pending fails with this reason. */
  fail(reason: string): void;
  /** Returns when nothing of it is left, no process and no request. Can be called again. */
  close(): Promise<void>;
  /** Of a process of its own. */
  pid(): number | null;
  /** The last that the process has printed to its standard error. */
  stderr(): string;
  /** For people: what it does wrong without harm. */
  notes(): readonly string[];
}

/** An answer that the server did not give. */
export function failureFor(id: number | string, message: string): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error: { code: -32_000, message } };
}

/** Texts from a server are shown in one line, and not all of them. */
export function brief(text: string, max = 200): string {
  const line = text
    .slice(0, 10 * max)
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim();
  return line.length <= max ? line : `${line.slice(0, max)}…`;
}
