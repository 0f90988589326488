import { createServer } from "node:http";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { lateRequest, refusalResponse, refuseSocket } from "./early-answer.ts";
import type { EarlyRefusal } from "./early-answer.ts";
import type { Fetch } from "./front.ts";
import type { ServerLimits } from "./limits.ts";

/** Creates an HTTP server with a timeout for each phase of a request. Errors have the standard error format. */
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
    // Each check wakes up an idle server.
    connectionsCheckingInterval: headersTimeout / 2,
    // The listener checks the Host header itself, so that a refusal has the standard error format.
    requireHostHeader: false,
  });
  // Connections above `maxConnections` get an error response. In a flood, connections above this second limit are
  // dropped without one.
  server.maxConnections = maxConnections + refusedAtOnce;
  const listener = getRequestListener(fetch, { errorHandler: () => refusalResponse(malformed) });
  server.on("request", (request, response) => {
    // Ignore requests on a refused connection: Node still parses them.
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

/** Waits briefly for responses in progress, then closes all connections. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  const timer = setTimeout(() => server.closeAllConnections(), lastAnswers);
  await closed;
  clearTimeout(timer);
}

/** Number of connections that can be refused with an error response concurrently. */
const refusedAtOnce = 256;
/** Milliseconds for the last responses after the drain. */
const lastAnswers = 2_000;

const malformed: EarlyRefusal = {
  code: "invalid",
  message: "the HTTP request is malformed; check its first line and its headers",
};

const noProxy: EarlyRefusal = {
  code: "methodNotAllowed",
  message: "CONNECT is not supported: this server is not a proxy",
};

/** Returns the refusal for an invalid request; null if the client is gone and cannot read a response. */
function problemOf(error: NodeJS.ErrnoException): EarlyRefusal | null {
  const { code } = error;
  if (code === "ECONNRESET" || code === "EPIPE") return null;
  if (code === "HPE_HEADER_OVERFLOW") {
    return {
      code: "headersTooLarge",
      message: "the request's headers are too large; send fewer or shorter ones",
    };
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return lateRequest;
  }
  return malformed;
}
