import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { errorStatus } from "../contract/error.ts";
import type { ErrorCode } from "../contract/error.ts";
import { securityHeaders } from "./security/headers.ts";

/** Why a request is answered before the app has seen it. */
export interface EarlyRefusal {
  readonly code: ErrorCode;
  readonly message: string;
  /** Seconds. */
  readonly retryAfter?: number;
}

export const lateRequest: EarlyRefusal = {
  code: "timeout",
  message: "the request did not arrive in time",
};

/** The refusal as a response, in the one shape of errors. */
export function refusalResponse(refusal: EarlyRefusal): Response {
  const { status, headers, body } = partsOf(refusal);
  return new Response(body, { status, headers: headers.map(copied) });
}

/** The refusal on a bare connection, which ends with it. */
export function refuseSocket(socket: Duplex, refusal: EarlyRefusal): void {
  // A client that is gone does not need the refusal.
  socket.on("error", () => {});
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = partsOf(refusal);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
  // Closed while words of the client are unread, the answer would be lost with them.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingering);
  socket.once("close", () => clearTimeout(timer));
}

/** How long a client that is refused may take to read why. */
const lingering = 1_000;

function partsOf(refusal: EarlyRefusal): {
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
