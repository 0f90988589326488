import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { lateRequest, refuseSocket } from "./early-answer.ts";
import type { ServerLimits } from "./limits.ts";
import { isLoopback } from "./security/source.ts";

export interface Connections {
  /** Counts those of a server, from now on. */
  watch(server: Server): void;
  isRefused(socket: Socket): boolean;
  count(): number;
  /** Ends those without a request now, and each other one after its answer. */
  close(): void;
}

interface Connection {
  readonly address: string;
  /** The answer that is being made or read; null between requests. */
  answer: ServerResponse | null;
  /** How much of it had left at the last look, and since when that has not changed. */
  left: number;
  since: number;
  /** The last request; its body may still be arriving. */
  incoming: IncomingMessage | null;
  /** How much had arrived when the current `bodyTimeout` began, and when that was. */
  read: number;
  readSince: number;
}

/**
 * Keeps the number of connections within the limit. When it is reached, the one that has been
 * without a request for longest makes room, so that idle ones can't lock anybody out; when all are
 * at work, the new one is told so. And ends answers that nobody reads, because they hold memory, and
 * requests whose body arrives too slowly.
 */
export function createConnections(limits: ServerLimits): Connections {
  /** In the order of their last request, the longest ago first. */
  const open = new Map<Socket, Connection>();
  const refused = new WeakSet<Socket>();
  let isClosing = false;

  const makeRoom = (): boolean => {
    for (const [socket, { answer }] of open) {
      if (answer !== null) continue;
      open.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  };
  /** Programs on this machine all have the same address: it says nothing of them. */
  const isCrowd = (address: string): boolean => {
    if (isLoopback(address)) return false;
    let count = 0;
    for (const connection of open.values()) if (connection.address === address) count += 1;
    return count >= limits.maxConnectionsPerAddress;
  };
  const accept = (socket: Socket): void => {
    const address = socket.remoteAddress ?? "";
    if (isCrowd(address) || (open.size >= limits.maxConnections && !makeRoom())) {
      refused.add(socket);
      const message = "too many connections are open; close some, or try again";
      refuseSocket(socket, { code: "tooManyConnections", message, retryAfter: 1 });
      return;
    }
    const idle = { answer: null, left: 0, since: 0, incoming: null, read: 0, readSince: 0 };
    open.set(socket, { address, ...idle });
    socket.once("close", () => open.delete(socket));
  };
  const begin = (incoming: IncomingMessage, answer: ServerResponse): void => {
    const { socket } = incoming;
    const connection = open.get(socket);
    if (connection === undefined) return;
    open.delete(socket);
    open.set(socket, connection);
    const since = performance.now();
    Object.assign(connection, { answer, left: socket.bytesWritten, since });
    Object.assign(connection, { incoming, read: socket.bytesRead, readSince: since });
    answer.once("close", () => {
      if (connection.answer === answer) connection.answer = null;
      if (isClosing) socket.destroySoon();
    });
  };
  /** Not a byte taken for too long; or, once the answer is complete, not all of it. */
  const isStuck = (socket: Socket, connection: Connection): boolean => {
    const { answer } = connection;
    const left = socket.bytesWritten - socket.writableLength;
    const isMoving = left !== connection.left && answer?.writableEnded !== true;
    if (answer === null || socket.writableLength === 0 || isMoving) {
      Object.assign(connection, { left, since: performance.now() });
      return false;
    }
    return performance.now() - connection.since > limits.readTimeout;
  };
  /** The body is not complete, and too little of it has arrived in the last `bodyTimeout`. */
  const isSlow = (socket: Socket, connection: Connection): boolean => {
    const { incoming, read, readSince } = connection;
    if (incoming === null || incoming.complete) return false;
    if (performance.now() - readSince < limits.bodyTimeout) return false;
    if (socket.bytesRead - read < limits.bodyProgress) return true;
    Object.assign(connection, { read: socket.bytesRead, readSince: performance.now() });
    return false;
  };
  const endSlow = (socket: Socket, { answer }: Connection): void => {
    refused.add(socket);
    open.delete(socket);
    if (answer?.headersSent === true) socket.destroy();
    else refuseSocket(socket, lateRequest);
  };
  const timer = setInterval(
    () => {
      for (const [socket, connection] of open) {
        if (isStuck(socket, connection)) socket.destroy();
        else if (isSlow(socket, connection)) endSlow(socket, connection);
      }
    },
    Math.min(limits.readTimeout, limits.bodyTimeout) / 4,
  ).unref();

  return {
    watch: (server) => {
      server.on("connection", accept);
      server.prependListener("request", begin);
    },
    isRefused: (socket) => refused.has(socket),
    count: () => open.size,
    close: () => {
      isClosing = true;
      clearInterval(timer);
      while (makeRoom());
    },
  };
}
