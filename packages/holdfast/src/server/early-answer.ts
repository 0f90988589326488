import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { errorStatus } from "../contract/error.ts";
import type { ErrorCode } from "../contract/error.ts";
import { securityHeaders } from "./security/headers.ts";

/** A refusal of a request before it reaches the app. */
export interface EarlyRefusal {
  readonly code: ErrorCode;
  readonly message: string;
  /** Seconds after which the client may retry the request. */
  readonly retryAfter?: number;
}

export const lateRequest: EarlyRefusal = {
  code: "timeout",
  message: "the request did not arrive in time; send it again",
};

/** Converts a refusal to a response with the standard error format. */
export function refusalResponse(refusal: EarlyRefusal): Response {
  const { status, headers, body } = answerOf(refusal);
  return new Response(body, { status, headers: headers.map(copied) });
}

/** Writes a refusal to a raw socket and closes it. */
export function refuseSocket(socket: Duplex, refusal: EarlyRefusal): void {
  // Ignore errors: the client is gone and does not need the refusal.
  socket.on("error", () => {});
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = answerOf(refusal);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
  // Read the rest of the request: closing a socket with unread data would discard the response.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingering);
  socket.once("close", () => clearTimeout(timer));
}

/**
 * Milliseconds after which the connection of a refused client is closed, even if the client has not read the
 * response.
 */
const lingering = 1_000;

function answerOf(refusal: EarlyRefusal): {
  status: number;
  headers: (readonly [name: string, value: string])[];
  body: string;
} {
  const { code, message, retryAfter } = refusal;
  const requestId = randomUUID();
  return {
    status: errorStatus[code],
    headers: [
      ["content-type", "application/json"],
      ["x-request-id", requestId],
      ["cache-control", "no-store"],
      ...securityHeaders,
      ...(retryAfter === undefined ? [] : [["retry-after", String(retryAfter)] as const]),
    ],
    body: JSON.stringify({ error: { code, message, requestId } }),
  };
}

function copied([name, value]: readonly [string, string]): [string, string] {
  return [name, value];
}
