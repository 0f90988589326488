import { createServer } from "node:http";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { lateRequest, refusalResponse, refuseSocket } from "./early-answer.ts";
import type { EarlyRefusal } from "./early-answer.ts";
import type { Fetch } from "./front.ts";
import type { ServerLimits } from "./limits.ts";

/** An HTTP server that waits for nobody for ever, and says in the one shape of errors what is wrong. */
export function createHttpServer(
  fetch: Fetch,
  { limits, isRefused }: { limits: ServerLimits; isRefused: (socket: Socket) => boolean },
): Server {
  const { headersTimeout, requestTimeout, maxHeaderBytes, idleTimeout, maxConnections } = limits;
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout,
    requestTimeout,
    keepAliveTimeout: idleTimeout,
    connectionsCheckingInterval: Math.min(1_000, headersTimeout / 2),
    // Said by the listener instead, with a body.
    requireHostHeader: false,
  });
  // Beyond those that are refused in words: a flood is not even answered.
  server.maxConnections = maxConnections + refusedAtOnce;
  const listener = getRequestListener(fetch, { errorHandler: () => refusalResponse(malformed) });
  server.on("request", (request, response) => {
    // A connection that was refused still has its parser, which must start nothing.
    if (!isRefused(request.socket)) void listener(request, response);
  });
  server.on("connect", ({ socket }) => {
    if (!isRefused(socket)) refuseSocket(socket, noProxy);
  });
  server.on("clientError", (error, socket) => {
    const problem = problemOf(error);
    if (problem === null) socket.destroy();
    else refuseSocket(socket, problem);
  });
  return server;
}

/** Waits a moment for what is being answered, and ends the rest. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  const timer = setTimeout(() => server.closeAllConnections(), lastAnswers);
  await closed;
  clearTimeout(timer);
}

/** How many connections may be told at the same time that there are too many. */
const refusedAtOnce = 256;
/** How long the last answers may take once everything is drained. */
const lastAnswers = 2_000;

const malformed: EarlyRefusal = {
  code: "invalid",
  message: "this is no HTTP request that makes sense: its first line or a header is malformed",
};

const noProxy: EarlyRefusal = {
  code: "methodNotAllowed",
  message: "this server is no proxy: it takes no CONNECT",
};

/** Null when the client is gone, and there is nobody to tell. */
function problemOf(error: NodeJS.ErrnoException): EarlyRefusal | null {
  const { code } = error;
  if (code === "ECONNRESET" || code === "EPIPE") return null;
  if (code === "HPE_HEADER_OVERFLOW") {
    return { code: "headersTooLarge", message: "the request's headers are too large" };
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return lateRequest;
  }
  return malformed;
}
